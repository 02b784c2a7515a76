import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { limited } from '#src/platform/limits/limited.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

const pieces = () => Readable.from([Buffer.from('ab'), Buffer.from('cd'), Buffer.from('ef')], { objectMode: false });
const refusal = () => new Error('too long');

/** A stream that gives a little and then waits, as one whose sender does. */
function waiting(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('ab');
  return stream;
}

const WAYS = {
  'readAtMost, which reads a stream whole': (stream: Readable) => readAtMost(stream, 100, refusal),
  'limited, which hands a stream on': (stream: Readable) => buffer(limited(stream, 100, refusal)),
};

describe.each(Object.entries(WAYS))('%s', (_name, read) => {
  it('gives all of it', async () => {
    expect(String(await read(pieces()))).toBe('abcdef');
    expect((await read(Readable.from([]))).length).toBe(0);
  });

  it('gives nothing of one that has ended', async () => {
    const stream = pieces();
    await buffer(stream);
    expect((await read(stream)).length).toBe(0);
  });

  it('fails where it is cut off, also before anybody reads it', async () => {
    const stream = waiting();
    const reading = read(stream);
    const failed = expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
    await setImmediate();
    stream.destroy();
    await failed;
    await expect(read(stream)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('fails as it does', async () => {
    const stream = waiting();
    const failed = expect(read(stream)).rejects.toThrow('broken');
    stream.destroy(new Error('broken'));
    await failed;
  });
});

it('readAtMost leaves a stream open that is too long, for the rest to be read or not', async () => {
  const stream = pieces();
  await expect(readAtMost(stream, 3, refusal)).rejects.toThrow('too long');
  expect([stream.destroyed, stream.isPaused()]).toEqual([false, true]);
  expect(String(await buffer(stream))).toBe('ef');
  expect(String(await readAtMost(pieces(), 6, refusal))).toBe('abcdef');
});

it('what limited gives can be destroyed, and the stream stays', async () => {
  const stream = waiting();
  const copy = limited(stream, 100, refusal);
  for await (const piece of copy) {
    expect(String(piece)).toBe('ab');
    break;
  }
  expect([copy.destroyed, stream.destroyed]).toEqual([true, false]);
  stream.push('cd');
  stream.push(null);
  expect(String(await buffer(stream))).toBe('cd');
});

it('limited fails with the refusal at the first byte too many, and the stream stays', async () => {
  const stream = pieces();
  await expect(buffer(limited(stream, 3, refusal))).rejects.toThrow('too long');
  expect(stream.destroyed).toBe(false);
  stream.destroy(new Error('later'));
  expect(String(await buffer(limited(pieces(), 6, refusal)))).toBe('abcdef');
});

it('limited tells whoever comes to read it that the stream has failed meanwhile, and nobody else', async () => {
  const stream = waiting();
  const copy = limited(stream, 100, refusal);
  stream.destroy(new Error('broken'));
  // An error that nobody hears would end the process.
  await new Promise((resolve) => stream.once('close', resolve));
  await setImmediate();
  await expect(buffer(copy)).rejects.toThrow('broken');
});
