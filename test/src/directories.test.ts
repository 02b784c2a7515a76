import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDirectories } from '#src/git/write/make_directories.ts';
import { makeDataDirectory, requireDirectories } from '#src/platform/database/directories.ts';

let base: string;

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'gantry-directories-'));
});

afterEach(() => {
  chmodSync(base, 0o700);
  rmSync(base, { recursive: true });
});

const configOf = (dataDir: string) => ({
  dataDir,
  storages: { default: path.join(dataDir, 'repositories') },
  uploads: { directory: path.join(dataDir, 'uploads') },
});
const inProc = existsSync('/proc/self');

describe('the directories of the settings', () => {
  test('are looked at and not made', () => {
    requireDirectories(configOf(path.join(base, 'a', 'b')));
    expect(readdirSync(base)).toEqual([]);
  });

  test('a file in the way is told by the setting', () => {
    writeFileSync(path.join(base, 'file'), '');
    for (const place of ['file', 'file/data', 'file/deeper/data']) {
      const dataDir = path.join(base, place);
      const message = `The directory ${dataDir} cannot be used: it is a file, or below one. Set GANTRY_DATA to another directory.`;
      expect(() => requireDirectories(configOf(dataDir))).toThrow(message);
      expect(() => makeDataDirectory(dataDir)).toThrow(message);
    }
  });

  test.runIf(inProc)('places where nobody can make files are told, and searched no longer', async () => {
    for (const dataDir of ['/proc/gantry', '/proc/gantry/deeper/data']) {
      expect(() => requireDirectories(configOf(dataDir))).toThrow(/cannot be used: .* Set GANTRY_DATA/);
      expect(() => makeDataDirectory(dataDir)).toThrow(/cannot be used: .* Set GANTRY_DATA/);
      await expect(makeDirectories(dataDir)).rejects.toThrow('ENOENT');
    }
  });

  test.runIf(process.getuid?.() !== 0)('a directory of others is told', () => {
    chmodSync(base, 0o500);
    expect(() => requireDirectories(configOf(path.join(base, 'data')))).toThrow('this account may not write there');
  });

  test('too little room for a new database is told, but not to a server that has run', () => {
    const dataDir = path.join(base, 'data');
    const message = /cannot be used: .* are free there, and a new database needs .*GANTRY_DATA/;
    expect(() => requireDirectories(configOf(dataDir), Number.MAX_SAFE_INTEGER)).toThrow(message);
    makeDataDirectory(path.join(dataDir, 'postgres'));
    requireDirectories(configOf(dataDir), Number.MAX_SAFE_INTEGER);
  });

  test('a storage elsewhere is told by its own setting at the first start, and left to readiness later', () => {
    writeFileSync(path.join(base, 'file'), '');
    const dataDir = path.join(base, 'data');
    const config = { ...configOf(dataDir), storages: { default: path.join(base, 'file') } };
    expect(() => requireDirectories(config)).toThrow('Set GANTRY_STORAGES to another directory');
    const uploads = { ...configOf(dataDir), uploads: { directory: path.join(base, 'file', 'uploads') } };
    expect(() => requireDirectories(uploads)).toThrow('Set GANTRY_UPLOADS to another directory');
    makeDataDirectory(path.join(dataDir, 'postgres'));
    requireDirectories(config);
  });

  test('are made with those above them', async () => {
    const dataDir = path.join(base, 'a', 'b', 'c');
    makeDataDirectory(dataDir);
    makeDataDirectory(dataDir);
    await makeDirectories(path.join(dataDir, 'd', 'e'));
    await makeDirectories(path.join(dataDir, 'd', 'e'));
    expect(existsSync(path.join(dataDir, 'd', 'e'))).toBe(true);
  });
});
