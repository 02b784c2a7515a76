import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import {
  blocksOf,
  commandsOf,
  documents,
  inlineCommands,
  readDocument,
  type Shown,
  walk,
} from '../support/documentation.ts';
import {
  followServer,
  printed,
  run,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

/*
 * What README.md, CONTRIBUTING.md and docs/ tell people to run, run as it is written: against a server of its own, with the
 * programs on PATH that a machine of theirs would have. test/src/documentation.test.ts says which test runs what else they show.
 */
const TIMEOUT = 600_000;
const scratch = scratchDirectory();
const at = (...names: string[]) => path.join(scratch.directory, ...names);
const { GANTRY_SSH_PORT: _none, ...env } = settings(at('data'), { PATH: `${at('bin')}:${process.env.PATH}` });
let server: ServerProcess;
let token: string;
let ssh: string;

beforeAll(async () => {
  for (const name of ['bin', 'work', 'backups', 'offsite', 'archive']) mkdirSync(at(name));
  const gantry = `exec '${process.execPath}' '${packagePath('bin/gantry.js')}' "$@"`;
  const key = `-i '${at('key')}' -o StrictHostKeyChecking=no -o UserKnownHostsFile='${at('hosts')}'`;
  program('gantry', gantry);
  program('ssh', `case "$1" in backup@*) exec sh -c "$2" ;; esac\nexec /usr/bin/ssh ${key} "$@"`);
  // Stands for a program that encrypts.
  program('age', 'exec cat');
  server = await startServer(env);
  token = printed(server.output(), 'Private token') ?? '';
  ssh = printed(server.output(), 'SSH') ?? '';
}, TIMEOUT);
afterAll(async () => {
  await server.end('SIGTERM');
  scratch.remove();
});

function program(name: string, text: string): void {
  writeFileSync(at('bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

/** Runs commands in a directory of the reader, with addresses and directories of the documents replaced by those of the test. */
function follow(commands: readonly Shown[], fill: (text: string) => string = (text) => text): Promise<string[]> {
  return walk(commands, { directory: at('work'), env, fill: (text) => placed(fill(text)) });
}

function placed(text: string): string {
  return text
    .replaceAll('127.0.0.1:8080', new URL(server.url).host)
    .replaceAll('https://gantry.example/', `${server.url}/`)
    .replaceAll('ssh://git@127.0.0.1:2222', ssh)
    .replaceAll('TOKEN=…', `TOKEN=${token}`)
    .replaceAll('/var/backups/gantry', at('backups'))
    .replaceAll('/mnt/offsite', at('offsite'))
    .replaceAll('/archive/', `${at('archive')}/`)
    .replaceAll('/srv/gantry', at('work'));
}

const shell = (...commands: string[]): Shown[] => commands.map((command) => ({ command, answer: null }));

async function api(method: string, route: string, body?: object) {
  const answer = await fetch(`${server.url}/api/v4${route}`, {
    method,
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.ok, `${method} ${route}: ${answer.status}`).toBe(true);
  return answer.json();
}

describe('README.md', { timeout: TIMEOUT }, () => {
  it.each([
    ['README.md', 'Start', 'npm start'],
    ['CONTRIBUTING.md', 'Set up', 'npm run dev'],
  ])('%s, %s: `%s` starts a server', async (file, section, command) => {
    expect(
      commandsOf(file, section)
        .map((shown) => shown.command.replace(/ +#.*/, ''))
        .join(' && '),
    ).toBe(`npm ci && ${command}`);
    const own = { ...env, GANTRY_DATA: at(`data of ${command}`), GANTRY_SSH_PORT: 'none' };
    const started = await followServer(
      spawn('/bin/bash', ['-c', command], { cwd: packageRoot, env: own, detached: true }),
    );
    expect((await fetch(`${started.url}/-/liveness`)).status).toBe(200);
    expect(started.output()).toMatch(/export API=\S+\n +export LOGIN=root TOKEN=\w+\n/);
    // As Ctrl+C does.
    process.kill(-(started.child.pid ?? 0), 'SIGINT');
    await until(() =>
      fetch(`${started.url}/-/liveness`).then(
        () => undefined,
        () => true,
      ),
    );
    await until(() => started.child.exitCode ?? started.child.signalCode ?? undefined);
  });

  it('the first tour goes as it is written, with git over SSH and OAuth', async () => {
    await follow(shell(`ssh-keygen -q -t ed25519 -N '' -f '${at('key')}'`));
    const own = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const query =
      'mutation ($input: CreateApplicationInput!) { createApplication(input: $input) { application { clientId } secret } }';
    expect(query).toBeTruthy();
    const all = commandsOf('README.md', 'A first tour');
    const tour = all.filter(({ command }) => !/oauth|Bearer/.test(command));
    expect(all.length - tour.length).toBe(2);
    await follow(tour);
    void own;
    const [clone = ''] = inlineCommands('README.md').filter((command) => command.startsWith('git clone ssh:'));
    const key = `curl -H "PRIVATE-TOKEN: $TOKEN" --data-urlencode "key@${at('key.pub')}" -d title=Own $API/user/keys`;
    await follow([...shell(`export API=${server.url}/api/v4 TOKEN=${token}`, key), ...shell(`${clone} over-ssh`)]);
    const [greet = ''] = inlineCommands('docs/operating.md').filter((command) => command.startsWith('ssh -T'));
    const [greeting] = await follow(shell(greet), (text) =>
      text.replace('2222 git@host', `${new URL(ssh).port} git@127.0.0.1`),
    );
    expect(greeting).toContain('root');
  });
});
