import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FileTooLarge, SpooledFile } from '#src/platform/limits/spooled_file.ts';
import { scratch } from '../support/git_program.ts';

/** A directory for temporary files with none in it. */
function emptyDirectory(): string {
  const directory = scratch();
  vi.stubEnv('TMPDIR', directory);
  return directory;
}

afterEach(() => vi.unstubAllEnvs());

describe('A file that came with a request', () => {
  it('has no name in the temporary directory, so that nothing is left of it when the server is killed', async () => {
    const directory = emptyDirectory();
    await using file = await SpooledFile.from('a.txt', Readable.from([Buffer.from('some '), Buffer.from('text')]), 100);
    expect(readdirSync(directory)).toEqual([]);
    expect([file.name, file.size]).toEqual(['a.txt', 9]);
    expect((await buffer(file.stream())).toString()).toBe('some text');
  });

  it('can be read by several at a time, from its start', async () => {
    emptyDirectory();
    const bytes = Buffer.alloc(1_000_000, 'abc');
    await using file = await SpooledFile.from('big', Readable.from([bytes]), bytes.length);
    const read = await Promise.all([buffer(file.stream()), buffer(file.stream())]);
    expect(read.every((content) => content.equals(bytes))).toBe(true);
  });

  it('is gone when it is larger than it may be', async () => {
    const directory = emptyDirectory();
    const endless = Readable.from([Buffer.alloc(60), Buffer.alloc(60)]);
    await expect(SpooledFile.from('big', endless, 100)).rejects.toThrow(FileTooLarge);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is let go of although somebody has not read it to its end', async () => {
    emptyDirectory();
    const file = await SpooledFile.from('big', Readable.from([Buffer.alloc(1_000_000)]), 1_000_000);
    const [begun, untouched] = [file.stream(), file.stream()];
    await once(begun, 'readable');
    begun.read(1);
    await file[Symbol.asyncDispose]();
    await expect(buffer(untouched)).rejects.toThrow();
  });
});
