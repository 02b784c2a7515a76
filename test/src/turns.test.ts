import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Busy, RateLimited } from '#src/errors.ts';
import { packagePath } from '#src/package-root.ts';
import { type TurnLimits, Turns } from '#src/turns.ts';
import { HASHING, hashPassword, verifyPassword } from '#src/users/hash_password.ts';

/** A queue, and work for it that ends when the test says so. */
function queue(limits: Partial<TurnLimits> = {}) {
  const turns = new Turns({ atOnce: 2, waiting: 20, share: 10, patience: 10_000, ...limits });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (party: string, name = party) =>
    turns.take(party, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    await new Promise(setImmediate);
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { take, begun, end };
}

describe('Work that takes turns', () => {
  it('runs so many pieces at a time, and of each party one', async () => {
    const { take, begun, end } = queue();
    const all = [take('a', 'a1'), take('a', 'a2'), take('b', 'b1'), take('c', 'c1')];
    await new Promise(setImmediate);
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('c1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
    await end('a2');
    await Promise.all(all);
  });

  it('of who comes later is not held up by who has much to do', async () => {
    const { take, begun, end } = queue({ atOnce: 1 });
    const all = ['a1', 'a2', 'a3'].map((name) => take('a', name));
    all.push(take('b', 'b1'));
    for (const name of ['a1', 'b1', 'a2', 'a3']) {
      await new Promise(setImmediate);
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
    await Promise.all(all);
  });

  it('is refused when too much of one party waits, and when too much waits in all', async () => {
    const { take, end } = queue({ atOnce: 1, waiting: 3, share: 2 });
    const kept = [take('a', 'a1'), take('a', 'a2'), take('a', 'a3')];
    await expect(take('a', 'a4')).rejects.toThrow(RateLimited);
    kept.push(take('b', 'b1'));
    const refused = await take('c', 'c1').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Busy);
    expect((refused as Busy).extensions).toEqual({ code: 'BUSY', retryAfter: 1 });
    for (const name of ['a1', 'b1', 'a2', 'a3']) await end(name);
    await Promise.all(kept);
    kept.push(take('c', 'c1'));
    await end('c1');
    await Promise.all(kept);
  });

  it('is refused when its turn does not come in time, and what fails makes room for the next', async () => {
    const { take, begun, end } = queue({ atOnce: 1, patience: 50 });
    const first = take('a');
    await expect(take('b')).rejects.toThrow(Busy);
    await end('a');
    await first;
    const turns = new Turns({ atOnce: 1, waiting: 1, share: 1, patience: 1000 });
    await expect(turns.take('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.take('a', async () => 'yes')).toBe('yes');
    expect(begun).toEqual(['a']);
  });
});

describe('Hashing passwords', () => {
  it('lets files be read meanwhile: it is not done where these are read', async () => {
    let done = 0;
    const addresses = Array.from({ length: HASHING.waiting }, (_, n) => `192.0.2.${n}`);
    const hashes = addresses.map(async (address) => {
      await verifyPassword('wrong', undefined, address);
      done += 1;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let n = 0; n < 5; n += 1) await readFile(packagePath('package.json'));
    expect(done).toBeLessThan(addresses.length / 2);
    await Promise.all(hashes);
  }, 30_000);

  it('knows the password again, whatever characters it has, and no other', async () => {
    const stored = await hashPassword('pässword 🔑', null);
    expect(stored).toMatch(/^scrypt\$32768\$8\$1\$/);
    expect(await verifyPassword('pässword 🔑', stored, null)).toBe(true);
    expect(await verifyPassword('password 🔑', stored, null)).toBe(false);
    expect(await verifyPassword('', undefined, null)).toBe(false);
    const long = await hashPassword('x'.repeat(1024), null);
    expect(await verifyPassword(`${'x'.repeat(1024)}y`, long, null)).toBe(false);
  });

  it('does not keep a process alive that has nothing else to do', async () => {
    const script = `const { hashPassword } = await import(${JSON.stringify(path.join(import.meta.dirname, '../../src/users/hash_password.ts'))});
      console.log((await hashPassword('some password', null)).slice(0, 7));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: path.join(import.meta.dirname, '../..'),
      timeout: 20_000,
    });
    expect(stdout).toBe('scrypt$\n');
  }, 30_000);
});
