import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import {
  findZipEntry,
  listZipFolder,
  openZipEntry,
  UnreadableZip,
  type ZipSource,
} from '#src/domain/ci/artifacts/zip.ts';
import { ContentTooLarge } from '#src/platform/errors.ts';
import { LONG } from '../support/long.ts';
import { zip } from '../support/zip.ts';

/** An archive in memory that counts what is read of it. */
function sourceOf(bytes: Buffer): ZipSource & { read: number } {
  const source = {
    size: bytes.length,
    read: 0,
    async part({ start, end }: { start: number; end: number }) {
      source.read += end - start + 1;
      return Readable.from([bytes.subarray(start, end + 1)], { objectMode: false });
    },
  };
  return source;
}

async function contentOf(bytes: Buffer, path: string): Promise<Buffer | null> {
  const source = sourceOf(bytes);
  const entry = await findZipEntry(source, path);
  return entry && buffer(await openZipEntry(source, entry));
}

/** Changes the first place where these bytes are. */
function patched(bytes: Buffer, signature: string, offset: number, value: number[]): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(Buffer.from(signature, 'latin1'));
  expect(at).toBeGreaterThanOrEqual(0);
  Buffer.from(value).copy(copy, at + offset);
  return copy;
}

const CENTRAL = 'PK\x01\x02';

describe('A file in a zip archive', () => {
  const large = randomBytes(500_000);

  it('is found by its exact path among others, and unpacked', async () => {
    const bytes = await zip({ 'a/b.txt': 'text', 'a/b.txt.bak': 'backup', 'ü 1': 'ünï', large, empty: '' });
    expect((await contentOf(bytes, 'a/b.txt'))?.toString()).toBe('text');
    expect((await contentOf(bytes, 'ü 1'))?.toString()).toBe('ünï');
    expect((await contentOf(bytes, 'large'))?.equals(large)).toBe(true);
    expect((await contentOf(bytes, 'empty'))?.length).toBe(0);
    for (const path of ['b.txt', 'a', 'a/', 'A/b.txt', '']) expect(await contentOf(bytes, path)).toBeNull();
  });

  it('is read without the files before it', async () => {
    const source = sourceOf(await zip({ large, small: 'text' }));
    const entry = await findZipEntry(source, 'small');
    if (!entry) throw new Error('not found');
    expect((await buffer(await openZipEntry(source, entry))).toString()).toBe('text');
    expect(source.read).toBeLessThan(80_000);
  });

  it('is the last of several with one path, whatever the comment at the end', async () => {
    const archive = new ZipFile();
    archive.addBuffer(Buffer.from('first'), 'a', { compress: false });
    archive.addBuffer(Buffer.from('second'), 'a', { compress: false });
    archive.end({ forceZip64Format: false, comment: 'an archive' });
    expect((await contentOf(await buffer(archive.outputStream), 'a'))?.toString()).toBe('second');
  });

  it('is found in archives with 64-bit sizes', async () => {
    const archive = new ZipFile();
    archive.addBuffer(Buffer.from('one'), 'one');
    archive.addReadStream(Readable.from([Buffer.from('two')]), 'two', { forceZip64Format: true });
    archive.end({ forceZip64Format: true, comment: '' });
    const bytes = await buffer(archive.outputStream);
    expect((await contentOf(bytes, 'two'))?.toString()).toBe('two');
    expect((await contentOf(bytes, 'one'))?.toString()).toBe('one');
  });

  it('is listed with its size, also one that needs 64 bits', async () => {
    const archive = new ZipFile();
    archive.addReadStream(Readable.from([Buffer.from('three')]), 'folder/three', { forceZip64Format: true });
    archive.addBuffer(Buffer.from('one'), 'one');
    archive.end({ forceZip64Format: true, comment: '' });
    const source = sourceOf(await buffer(archive.outputStream));
    expect(await listZipFolder(source, '')).toEqual([
      { name: 'folder', isFolder: true, size: 5 },
      { name: 'one', isFolder: false, size: 3 },
    ]);
    expect(await listZipFolder(source, 'folder')).toEqual([{ name: 'three', isFolder: false, size: 5 }]);
  });

  it('is no link', async () => {
    const archive = new ZipFile();
    archive.addBuffer(Buffer.from('/etc/passwd'), 'link', { mode: 0o120777 });
    archive.addBuffer(Buffer.from('text'), 'file', { mode: 0o100644 });
    archive.end();
    const bytes = await buffer(archive.outputStream);
    expect(await contentOf(bytes, 'link')).toBeNull();
    expect((await contentOf(bytes, 'file'))?.toString()).toBe('text');
  });

  it('ends with an error where it is larger than the archive says, instead of unpacking all of it', LONG, async () => {
    const bytes = await zip({ bomb: Buffer.alloc(50_000_000) });
    expect(bytes.length).toBeLessThan(100_000);
    const lying = patched(bytes, CENTRAL, 24, [100, 0, 0, 0]);
    const source = sourceOf(lying);
    const entry = await findZipEntry(source, 'bomb');
    if (!entry) throw new Error('not found');
    let passed = 0;
    const reading = (async () => {
      for await (const chunk of await openZipEntry(source, entry)) passed += (chunk as Buffer).length;
    })();
    await expect(reading).rejects.toThrow(UnreadableZip);
    expect(passed).toBeLessThanOrEqual(100);
  });

  it('is not unpacked where it, or the list of files, is too large', async () => {
    const archive = new ZipFile();
    archive.addReadStream(Readable.from([Buffer.from('a')]), 'a', { forceZip64Format: true });
    archive.end({ forceZip64Format: true, comment: '' });
    const bytes = await buffer(archive.outputStream);
    const central = bytes.indexOf(Buffer.from(CENTRAL, 'latin1'));
    const extra = bytes.indexOf(Buffer.from([1, 0]), central + 46 + 1);
    const large = Buffer.from(bytes);
    large.writeBigUInt64LE(2n ** 34n, extra + 4);
    await expect(contentOf(large, 'a')).rejects.toThrow(ContentTooLarge);
    const long = Buffer.from(bytes);
    long.writeBigUInt64LE(2n ** 40n, long.indexOf(Buffer.from('PK\x06\x06', 'latin1')) + 40);
    await expect(contentOf(long, 'a')).rejects.toThrow(ContentTooLarge);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no archive', randomBytes(10_000)],
    ['an archive without its end', 'cut'],
    ['one whose content is changed', 'content'],
    ['one that is encrypted', 'encrypted'],
    ['one with an unknown compression', 'method'],
    ['one whose header is elsewhere', 'offset'],
  ])('is refused from %s', async (_what, given) => {
    const bytes = await zip({ a: 'some text that is compressed, some text that is compressed' });
    const made: Record<string, () => Buffer> = {
      cut: () => bytes.subarray(0, bytes.length - 30),
      content: () => patched(bytes, 'PK\x03\x04', 33, [0xff, 0xff, 0xff]),
      encrypted: () => patched(bytes, CENTRAL, 8, [1]),
      method: () => patched(bytes, CENTRAL, 10, [12]),
      offset: () => patched(bytes, CENTRAL, 42, [3]),
    };
    const archive = typeof given === 'string' ? made[given]?.() : given;
    await expect(contentOf(archive ?? bytes, 'a')).rejects.toThrow();
  });
});
