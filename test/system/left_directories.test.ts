import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { scratchDirectory, settings, startServer, until } from '../support/server_process.ts';

test('A server removes the temporary files of one that was killed, and nobody else’s', {
  timeout: 120_000,
}, async () => {
  const scratch = scratchDirectory();
  const temporary = path.join(scratch.directory, 'tmp');
  mkdirSync(temporary);
  const env = settings(path.join(scratch.directory, 'data'), { TMPDIR: temporary });
  const left = () => readdirSync(temporary).filter((name) => /^gantry-(spawner|import)-/.test(name));
  const killed = await startServer(env);
  const [spawner = ''] = await until(() => (left().length > 0 ? left() : undefined));
  const [, , host, pid] = spawner.split('-');
  expect(pid).toBe(String(killed.child.pid));
  // What the killed one was unpacking; what a process unpacks that runs, or one of another machine; and what is no work of Gantry.
  const names = [
    `gantry-import-${host}-${pid}-abcdef`,
    `gantry-import-${host}-${process.pid}-abcdef`,
    `gantry-import-01234567-${pid}-abcdef`,
    `gantry-import-${pid}`,
  ];
  for (const name of names) {
    mkdirSync(path.join(temporary, name));
    writeFileSync(path.join(temporary, name, 'project.json'), '{}');
  }
  await killed.end('SIGKILL');
  const next = await startServer(env);
  try {
    const kept = names.slice(1).sort();
    const expected = () =>
      left()
        .filter((name) => name.startsWith('gantry-import-'))
        .sort();
    await until(() => expected().length === kept.length || undefined);
    expect(expected()).toEqual(kept);
    expect(left()).not.toContain(spawner);
    expect(left().filter((name) => name.startsWith('gantry-spawner-'))).toEqual([
      expect.stringContaining(`-${next.child.pid}-`),
    ]);
  } finally {
    await next.end('SIGTERM');
    scratch.remove();
  }
});
