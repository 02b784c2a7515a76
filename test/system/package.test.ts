import { spawn } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packagePath, packageRoot, packageVersion } from '#src/platform/package_root.ts';
import { blocksOf, commandsOf } from '../support/documentation.ts';
import { followServer, printed, run, scratchDirectory } from '../support/server_process.ts';

const QUICKLY = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

const { devDependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));

/** Bytes that the package and its dependencies may take on the disk, without a Node of its own (bin/fetch_node.js). */
const LARGEST = 300e6;

/** Bytes of the files in a directory, apart from those whose path matches. */
function sizeOf(directory: string, except: RegExp): number {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => !except.test(file));
  return files.reduce((total, file) => total + lstatSync(path.join(directory, file)).size, 0);
}

/** A project that depends on nothing yet, in a directory. */
function otherProject(directory: string): void {
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'package.json'), '{"name": "other", "version": "1.0.0", "private": true}');
}

test('the packed package, installed in another project as the documents say, serves with npx', {
  timeout: 1_800_000,
}, async () => {
  const scratch = scratchDirectory();
  const { remove } = scratch;
  const directory = path.join(scratch.directory, 'other');
  try {
    const [install, serve] = commandsOf('README.md', 'In the test suite of a client').map(({ command }) => command);
    expect(serve).toBe('npx gantry serve --ephemeral');
    const said = commandsOf('docs/testing-clients.md', 'Install').map(({ command }) => command);
    expect(said).toEqual(['npm ci', 'npm pack', install, 'npx gantry --version']);

    const checkout = path.join(scratch.directory, 'gantry');
    mkdirSync(checkout);
    const packed = await run('npm', ['pack', '--pack-destination', checkout], { cwd: packageRoot });
    expect(packed.status, packed.stderr).toBe(0);
    otherProject(directory);
    const bash = (command = '') =>
      run('/bin/bash', ['-c', command], { cwd: directory, env: { ...process.env, ...QUICKLY } });
    const installed = await bash(install);
    expect(installed.status, installed.stderr).toBe(0);
    expect((await bash('npx gantry --version')).stdout).toBe(`${packageVersion()}\n`);
    const inside = readdirSync(path.join(directory, 'node_modules', '@gantry-server', 'gantry'));
    expect(inside).toContain('dist');
    expect(inside).not.toContain('src');
    expect(sizeOf(path.join(directory, 'node_modules'), /bin\/node\/node_modules\//)).toBeLessThan(LARGEST);
    // What our overrides replace or leave out is as they say here too.
    expect(await bash('npm ls --all --parseable')).toMatchObject({
      status: 0,
      stdout: expect.not.stringMatching(/cpu-features|nan\b|scarf/),
    });

    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const server = await followServer(
      spawn('npx', ['gantry', 'serve', '--ephemeral', '--seed'], { cwd: directory, env }),
    );
    try {
      const headers = { 'private-token': printed(server.output(), 'Private token') ?? '' };
      const response = await fetch(`${server.url}/api/v4/version`, { headers });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ version: expect.any(String) });
      // The threads that render and highlight have the packages that they need.
      const query = '{ project(ref: "orchard/apples") { repository { at { readme { html lines { language } } } } } }';
      const { data } = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      }).then((answer) => answer.json());
      const { html, lines } = data.project.repository.at.readme;
      expect([html, lines]).toEqual([expect.stringContaining('<h1'), { language: 'md' }]);
      for (const page of ['/', '/-/docs', '/graphql']) {
        const html = await (await fetch(server.url + page, { headers: { accept: 'text/html' } })).text();
        const files = [...html.matchAll(/(?:src|href)="(\/-\/assets\/[^"]+)"/g)].map(([, path]) => path);
        expect(files.length).toBeGreaterThan(page === '/' ? 0 : 2);
        for (const file of files) expect((await fetch(server.url + file)).status).toBe(200);
      }
    } finally {
      // npx ends at once, and the server with its PostgreSQL after it, which closes the output.
      await server.end('SIGTERM');
    }
    await expect(fetch(server.url)).rejects.toThrow();
    await runSnippets(directory);
    await runExamples(directory);
    await runOnOlderNode(directory);
  } finally {
    remove();
  }
});

/** Runs the snippets of docs/testing-clients.md that need no other client, as they are. */
async function runSnippets(directory: string): Promise<void> {
  const of = (section: string) => blocksOf('docs/testing-clients.md').find((block) => block.section === section)?.text;
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, XDG_CACHE_HOME: path.join(directory, 'cache') };
  writeFileSync(
    path.join(directory, 'program.mjs'),
    `${of('From JavaScript')}\nconsole.log((await answer.json()).length);`,
  );
  const program = await run('node', ['program.mjs'], { cwd: directory, env });
  expect(program).toEqual({ status: 0, stdout: expect.stringMatching(/^[1-9]\d*\n$/), stderr: '' });
  const script = ['set -e', of('Start, wait, stop'), of('curl and git'), 'echo walked'].join('\n');
  const walked = await run('/bin/bash', ['-c', script], { cwd: directory, env });
  expect(walked.status, walked.stderr).toBe(0);
  expect(walked.stdout).toMatch(/walked\n$/);
}

/** What the package does where Node is too old for it, if such a Node is on this machine. */
async function runOnOlderNode(directory: string): Promise<void> {
  const PATH = (process.env.PATH ?? '')
    .split(':')
    .filter((place) => !place.includes('node_modules'))
    .join(':');
  const env = { PATH, HOME: process.env.HOME, ...QUICKLY };
  const found = await run('node', ['--print', 'process.versions.node'], { cwd: directory, env });
  if (found.status !== 0 || Number.parseInt(found.stdout, 10) >= 24) return;
  const place = path.join(directory, 'node_modules/@gantry-server/gantry/bin/node');
  rmSync(path.join(place, 'node_modules'), { recursive: true, force: true });
  const without = await run('npx', ['gantry', '--version'], { cwd: directory, env });
  expect(without.status).toBe(1);
  const [, advice = '', advised = ''] =
    /or one for Gantry alone, .*: (npm ci --prefix "([^"]+)")/.exec(without.stderr) ?? [];
  expect(path.relative(realpathSync(place), advised)).toBe('');
  const installed = await run('npm', ['rebuild', '@gantry-server/gantry'], { cwd: directory, env });
  expect(installed.status, installed.stderr).toBe(0);
  const version = await run('npx', ['gantry', '--version'], { cwd: directory, env });
  expect(version).toMatchObject({ status: 0, stdout: `${packageVersion()}\n` });
  rmSync(path.join(place, 'node_modules'), { recursive: true });
  expect((await run('/bin/sh', ['-c', advice], { cwd: directory, env })).status).toBe(0);
  expect(await run('npx', ['gantry', '--version'], { cwd: directory, env })).toEqual(version);
}

/** Runs `examples/testing` as they are in a project that has the package, and checks the types that it exports. */
async function runExamples(directory: string): Promise<void> {
  const env = { ...process.env, ...QUICKLY };
  const tools = ['vitest@5', 'jest@30', `typescript@${devDependencies.typescript}`, '@types/node@24'];
  const installed = await run('npm', ['install', '--save-dev', ...tools], { cwd: directory, env });
  expect(installed.status, installed.stderr).toBe(0);
  for (const name of ['vitest.test.ts', 'jest.test.js'])
    copyFileSync(packagePath(path.join('examples/testing', name)), path.join(directory, name));
  const { PATH, HOME } = process.env;
  const cached = { PATH, HOME, NO_COLOR: '1', XDG_CACHE_HOME: path.join(directory, 'cache') };
  for (const command of ['vitest run vitest.test.ts', 'jest jest.test.js']) {
    const tested = await run('npx', command.split(' '), { cwd: directory, env: cached });
    expect(tested.status, tested.stdout + tested.stderr).toBe(0);
    expect(tested.stdout + tested.stderr).toMatch(/Tests:?\s+2 passed/);
  }

  writeFileSync(path.join(directory, 'wrong.ts'), WRONG);
  const check = (file: string, resolution: string[]) =>
    run('npx', ['tsc', '--noEmit', '--strict', '--skipLibCheck', ...resolution, file], { cwd: directory, env: cached });
  for (const resolution of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    const right = await check('vitest.test.ts', resolution);
    expect(right.status, right.stdout).toBe(0);
    const wrong = await check('wrong.ts', resolution);
    expect(wrong.stdout.match(/^wrong\.ts\(\d+/gm)).toEqual(['wrong.ts(3', 'wrong.ts(4']);
  }
}

/** Has a mistake in its third line, and one in its fourth. */
const WRONG = `import { startGantry } from '@gantry-server/gantry/testing';
export const right = async () => (await startGantry({ seed: true })).tokens.ada.length;
export const nobody = async () => (await startGantry()).tokens.ada;
export const mistyped = async () => startGantry({ seeded: true });
`;

test('another project can depend on the repository: npm builds the package then', { timeout: 1_800_000 }, async () => {
  const { directory, remove } = scratchDirectory();
  try {
    // What is in this directory, committed or not.
    const repository = path.join(directory, 'repository');
    const git = async (...args: string[]) => {
      const own = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
      const { status, stderr } = await run('git', [...own, `--git-dir=${repository}`, ...args], { cwd: packageRoot });
      expect(status, stderr).toBe(0);
    };
    await git('init', '--quiet');
    await git('--work-tree=.', 'add', '--all');
    await git('--work-tree=.', 'commit', '--quiet', '--message', 'All of it');
    const other = path.join(directory, 'other');
    otherProject(other);
    const env = { ...process.env, ...QUICKLY };
    const installed = await run('npm', ['install', `git+file://${repository}`], { cwd: other, env });
    expect(installed.status, installed.stderr).toBe(0);
    const version = await run('npx', ['gantry', '--version'], { cwd: other, env });
    expect(version).toMatchObject({ status: 0, stdout: `${packageVersion()}\n` });
  } finally {
    remove();
  }
});
