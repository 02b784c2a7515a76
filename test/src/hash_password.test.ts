import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hashPassword, verifyPassword } from '#src/access/sign_in/hash_password.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';
import { hashAsServed } from '../support/password_cost.ts';

hashAsServed();

describe('Hashing passwords', () => {
  it('lets files be read meanwhile: it is not done where these are read', LONG, async () => {
    let done = 0;
    // More than that pool has threads.
    const hashes = Array.from({ length: 12 }, async (_, n) => {
      await verifyPassword('wrong', undefined, `192.0.2.${n}`);
      done += 1;
    });
    await readFile(packagePath('package.json'));
    expect(done).toBeLessThan(6);
    await Promise.all(hashes);
  });

  it('knows the password again, whatever characters it has, and no other', LONG, async () => {
    const stored = await hashPassword('pässword 🔑', null);
    expect(stored).toMatch(/^scrypt\$32768\$8\$1\$/);
    expect(await verifyPassword('pässword 🔑', stored, null)).toBe(true);
    expect(await verifyPassword('password 🔑', stored, null)).toBe(false);
    expect(await verifyPassword('', undefined, null)).toBe(false);
    const long = await hashPassword('x'.repeat(1024), null);
    expect(await verifyPassword(`${'x'.repeat(1024)}y`, long, null)).toBe(false);
  });

  it('does not keep a process alive that has nothing else to do', async () => {
    const script = `const { hashPassword } = await import(${JSON.stringify(path.join(import.meta.dirname, '../../src/access/sign_in/hash_password.ts'))});
      console.log((await hashPassword('some password', null)).slice(0, 17));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: path.join(import.meta.dirname, '../..'),
      timeout: 20_000,
    });
    expect(stdout).toBe('scrypt$32768$8$1$\n');
  }, 30_000);
});
