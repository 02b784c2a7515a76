// The programs of other makers, which the long run has.
// @module-tag long
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { createFile } from '#src/domain/repository/files/write.ts';
import { scratch } from '../support/git_program.ts';
import { digest, registryWorld } from '../support/registry.ts';
import { zip } from '../support/zip.ts';

/*
 * The programs that publish and install packages, as Debian has them, against the registries of docs/packages.md. `.ci/run` installs those
 * that are small. Maven and Terraform are not: a machine without them skips their tests, and says so.
 */
const { world, owner, master, developer, reporter, made, send } = await registryWorld();
const home = mkdtempSync(path.join(tmpdir(), 'gantry-programs-'));
const env = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', NO_COLOR: '1' };
const run = async (cwd: string, command: string, ...args: string[]) => {
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 16 * 1024 * 1024 });
  return stdout + stderr;
};

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Skips the test, and says so, where the machine does not have the program. */
async function need(program: string, [command = '', ...args]: string[], { skip }: TestContext): Promise<void> {
  await promisify(execFile)(command, args).catch(() => skip(`${program} is not installed here`));
}

function directory(files: Readonly<Record<string, string | Buffer>>): string {
  const root = scratch();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return root;
}

/** The address of a registry, with the credentials of somebody where programs want them there. */
const at = (project: { id: number }, rest: string, who?: typeof owner) =>
  `${world.url.replace('//', who ? `//${who.username}:${who.token}@` : '//')}/api/v4/projects/${project.id}/packages/${rest}`;

describe('Packages are published and installed by', { timeout: 300_000 }, () => {
  it('twine and pip', async () => {
    const project = await made();
    const wheel = (version: string) =>
      zip({
        'greeting.py': `WORDS = 'hello from ${version}'\n`,
        [`greeting-${version}.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: greeting\nVersion: ${version}\nRequires-Python: >=3.7\n`,
        [`greeting-${version}.dist-info/WHEEL`]:
          'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        [`greeting-${version}.dist-info/RECORD`]: `greeting.py,,\ngreeting-${version}.dist-info/METADATA,,\ngreeting-${version}.dist-info/WHEEL,,\ngreeting-${version}.dist-info/RECORD,,\n`,
      });
    const names = ['1.0.0', '1.1.0'].map((version) => `greeting-${version}-py3-none-any.whl`);
    const work = directory({ [names[0] as string]: await wheel('1.0.0'), [names[1] as string]: await wheel('1.1.0') });
    const upload = ['upload', '--non-interactive', '--disable-progress-bar', '--repository-url', at(project, 'pypi')];
    const credentials = ['-u', developer.username, '-p', developer.token];
    await run(work, '/usr/bin/twine', ...upload, ...credentials, ...names);
    const again = await run(work, '/usr/bin/twine', ...upload, ...credentials, ...names).catch(
      ({ stdout, stderr }) => stdout + stderr,
    );
    expect(again).toContain('400');
    await run(work, '/usr/bin/twine', ...upload, '--skip-existing', ...credentials, ...names);
    const install = [
      '-m',
      'pip',
      'install',
      '--no-cache-dir',
      '--disable-pip-version-check',
      '--target',
      'lib',
      '--upgrade',
    ];
    const index = ['--index-url', at(project, 'pypi/simple', reporter)];
    await run(work, '/usr/bin/python3', ...install, ...index, 'greeting==1.0.0');
    expect(readFileSync(path.join(work, 'lib/greeting.py'), 'utf8')).toContain('hello from 1.0.0');
    await run(work, '/usr/bin/python3', ...install, ...index, 'Greeting');
    expect(readFileSync(path.join(work, 'lib/greeting.py'), 'utf8')).toContain('hello from 1.1.0');
  });

  it('gem', async () => {
    const project = await made();
    const specification = (version: string) => `Gem::Specification.new do |s|
      s.name = 'gantry_greeting'; s.version = '${version}'; s.summary = 'Says hello'; s.authors = ['Ann']; s.license = 'MIT'
      s.files = ['lib/greeting.rb']; s.homepage = 'https://example.org'; s.required_ruby_version = '>= 2.5'
    end`;
    const source = at(project, 'rubygems');
    for (const version of ['1.0.0', '1.1.0']) {
      const work = directory({
        'greeting.gemspec': specification(version),
        'lib/greeting.rb': `WORDS = 'hello from ${version}'\n`,
      });
      await run(work, 'gem', 'build', 'greeting.gemspec');
      const push = { env: { ...env, GEM_HOST_API_KEY: developer.token }, cwd: work };
      await promisify(execFile)('gem', ['push', `gantry_greeting-${version}.gem`, '--host', source], push);
    }
    const target = scratch();
    mkdirSync(target, { recursive: true });
    const clean = ['--clear-sources', '--source', `${at(project, 'rubygems', reporter)}/`];
    await run(
      target,
      'gem',
      'install',
      'gantry_greeting',
      '--version',
      '1.0.0',
      '--install-dir',
      target,
      '--no-document',
      ...clean,
    );
    const installed = (version: string) => path.join(target, `gems/gantry_greeting-${version}/lib/greeting.rb`);
    expect(readFileSync(installed('1.0.0'), 'utf8')).toContain('hello from 1.0.0');
    await run(
      target,
      'gem',
      'install',
      'gantry_greeting',
      '--version',
      '>= 1.1',
      '--install-dir',
      target,
      '--no-document',
      ...clean,
    );
    expect(readFileSync(installed('1.1.0'), 'utf8')).toContain('hello from 1.1.0');
    expect(await run(target, 'gem', 'list', '--remote', '--all', ...clean)).toContain('gantry_greeting (1.1.0, 1.0.0)');
  });

  it('composer', async () => {
    const project = await made();
    const text = JSON.stringify({ name: 'gantry/greeting', description: 'Says hello', license: 'MIT' });
    await createFile(world.as(owner), project.id, {
      path: 'composer.json',
      branch: 'master',
      message: 'a',
      content: text,
    });
    await createFile(world.as(owner), project.id, {
      path: 'greeting.php',
      branch: 'master',
      message: 'b',
      content: '<?php',
    });
    await world.api(owner).post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1.0.0', ref: 'master' });
    for (const what of [{ tag: 'v1.0.0' }, { branch: 'master' }])
      await world.api(developer).post(`/projects/${project.id}/packages/composer`, what);
    const { host } = new URL(world.url);
    const work = directory({
      'composer.json': JSON.stringify({
        repositories: [{ packagist: false }, { type: 'composer', url: at(project, 'composer/packages.json') }],
        require: { 'gantry/greeting': '^1.0' },
        config: { 'secure-http': false },
      }),
      'auth.json': JSON.stringify({
        'http-basic': { [host]: { username: reporter.username, password: reporter.token } },
      }),
    });
    await run(work, 'composer', 'update', '--no-interaction', '--no-plugins', '--prefer-dist');
    expect(existsSync(path.join(work, 'vendor/gantry/greeting/greeting.php'))).toBe(true);
    const { packages } = JSON.parse(readFileSync(path.join(work, 'composer.lock'), 'utf8'));
    expect(packages).toMatchObject([{ name: 'gantry/greeting', version: '1.0.0' }]);
  });

  it('dput and apt, which verifies the signatures of indexes', async (context) => {
    for (const program of ['dput', 'dpkg-deb', 'apt-get', 'gpgv']) await need(program, [program, '--version'], context);
    const project = await made();
    const { id } = project;
    await world.api(developer).post(`/projects/${id}/debian_distributions`, { codename: 'trixie', suite: 'stable' });
    const { host } = new URL(world.url);
    const work = directory({
      'hello/DEBIAN/control':
        'Package: gantry-hello\nVersion: 1.0-1\nArchitecture: all\nMaintainer: Ann <ann@example.com>\nDescription: says hello\n',
      'hello/usr/share/gantry-hello/words': 'hello from 1.0',
      // More than fits into buffers on the way, as dput sends all before it reads that it must sign in.
      'hello/usr/share/gantry-hello/noise': randomBytes(3_000_000),
      'dput.cf': `[gantry]\nmethod = http\nfqdn = ${host}\nlogin = ${developer.username}\nincoming = /api/v4/projects/${id}/packages/debian\nallow_unsigned_uploads = 1\n`,
    });
    const packed = ['xz', 'zstd', 'gzip'];
    for (const [index, kind] of packed.entries()) {
      const control = path.join(work, 'hello/DEBIAN/control');
      const text = readFileSync(control, 'utf8').replace(/Version: .*/, `Version: 1.${index}-1`);
      writeFileSync(control, text);
      const name = `gantry-hello_1.${index}-1_all.deb`;
      await run(work, 'dpkg-deb', `-Z${kind}`, '--root-owner-group', '--uniform-compression', '--build', 'hello', name);
      const content = readFileSync(path.join(work, name));
      const line = (hash: string, more = '') => ` ${digest(hash, content)} ${content.length} ${more}${name}\n`;
      const changes = `Format: 1.8\nDate: ${new Date().toUTCString()}\nSource: gantry-hello\nBinary: gantry-hello\nArchitecture: all\nVersion: 1.${index}-1\nDistribution: stable\nUrgency: medium\nMaintainer: Ann <ann@example.com>\nDescription:\n gantry-hello - says hello\nChanges:\n gantry-hello (1.${index}-1) stable; urgency=medium\nChecksums-Sha1:\n${line('sha1')}Checksums-Sha256:\n${line('sha256')}Files:\n${line('md5', 'misc optional ')}`;
      writeFileSync(path.join(work, `hello_${index}.changes`), changes);
      // It asks for the password, on standard input where there is no terminal.
      const dput = ['--wait', 'dput', '--config', 'dput.cf', '--unchecked', 'gantry', `hello_${index}.changes`];
      const sending = promisify(execFile)('setsid', dput, { cwd: work, env });
      sending.child.stdin?.end(`${developer.token}\n`);
      await sending;
    }
    const keyOf = async (codename: string) =>
      (await send(reporter, 'GET', `/projects/${id}/debian_distributions/${codename}/key.asc`)).text();
    const root = directory({
      'etc/apt/key.asc': await keyOf('trixie'),
      'etc/apt/auth.conf': `machine ${world.url} login ${reporter.username} password ${reporter.token}\n`,
      'var/lib/dpkg/status': '',
    });
    for (const name of ['var/lib/apt/lists/partial', 'var/cache/apt/archives/partial', 'etc/apt/preferences.d'])
      mkdirSync(path.join(root, name), { recursive: true });
    const source = (signer: string) =>
      writeFileSync(
        path.join(root, 'etc/apt/sources.list'),
        `deb [signed-by=${signer}] ${at(project, 'debian')} trixie main\n`,
      );
    source(path.join(root, 'etc/apt/key.asc'));
    const apt = (...args: string[]) =>
      run(
        root,
        // It closes each file that it could have open, of which a machine may allow a billion.
        ...['prlimit', '--nofile=1024', 'apt-get'],
        ...['-o', `Dir=${root}`, '-o', `Dir::State::status=${root}/var/lib/dpkg/status`],
        ...['-o', 'APT::Sandbox::User=root', '-o', 'Debug::NoLocking=1', '-o', 'Acquire::Retries=0'],
        ...['-o', 'APT::Update::Error-Mode=any', '-o', 'Acquire::Languages=none', ...args],
      );
    await apt('update');
    await apt('download', 'gantry-hello');
    expect(readFileSync(path.join(root, 'gantry-hello_1.2-1_all.deb'))).toEqual(
      readFileSync(path.join(work, 'gantry-hello_1.2-1_all.deb')),
    );
    expect(await apt('update')).toContain('Hit:1');
    await run(root, 'dpkg-deb', '--extract', 'gantry-hello_1.2-1_all.deb', 'out');
    expect(readFileSync(path.join(root, 'out/usr/share/gantry-hello/words'), 'utf8')).toBe('hello from 1.0');
    // A key that did not sign it is refused.
    await world.api(developer).post(`/projects/${id}/debian_distributions`, { codename: 'sid' });
    writeFileSync(path.join(root, 'etc/apt/other.asc'), await keyOf('sid'));
    source(path.join(root, 'etc/apt/other.asc'));
    rmSync(path.join(root, 'var/lib/apt/lists'), { recursive: true });
    mkdirSync(path.join(root, 'var/lib/apt/lists/partial'), { recursive: true });
    await expect(apt('update')).rejects.toThrow(/signature|NO_PUBKEY/i);
  });

  it('mvn', async (context) => {
    const cache = path.join(homedir(), '.m2/repository');
    const plugin = 'org/apache/maven/plugins/maven-deploy-plugin';
    await need('mvn', ['mvn', '--version'], context);
    const versions = existsSync(path.join(cache, plugin)) ? readdirSync(path.join(cache, plugin)) : [];
    const newest = versions
      .filter((version) => version.startsWith('3.'))
      .sort()
      .at(-1);
    if (newest === undefined) context.skip('mvn cannot deploy here');
    const project = await made();
    // A repository of its own for what is built, beside the plugins that the machine has.
    const repository = () => {
      const own = directory({ '.mark': '' });
      for (const name of readdirSync(cache)) symlinkSync(path.join(cache, name), path.join(own, name));
      return own;
    };
    const settings = (who: typeof owner) => `<settings>
      <servers><server><id>gantry</id><username>${who.username}</username><password>${who.token}</password></server></servers>
      </settings>`;
    const pom = (artifact: string, more: string) => `<project><modelVersion>4.0.0</modelVersion>
      <groupId>gantry.test</groupId><artifactId>${artifact}</artifactId><version>1.0</version><packaging>pom</packaging>
      ${more}</project>`;
    const mvn = (cwd: string, ...args: string[]) =>
      run(
        cwd,
        'mvn',
        '--batch-mode',
        '--legacy-local-repository',
        '--settings',
        'settings.xml',
        `-Dmaven.repo.local=${repository()}`,
        ...args,
      );
    const place = `<id>gantry</id><url>${at(project, 'maven')}</url>`;
    const parent = directory({
      'settings.xml': settings(developer),
      'parent.xml': pom('parent', ''),
    });
    const file = [
      '-Dfile=parent.xml',
      '-DpomFile=parent.xml',
      `-Durl=${at(project, 'maven')}`,
      '-DrepositoryId=gantry',
    ];
    await mvn(parent, `org.apache.maven.plugins:maven-deploy-plugin:${newest}:deploy-file`, ...file);
    const { body } = await world.api(reporter).get(`/projects/${project.id}/packages?package_type=maven`);
    expect(body).toMatchObject([{ name: 'gantry/test/parent', version: '1.0' }]);
    // A build that needs it gets it from there.
    const child = directory({
      'settings.xml': settings(reporter),
      'pom.xml': pom(
        'child',
        `<parent><groupId>gantry.test</groupId><artifactId>parent</artifactId><version>1.0</version><relativePath/></parent>
        <repositories><repository>${place}</repository></repositories>`,
      ),
    });
    expect(await mvn(child, 'validate')).toContain('BUILD SUCCESS');
    writeFileSync(path.join(child, 'settings.xml'), settings({ ...reporter, token: 'wrong' }));
    await expect(mvn(child, 'validate')).rejects.toThrow();
  });

  it('terraform, which keeps its state', async (context) => {
    await need('terraform', ['terraform', 'version'], context);
    const project = await made();
    const address = `${world.url}/api/v4/projects/${project.id}/terraform/state/production`;
    const work = directory({
      'main.tf': `terraform {
        backend "http" {
        address = "${address}"
        lock_address = "${address}/lock"
        unlock_address = "${address}/lock"
        lock_method = "POST"
        unlock_method = "DELETE"
        }
      }
      output "words" { value = "hello" }`,
    });
    const own = {
      cwd: work,
      env: { ...env, TF_HTTP_USERNAME: master.username, TF_HTTP_PASSWORD: master.token, CHECKPOINT_DISABLE: '1' },
    };
    const terraform = (...args: string[]) => promisify(execFile)('terraform', [...args, '-no-color'], own);
    await terraform('init', '-input=false');
    await terraform('apply', '-auto-approve', '-input=false');
    expect((await terraform('output', '-json')).stdout).toContain('"hello"');
    const lock = { ID: 'other', Operation: 'test', Who: 'somebody', Created: new Date().toISOString() };
    await world.api(master).post(`/projects/${project.id}/terraform/state/production/lock`, lock);
    await expect(terraform('apply', '-auto-approve', '-input=false')).rejects.toThrow(/Error acquiring the state lock/);
    await terraform('force-unlock', '-force', 'other');
    await terraform('apply', '-auto-approve', '-input=false');
  });
});
