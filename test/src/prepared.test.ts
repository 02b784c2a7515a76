import {
  chmodSync,
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
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { copyPrepared } from '#src/platform/lifecycle/prepared.ts';

let base: string;
let made = 0;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'gantry-cache-'));
  vi.stubEnv('XDG_CACHE_HOME', base);
  made = 0;
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

const cache = () => path.join(base, 'gantry-prepared');
const kept = () => readdirSync(cache()).filter((name) => !name.endsWith('.lock'));

async function make(directory: string): Promise<void> {
  made += 1;
  mkdirSync(path.join(directory, 'postgres'));
  mkdirSync(path.join(directory, 'run'));
  writeFileSync(path.join(directory, 'postgres', 'PG_VERSION'), '18');
  writeFileSync(path.join(directory, 'run', 'of_the_maker'), '');
}

async function copy(name: string, maker = make): Promise<string> {
  const target = path.join(base, name);
  mkdirSync(target);
  expect(await copyPrepared(target, { content: 'empty', make: maker, log })).toBe(true);
  return target;
}

test('is made once, and each server has a copy of its own, without what was its maker’s', async () => {
  const [one, other] = [await copy('one'), await copy('other')];
  expect(made).toBe(1);
  writeFileSync(path.join(one, 'postgres', 'PG_VERSION'), 'changed');
  for (const directory of [other, await copy('third')])
    expect(readFileSync(path.join(directory, 'postgres', 'PG_VERSION'), 'utf8')).toBe('18');
  expect(existsSync(path.join(other, 'run'))).toBe(false);
});

test('nothing half-made is used', async () => {
  const broken = async (directory: string) => {
    await make(directory);
    throw new Error('The disk is full');
  };
  await expect(copy('one', broken)).rejects.toThrow('The disk is full');
  const copied = await copy('two');
  expect([made, readdirSync(path.join(copied, 'postgres'))]).toEqual([2, ['PG_VERSION']]);
  expect(kept()).toHaveLength(1);
});

test('one from which files were removed is made anew', async () => {
  await copy('one');
  rmSync(path.join(cache(), kept()[0] ?? '', 'postgres', 'PG_VERSION'));
  const copied = await copy('two');
  expect(made).toBe(2);
  expect(existsSync(path.join(copied, 'postgres', 'PG_VERSION'))).toBe(true);
});

test('those of other builds are removed once nobody has used them for two weeks', async () => {
  mkdirSync(cache(), { mode: 0o700 });
  for (const name of ['seeded-0a', 'seeded-0b', 'foreign']) mkdirSync(path.join(cache(), name));
  const old = new Date(Date.now() - 15 * 24 * 60 * 60_000);
  for (const name of ['seeded-0a', 'foreign']) utimesSync(path.join(cache(), name), old, old);
  await copy('one');
  expect(kept().sort()).toEqual([expect.stringMatching(/^empty-/), 'foreign', 'seeded-0b']);
});

test.runIf(process.platform !== 'win32')('a place to which others can write is not used', async () => {
  mkdirSync(cache());
  chmodSync(cache(), 0o777);
  const target = path.join(base, 'one');
  mkdirSync(target);
  expect(await copyPrepared(target, { content: 'empty', make, log })).toBe(false);
  expect([made, readdirSync(cache())]).toEqual([0, []]);
});
