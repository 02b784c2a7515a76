import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { blocksOf, commandsOf, inlineCommands, type Shown, walk } from '../support/documentation.ts';
import {
  followServer,
  printed,
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
const env = settings(at('data'), { GANTRY_SSH_PORT: '0', PATH: `${at('bin')}:${process.env.PATH}` });
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

  it('the first tour goes as it is written, and git over SSH', async () => {
    const tour = commandsOf('README.md', 'A first tour');
    await follow(tour);
    const [clone = ''] = inlineCommands('README.md').filter((command) => command.startsWith('git clone ssh:'));
    const [greet = ''] = inlineCommands('docs/operating.md').filter((command) => command.startsWith('ssh -T'));
    const outputs = await follow(
      shell(
        `ssh-keygen -q -t ed25519 -N '' -f '${at('key')}'`,
        `export API=${server.url}/api/v4 TOKEN=${token}`,
        `curl -H "PRIVATE-TOKEN: $TOKEN" --data-urlencode "key@${at('key.pub')}" -d title=Own $API/user/keys`,
        `${clone} over-ssh`,
        greet.replace('2222 git@host', `${new URL(ssh).port} git@127.0.0.1`),
      ),
    );
    expect(outputs.at(-1)).toContain('root');
  });
});

describe('docs/oauth.md', { timeout: TIMEOUT }, () => {
  it('registers an application, which gets a token for itself', async () => {
    const [register, ...more] = commandsOf('docs/oauth.md', 'Register an application');
    // The examples are run by test/oauth/examples.test.ts, with a browser.
    expect(more.map(({ command }) => command.replace(/.* /, ''))).toEqual(['install', 'web.js', 'device.js']);
    const keep = { command: `${register?.command} | tee registered`, answer: register?.answer ?? null };
    const field = (name: string) => `$(sed -E 's/.*"${name}":"([^"]*)".*/\\1/' registered)`;
    await follow([
      ...shell(`export API=${server.url}/api/v4 TOKEN=${token}`),
      keep,
      ...shell(`export CLIENT_ID="${field('application_id')}" CLIENT_SECRET="${field('secret')}"`),
      ...commandsOf('docs/oauth.md', 'Client credentials'),
      ...commandsOf('docs/oauth.md', 'Clients that register themselves'),
    ]);
  });
});

describe('docs/cli.md', { timeout: TIMEOUT }, () => {
  it('has commands that do their work as their usage says', async () => {
    const usages = blocksOf('docs/cli.md').map(({ text }) => /^Usage: (gantry .+)$/m.exec(text)?.[1] ?? '');
    expect(usages.length).toBeGreaterThan(22);
    const own = usages.filter((usage) => !Object.keys(ELSEWHERE).some((name) => usage.startsWith(`gantry ${name}`)));
    expect(own.length).toBeGreaterThan(14);
    const outputs = await follow(shell(...own.map(filled)));
    expect(outputs.join('')).toContain('glpat-');
  });
});

/** What is run by other tests, as it takes a server of its own, or ends when it is told to. */
const ELSEWHERE: Record<string, string> = {
  serve: 'by all tests here',
  work: 'test/system/work.test.ts',
  'jobs retry': 'test/system/jobs.test.ts',
  restore: 'below, with its document',
  upgrade: 'test/system/upgrade.test.ts',
  'user disable-two-factor': 'test/system/accounts.test.ts',
  runner: 'below, with its document',
};

/** A usage as a command: without what may be left out, and with values in the place of NAMES. */
function filled(usage: string): string {
  const values: Record<string, string> = {
    '"FULL NAME"': '"Kim Reader"',
    '--username NAME': '--username kim',
    ADDRESS: 'kim@example.org',
    '--user USERNAME': '--user kim',
    SCOPES: 'read_api',
    '--id NUMBER': '--id "$(gantry token list --user kim | grep -oE \'^ *[0-9]+\' | head -1)"',
    'gantry seed': 'gantry seed --beside',
    'FILE|-': `'${at('backups', 'usage.gantry')}'`,
    'verify FILE': `verify '${at('backups', 'usage.gantry')}'`,
  };
  let needed = usage;
  while (/\[[^[\]]*\]/.test(needed)) needed = needed.replaceAll(/ ?\[[^[\]]*\]/g, '');
  return Object.entries(values).reduce((text, [name, value]) => text.replace(name, value), needed);
}

describe('docs/backup.md', { timeout: TIMEOUT }, () => {
  const restoring = (text: string) =>
    text.replace(/^gantry restore/, `GANTRY_DATA="$(mktemp -d '${at('restored')}-XXXX')" gantry restore`);
  const sections = (...names: string[]) => names.flatMap((name) => commandsOf('docs/backup.md', name));

  it('backs up, verifies, restores and looks inside as it is written', async () => {
    const commands = [
      ...sections('Backup and restore'),
      ...shell('gantry backup monday.gantry'),
      ...sections('Only what is new').flatMap((shown) =>
        shown.command.includes('/archive/') ? [...shell('mv monday.gantry /archive/monday.gantry'), shown] : [shown],
      ),
      ...shell('mv /archive/monday.gantry monday.gantry'),
      ...sections('Verify'),
      ...sections('The format'),
    ];
    const outputs = await follow(commands, (text) => restoring(text.replace('FILE', 'tuesday.gantry')));
    expect(outputs.at(-2)).toContain('backup.json');
    expect(outputs.at(-1)).toContain('root');
  });

  it('backs up every night, and to another place, as it is written', async () => {
    const [cron] = blocksOf('docs/backup.md').filter(({ text }) => text.startsWith('# /etc/cron.d/'));
    const lines = (cron?.text ?? '').split('\n').filter((line) => /^[\d*]/.test(line));
    expect(lines).toHaveLength(4);
    const commands = lines.map((line) => {
      const [, command = ''] = /^(?:[\d*,-]+ ){4}[\d*,-]+\s+gantry\s+(.+)$/.exec(line) ?? [];
      return command.replaceAll('\\%', '%');
    });
    await follow(shell(...commands));
    expect(readdirSync(at('backups')).filter((name) => /^(week|day)-[\d-]+\.gantry$/.test(name))).toHaveLength(2);
    await follow(commandsOf('docs/backup.md', 'Every night'), (text) => text.replace('age1…', 'age1'));
    expect(readdirSync(at('work')).filter((name) => /^gantry-[\d-]+\.age$/.test(name))).toHaveLength(1);
    expect(readdirSync(at('offsite'))).toHaveLength(1);
  });
});

describe('docs/operating.md', { timeout: TIMEOUT }, () => {
  it('lets Prometheus in as it is configured there, with the token that it says', async () => {
    const [create = ''] = inlineCommands('docs/operating.md').filter((command) =>
      command.startsWith('gantry token create'),
    );
    const [printed = ''] = await follow(shell(create));
    const [yaml] = blocksOf('docs/operating.md').filter(({ language }) => language === 'yaml');
    const [job] = parseYaml(yaml?.text ?? '').scrape_configs;
    const headers = { authorization: `Bearer ${/glpat-\w+/.exec(printed)?.[0]}` };
    const answer = await fetch(server.url + job.metrics_path, { headers });
    expect(await answer.text()).toContain('gantry_database_up 1');
    expect((await fetch(server.url + job.metrics_path)).status).toBe(404);
  });

  it('shows what gantry fsck prints, whose advice helps', async () => {
    const { id, path_with_namespace: name } = await api('POST', '/projects', { name: 'website' });
    const file = { branch: 'master', content: 'x', commit_message: 'Add a file' };
    await api('POST', `/projects/${id}/repository/files/x`, file);
    const folder = `repositories/${id.toString(16).padStart(2, '0')}/${id}.git`;
    await api('POST', `/projects/${id}/repository/branches`, { branch: 'topic', ref: 'master' });
    await api('POST', `/projects/${id}/repository/files/y`, { ...file, branch: 'topic' });
    const { commit } = await api('GET', `/projects/${id}/repository/branches/topic`);
    const objects = at('data', folder, 'objects');
    for (const name of readdirSync(path.join(objects, 'pack')).filter((one) => one.endsWith('.pack'))) {
      const pack = readFileSync(path.join(objects, 'pack', name));
      for (const ending of ['pack', 'idx', 'rev']) {
        rmSync(path.join(objects, 'pack', name.replace(/pack$/, ending)), { force: true });
      }
      execFileSync('git', [`--git-dir=${at('data', folder)}`, 'unpack-objects', '-q'], { input: pack });
    }
    rmSync(path.join(objects, commit.id.slice(0, 2), commit.id.slice(2)));
    const [shown] = commandsOf('docs/operating.md', 'Checking repositories');
    const fill = (text: string) =>
      text
        .replace(/^gantry fsck$/, 'gantry fsck || [ $? = 1 ]')
        .replaceAll('acme/website', name)
        .replaceAll('/srv/gantry/repositories/05/5.git', at('data', folder))
        .replace('1f0c…', '…')
        .replace('240 projects', '… project…');
    const [output = ''] = await follow(shown ? [shown] : [], fill);
    const [advice = ''] = /git --git-dir=.*$/m.exec(output) ?? [];
    // What was deleted so is recorded at the next start.
    const [, after] = await follow(shell(advice, 'gantry fsck || [ $? = 1 ]'));
    expect(after).not.toContain('is missing');
  });

  it('shows what gantry doctor prints', async () => {
    const [block] = blocksOf('docs/operating.md').filter(({ text }) => text.startsWith('OK    settings'));
    const [output = ''] = await follow(shell('gantry doctor || [ $? = 1 ]'));
    const shapes = (text: string) =>
      text
        .split('\n')
        .flatMap((line) => /^(?:OK|WARN|FAIL) +(\w+) +(.*)$/.exec(line)?.slice(1).join(' ') ?? [])
        .map((line) => line.replaceAll(/[\d.]+/g, '0').replaceAll(/\/\S+/g, '/…'));
    const own = shapes(output);
    expect(own.length).toBeGreaterThan(10);
    const said = shapes(block?.text ?? '').filter((line) => !line.startsWith('database'));
    expect(own).toEqual(expect.arrayContaining(said));
  });
});

describe('docs/runners.md', { timeout: TIMEOUT }, () => {
  const commands = [
    ...commandsOf('docs/runners.md', 'Register a runner'),
    ...commandsOf('docs/runners.md', 'A runner of our own: gantry runner'),
  ].map(({ command }) => command);

  it('registers runners that run the first job of a newcomer, and removes one', async () => {
    const { id, runners_token: registration } = await api('POST', '/projects', { name: 'first job' });
    const content = 'test:\n  script:\n    - echo it runs\n';
    await api('POST', `/projects/${id}/repository/files/.gitlab-ci.yml`, {
      branch: 'master',
      content,
      commit_message: 'Add a job',
    });
    const [curl = '', register = '', work = '', unregister = '', ...more] = commands;
    expect(more).toEqual([]);
    const fill = (text: string) =>
      text
        .replace('token TOKEN', `token ${registration}`)
        .replace('--url https://gantry.example', `--url ${server.url}`);
    await follow(shell(`export REGISTRATION_TOKEN=${registration}`, curl, register), fill);
    const registered = await api('GET', `/projects/${id}/runners`);
    expect(registered).toHaveLength(2);
    for (const runner of registered)
      expect(await api('GET', `/runners/${runner.id}`)).toMatchObject({ run_untagged: true });
    const runner = spawn('/bin/bash', ['-c', `exec ${work}`], { cwd: at('work'), env });
    await until(async () => {
      const [job] = await api('GET', `/projects/${id}/jobs`);
      return job?.status === 'success' ? true : undefined;
    });
    runner.kill('SIGTERM');
    await until(() => runner.exitCode ?? runner.signalCode ?? undefined);
    await follow(shell(unregister));
    expect(await api('GET', `/projects/${id}/runners`)).toHaveLength(1);
  });
});
