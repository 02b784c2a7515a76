// One part in depth, which the long run has.
// @module-tag long
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { loadConfig } from '#src/platform/config/config.ts';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { blocksOf } from '../support/documentation.ts';
import { run } from '../support/server_process.ts';

/* What docs/install.md has people copy: the files of deploy/. */
const directory = mkdtempSync(path.join(tmpdir(), 'gantry-deploy-'));
afterAll(() => rmSync(directory, { recursive: true }));
const at = (...names: string[]) => path.join(directory, ...names);
const read = (name: string) => readFileSync(packagePath(`deploy/${name}`), 'utf8');
const env = { PATH: `${process.env.PATH}:/usr/sbin` };

/** Skips the test, and says so, where the machine does not have the program. */
async function need(program: string, { skip }: TestContext): Promise<void> {
  const { status } = await run('/bin/sh', ['-c', `command -v ${program}`], { env });
  if (status !== 0) skip(`${program} is not installed here`);
}

describe('The files that docs/install.md installs', () => {
  it('are there', () => {
    const named = blocksOf('docs/install.md').flatMap(({ text }) => text.match(/\bdeploy\/[\w./-]+/g) ?? []);
    expect(named.length).toBeGreaterThan(6);
    for (const name of named) expect(existsSync(packagePath(name)), name).toBe(true);
  });

  it('are units that systemd accepts, and a service that is well shut in', async (context) => {
    await need('systemd-analyze', context);
    mkdirSync(at('units'));
    const units = ['gantry.service', 'gantry-backup.service', 'gantry-backup.timer'];
    for (const unit of units)
      writeFileSync(at('units', unit), read(`systemd/${unit}`).replaceAll('/opt/gantry', packageRoot));
    const verified = await run('systemd-analyze', ['verify', '--man=no', ...units.map((unit) => at('units', unit))], {
      env,
    });
    expect(verified).toEqual({ status: 0, stdout: '', stderr: '' });
    // 10 is without any protection.
    const security = ['security', '--offline=yes', '--threshold=25', at('units', 'gantry.service')];
    const shut = await run('systemd-analyze', security, { env });
    expect(shut.status, shut.stdout).toBe(0);
  });

  it('are settings that there are', () => {
    const parsed = loadConfig(settingsOf(read('systemd/gantry.env')), directory);
    expect(parsed).toMatchObject({ warnings: [], externalUrl: 'https://git.example.com', trustProxy: 'loopback' });
    expect(parsed.mail?.from).toBe('Gantry <gantry@example.com>');
  });

  it('are a configuration that nginx accepts', async (context) => {
    await need('nginx', context);
    await need('openssl', context);
    const key = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=git.example.com', '-days', '2'];
    execFileSync('openssl', [...key, '-keyout', at('key.pem'), '-out', at('cert.pem')], { stdio: 'ignore' });
    const own = read('nginx/gantry.conf')
      .replace('/etc/letsencrypt/live/git.example.com/fullchain.pem', at('cert.pem'))
      .replace('/etc/letsencrypt/live/git.example.com/privkey.pem', at('key.pem'))
      .replace('/var/log/nginx/gantry.log', at('access.log'))
      // Which ports and families of addresses there are is no matter of the file.
      .replaceAll(/^ *listen \[::\].*\n/gm, '')
      .replaceAll(/listen (80|443)\b/g, (_all, port) => `listen unix:${at(`${port}.sock`)}`);
    const whole = `pid ${at('pid')};\nerror_log stderr;\nevents {}\nhttp {\n${own}\n}\n`;
    writeFileSync(at('nginx.conf'), whole);
    const tested = await run('nginx', ['-t', '-e', 'stderr', '-p', directory, '-c', at('nginx.conf')], { env });
    expect(tested.status, tested.stderr).toBe(0);
    expect(tested.stderr).not.toContain('[warn]');
  });

  it('are a configuration that Caddy accepts', async (context) => {
    await need('caddy', context);
    const home = { ...env, HOME: directory };
    const args = ['--adapter', 'caddyfile', '--config', packagePath('deploy/caddy/Caddyfile')];
    const validated = await run('caddy', ['validate', ...args], { env: home });
    expect(validated.status, validated.stderr).toBe(0);
  });
});

describe('The backups of each night', () => {
  /** Runs the script with a stand-in for the program that writes down what it is told, and the files. */
  async function night(): Promise<string[]> {
    const program = `#!/bin/sh\necho "$*" >> '${at('calls')}'\n[ "$2" = verify ] || echo backup > "$2"\n`;
    writeFileSync(at('gantry'), program, { mode: 0o755 });
    rmSync(at('calls'), { force: true });
    const script = packagePath('deploy/systemd/backup.sh');
    const done = await run('/bin/sh', [script, at('backups')], { env: { ...env, GANTRY_COMMAND: at('gantry') } });
    expect(done).toEqual({ status: 0, stdout: '', stderr: '' });
    return readFileSync(at('calls'), 'utf8')
      .replaceAll(`${at('backups')}/`, '')
      .replaceAll(/[\d-]+\./g, '….')
      .trim()
      .split('\n');
  }

  it('are full ones each week, build on those on other days, and go after eight weeks', async () => {
    mkdirSync(at('backups'));
    const old = (name: string, days: number) => {
      writeFileSync(at('backups', name), 'old');
      const then = Date.now() / 1000 - days * 24 * 3600;
      utimesSync(at('backups', name), then, then);
    };
    old('day-2020-01-01.gantry', 58);
    old('week-2020-01.gantry', 65);
    old('week-2020-02.gantry', 58);
    old('notes.txt', 400);
    expect(await night()).toEqual(['backup week….gantry', 'backup verify week….gantry']);
    expect(await night()).toEqual(['backup day….gantry --since week….gantry --force', 'backup verify day….gantry']);
    const left = readdirSync(at('backups'));
    expect(left.filter((name) => name.includes('2020'))).toEqual(['week-2020-02.gantry']);
    expect(left).toContain('notes.txt');
    expect(left).toHaveLength(4);
  });
});

/** The variables of a file as systemd reads it. */
function settingsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1).replace(/^"(.*)"$/, '$1'),
    ]),
  );
}
