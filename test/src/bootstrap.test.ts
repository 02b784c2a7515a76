import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bootstrapAdministrator } from '#src/domain/users/bootstrap.ts';
import { banner } from '#src/platform/lifecycle/banner.ts';
import { credentialsFile, prepareCredentials } from '#src/platform/lifecycle/credentials.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const start = () =>
  bootstrapAdministrator(world.db, 'a secret', { password: 'long enough', privateToken: 'x'.repeat(20) });

it('The administrator of the first start comes once, and not back after a new name or a deletion', LONG, async () => {
  await world.user();
  expect(await start()).toBe(true);
  expect(await start()).toBe(false);
  const root = await world.db.user.findFirstOrThrow({ where: { username: 'root' } });
  const other = await world.user({ admin: true });
  expect(await world.api(other).put(`/users/${root.id}`, { username: 'boss' })).toMatchObject({ status: 200 });
  expect(await start()).toBe(false);
  expect(await world.api(other).delete(`/users/${root.id}`)).toMatchObject({ status: 200 });
  expect(await start()).toBe(false);
  expect(await world.db.user.count({ where: { admin: true } })).toBe(1);
});

describe('The credentials of the first administrator', () => {
  const directories: string[] = [];
  afterAll(() => {
    for (const directory of directories) rmSync(directory, { recursive: true });
  });
  const emptyDirectory = () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'gantry-credentials-'));
    directories.push(dataDir);
    return dataDir;
  };
  const greeting = (credentials: object, ephemeral = false) =>
    banner({
      version: '1',
      apiUrl: 'http://127.0.0.1:8080/api/v4',
      url: 'http://x',
      dataDir: 'd',
      database: 'p',
      credentials,
      credentialsFile: 'f',
      ephemeral,
    });

  it('are made where settings give none, kept in a file, and the same at the next try', () => {
    const dataDir = emptyDirectory();
    const { chosen, made } = prepareCredentials({ dataDir });
    expect(made).toEqual(chosen);
    expect(prepareCredentials({ dataDir })).toEqual({ chosen, made });
    const kept = readFileSync(credentialsFile(dataDir), 'utf8');
    for (const secret of Object.values(chosen)) {
      expect(secret).toMatch(/^[A-Za-z0-9]{20}$/);
      expect(kept).toContain(secret);
      expect(greeting(made)).toContain(secret);
    }
    expect(greeting(made)).toContain('They are kept in f');
    expect(greeting(made)).toContain(`export LOGIN=root TOKEN=${chosen.privateToken}\n`);
  });

  it('are neither printed nor written where settings give them, also beside ones that are made', () => {
    const given = { rootPassword: 'given password', rootToken: 'given-token-0123456789' };
    const dataDir = emptyDirectory();
    // An earlier start was interrupted.
    prepareCredentials({ dataDir });
    const one = prepareCredentials({ dataDir, rootPassword: given.rootPassword });
    expect(one.chosen.password).toBe(given.rootPassword);
    const kept = readFileSync(credentialsFile(dataDir), 'utf8');
    expect([kept.includes('password:'), kept.includes(one.chosen.privateToken)]).toEqual([false, true]);
    expect(greeting(one.made)).toContain('(as GANTRY_ROOT_PASSWORD says)');
    expect(greeting(one.made)).not.toContain(given.rootPassword);
    const both = prepareCredentials({ dataDir, ...given });
    expect(both).toEqual({ chosen: { password: given.rootPassword, privateToken: given.rootToken }, made: {} });
    expect(existsSync(credentialsFile(dataDir))).toBe(false);
    for (const secret of Object.values(given)) expect(greeting(both.made)).not.toContain(secret);
    expect(greeting(both.made)).not.toContain('They are kept');
  });
});

it('The block ends with lines for a shell, which read the token from its file once it is not printed any more', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "gantry-it's-"));
  const { chosen } = prepareCredentials({ dataDir });
  const file = credentialsFile(dataDir);
  const facts = { version: '1', url: 'http://x', apiUrl: 'http://[::1]:8080/api/v4', dataDir, database: 'p' };
  const printed = banner({ ...facts, credentialsFile: file, ephemeral: false });
  expect(printed).not.toContain(chosen.privateToken);
  const lines = printed.split('\n').filter((line) => /^ +export /.test(line));
  const script = `${lines.join('\n')}\necho "$API $LOGIN $TOKEN"`;
  const said = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(said).toBe(`http://[::1]:8080/api/v4 root ${chosen.privateToken}\n`);
  expect(printed.trimEnd().endsWith('Stop with Ctrl+C.')).toBe(true);
  rmSync(dataDir, { recursive: true });
});
