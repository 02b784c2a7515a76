import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientPackage } from '../support/client_package.ts';
import {
  printed,
  run,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

const scratch = scratchDirectory();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer(settings(path.join(scratch.directory, 'data')), ['--ephemeral', '--seed']);
}, 120_000);

afterAll(async () => {
  await server.end('SIGTERM');
  scratch.remove();
});

/** Runs a program of the system in a directory of its own, which is its home, too. */
function program(name: string, args: string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  return run(name, args, { cwd, env: { PATH: process.env.PATH, HOME: scratch.directory, LC_ALL: 'C.UTF-8', ...more } });
}

describe('Programs that read addresses of pages', () => {
  it('uscan finds the newest tag on the page of tags, and downloads its archive', { timeout: 300_000 }, async () => {
    const source = path.join(scratch.directory, 'apples-1.0.0');
    mkdirSync(path.join(source, 'debian'), { recursive: true });
    const entry =
      'apples (1.0.0-1) unstable; urgency=low\n\n  * First.\n\n -- Ada <ada@example.com>  Mon, 01 Jan 2024 00:00:00 +0000\n';
    writeFileSync(path.join(source, 'debian/changelog'), entry);
    const pattern = '.*/archive/.*/@PACKAGE@-v?@ANY_VERSION@\\.tar\\.gz';
    writeFileSync(path.join(source, 'debian/watch'), `version=4\n${server.url}/orchard/apples/-/tags ${pattern}\n`);
    const { status, stdout } = await program('uscan', ['--download', '--destdir', scratch.directory], source);
    expect([status, stdout]).toEqual([0, expect.stringContaining('1.1.0')]);
    const archive = path.join(scratch.directory, 'apples-v1.1.0.tar.gz');
    const { stdout: files } = await program('tar', ['-tzf', archive], scratch.directory);
    expect(files.split('\n')[0]).toBe('apples-v1.1.0/');
  });

  it.each(['orchard/apples', 'orchard/apples.git'])('Breezy branches %s', { timeout: 300_000 }, async (place) => {
    const to = path.join(scratch.directory, place.replace('/', '-'));
    const { status, stderr } = await program(
      'brz',
      ['branch', '--quiet', `${server.url}/${place}`, to],
      scratch.directory,
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(readdirSync(to)).toContain('LICENSE');
    expect(readFileSync(path.join(to, 'README.md'), 'utf8')).toMatch(/^# Apples/);
  });

  it('linkchecker finds no broken link two steps from the list of projects', { timeout: 600_000 }, async () => {
    const args = ['--no-warnings', '--no-status', '--recursion-level=2', `${server.url}/explore`];
    const { stdout } = await program('linkchecker', args, scratch.directory);
    // A link that opens an editor is nothing it can follow: it knows `vscode:`, and takes the other for a mistake.
    const broken = [...stdout.matchAll(/^URL +`(.*)'$/gm)].map(([, url]) => url);
    expect(broken.filter((url) => !url?.startsWith('jetbrains://idea/checkout/git?'))).toEqual([]);
    expect(stdout).toContain(` ${broken.length} errors found`);
    expect(Number(/(\d+) links in/.exec(stdout)?.[1])).toBeGreaterThan(80);
  });
});

describe('giget', () => {
  const gigets = new ClientPackage('rest_clients');

  beforeAll(() => gigets.install(), 480_000);

  it.each([
    ['gitlab:orchard/apples#v1.1.0', 'README.md', []],
    ['gitlab:orchard/website', 'index.html', [`--auth=seed-private-token-ada`]],
  ])('downloads %s by the address of an archive', { timeout: 300_000 }, async (template, file, credential) => {
    const to = path.join(scratch.directory, template.replace(/\W+/g, '-'));
    const { status, stdout, stderr } = await program(
      process.execPath,
      [path.join(gigets.directory, 'node_modules/giget/dist/cli.mjs'), template, to, ...credential],
      scratch.directory,
      { GIGET_GITLAB_URL: server.url, XDG_CACHE_HOME: path.join(scratch.directory, 'cache') },
    );
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('Successfully cloned')]);
    expect(readdirSync(to)).toContain(file);
  });
});

describe('npm', () => {
  const quiet = ['audit=false', 'fund=false', 'update-notifier=false'];

  /** A directory with a package, whose scope is in the registry at a path below /api/v4. */
  function directory(name: string, at: string, manifest: object): string {
    const made = path.join(scratch.directory, name);
    mkdirSync(made, { recursive: true });
    const token = printed(server.output(), 'Private token') ?? '';
    const registry = `${server.url}/api/v4${at}/`;
    const credential = `${registry.replace(/^http:/, '')}:_authToken=${token}`;
    writeFileSync(path.join(made, '.npmrc'), `${[`@team:registry=${registry}`, credential, ...quiet].join('\n')}\n`);
    writeFileSync(path.join(made, 'package.json'), JSON.stringify(manifest));
    writeFileSync(path.join(made, 'index.js'), 'module.exports = 1;\n');
    return made;
  }

  it('publishes to a project, installs from there and from the whole server, and deprecates for both', {
    timeout: 600_000,
  }, async () => {
    const ofProject = `/projects/${encodeURIComponent('orchard/apples')}/packages/npm`;
    for (const version of ['1.0.0', '1.1.0']) {
      const published = directory(`greeting-${version}`, ofProject, { name: '@team/greeting', version });
      const { status, stderr } = await program('npm', ['publish'], published);
      expect([status, stderr]).toEqual([0, expect.any(String)]);
    }
    const registries = Object.entries({ project: ofProject, server: '/packages/npm' });
    const users = registries.map(([name, at]) => directory(`user-of-${name}`, at, { name: 'user', version: '1.0.0' }));
    for (const user of users) {
      const { status, stderr } = await program('npm', ['install', '@team/greeting@1.0.0'], user);
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('deprecated')]);
      const manifest = readFileSync(path.join(user, 'node_modules/@team/greeting/package.json'), 'utf8');
      expect(JSON.parse(manifest).version).toBe('1.0.0');
    }
    const [user = ''] = users;
    const reason = 'Greets too loudly';
    expect((await program('npm', ['deprecate', '@team/greeting@1.0.0', reason], user)).status).toBe(0);
    for (const [name, at] of registries) {
      const next = directory(`next-of-${name}`, at, { name: 'next', version: '1.0.0' });
      const seen = await program('npm', ['view', '@team/greeting@1.0.0', 'deprecated'], next);
      expect([name, seen.stdout.trim()]).toEqual([name, reason]);
      const { status, stderr } = await program('npm', ['install', '@team/greeting@1.0.0'], next);
      expect([name, status, stderr]).toEqual([name, 0, expect.stringContaining(`@team/greeting@1.0.0: ${reason}`)]);
      const newest = await program('npm', ['install', '@team/greeting'], next);
      expect(newest.stderr).not.toContain(reason);
    }
  });
});
