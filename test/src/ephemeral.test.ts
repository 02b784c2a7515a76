import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataDirectory } from '#src/platform/database/lock.ts';
import { clearLeftovers, markEphemeral } from '#src/platform/lifecycle/ephemeral.ts';

let base: string;
const warnings: string[] = [];
const log = { info: () => undefined, warn: (text: string) => warnings.push(text), error: () => undefined };

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'gantry-leftovers-'));
  warnings.length = 0;
});

afterEach(() => rmSync(base, { recursive: true }));

/** A directory as an ephemeral server has it. */
function directory(name: string): string {
  const made = path.join(base, name);
  mkdirSync(path.join(made, 'repositories'), { recursive: true });
  markEphemeral(made);
  return made;
}

test('the directory of an ephemeral server that was killed is removed', async () => {
  const left = directory('gantry-ephemeral-abc');
  await clearLeftovers(base, log);
  expect(existsSync(left)).toBe(false);
  expect(warnings).toEqual([]);
});

test('the directory of one that lives is left alone', async () => {
  const living = directory('gantry-ephemeral-abc');
  const lock = lockDataDirectory(living, 'gantry serve');
  await clearLeftovers(base, log);
  expect(existsSync(path.join(living, 'repositories'))).toBe(true);
  lock.release();
  await clearLeftovers(base, log);
  expect(existsSync(living)).toBe(false);
});

test('directories without the marker, of other names, or of other accounts are left alone', async () => {
  const unmarked = path.join(base, 'gantry-ephemeral-one');
  mkdirSync(unmarked);
  const kept = [unmarked, directory('gantry-two')];
  if (process.getuid?.() === 0) {
    const foreign = directory('gantry-ephemeral-three');
    chownSync(foreign, 65534, 65534);
    const marked = directory('gantry-ephemeral-four');
    chownSync(path.join(marked, 'ephemeral'), 65534, 65534);
    kept.push(foreign, marked);
  }
  await clearLeftovers(base, log);
  for (const place of kept) expect(existsSync(place), place).toBe(true);
});

test('links are not followed', async () => {
  const target = directory('elsewhere');
  symlinkSync(target, path.join(base, 'gantry-ephemeral-link'));
  const left = directory('gantry-ephemeral-abc');
  symlinkSync(target, path.join(left, 'repositories', 'link'));
  const noMarker = path.join(base, 'gantry-ephemeral-marker');
  mkdirSync(noMarker);
  writeFileSync(path.join(base, 'file'), '');
  symlinkSync(path.join(base, 'file'), path.join(noMarker, 'ephemeral'));
  await clearLeftovers(base, log);
  expect(existsSync(path.join(target, 'repositories'))).toBe(true);
  expect([existsSync(left), existsSync(noMarker)]).toEqual([false, true]);
});
