import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isUtf8Encoded, wrongUtf8In } from '#src/base/utf8.ts';
import { isCron, nextTime } from '#src/domain/ci/schedules/cron.ts';
import { BadXz, unpackXz } from '#src/domain/packages/archives/xz.ts';
import { readChangelogConfig } from '#src/domain/tracking/changelog/read_config.ts';
import { GitError } from '#src/git/base/errors.ts';
import { PackFile } from '#src/git/objects/pack_file.ts';

/* What the campaign `parsers` has found (docs/campaigns.md), each as a promise of the parser that was mended. */

const directory = mkdtempSync(path.join(tmpdir(), 'parser-finds-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('A schedule', () => {
  it('whose expression is the name of a property of objects is refused', () => {
    expect(['constructor', '__proto__', 'toString'].map(isCron)).toEqual([false, false, false]);
  });

  it('runs on days on which clocks go back by half an hour', () => {
    const next = nextTime('5 23 5 4 *', 'Australia/Lord_Howe', new Date('2026-01-01T00:00:00Z'));
    expect(next?.toISOString()).toBe('2026-04-05T12:35:00.000Z');
  });
});

describe('A URL', () => {
  it('with thousands of parameters that are not quite escaped is read without an error for each', () => {
    const before = process.cpuUsage();
    const url = `/?${'%&'.repeat(30_000)}%ff=b`;
    expect(wrongUtf8In(url)).toBe('The name of a parameter');
    const { user, system } = process.cpuUsage(before);
    // It took 1,500 ms.
    expect((user + system) / 1_000).toBeLessThan(700);
  });

  it.each([
    ['a%', true],
    ['%zz%41', true],
    ['%c3%a9', true],
    ['é%c3%a9', true],
    ['%c3', false],
    ['%ed%a0%80', false],
    ['%ff%', false],
  ])('%s is UTF-8: %s', (text, is) => expect(isUtf8Encoded(text)).toBe(is));
});

describe('The configuration of a changelog', () => {
  it('whose expression is too large to be used is refused as invalid', () => {
    const regex = `^v(?:${'x'.repeat(60_000)})+$`;
    const { fault } = readChangelogConfig(`tag_regex: '${regex}'\n`, ['v1.0.0']);
    expect(fault).toBe('tag_regex is an invalid regular expression');
  });
});

describe('An xz', () => {
  it.each([225, 44])('that says %i of how it is packed is damaged', (properties) => {
    const stream = Buffer.from('fd377a585a0000016922de3602002101160000007 42fe5a3'.replace(' ', ''), 'hex');
    // A chunk of LZMA2 that sets its properties, which are no such.
    const chunk = Buffer.from([0xe0, 0, 0, 0, 5, properties, 0, 0, 0, 0, 0, 0, 0]);
    expect(() => unpackXz(Buffer.concat([stream, chunk]), 1024)).toThrow(BadXz);
  });
});

describe('A pack', () => {
  const oid = '01'.repeat(20);

  /** A pack with this body, and an index that says that one object begins there. */
  function packWith(body: Buffer, offset: number, fanOut: (byte: number) => number = () => 1): string {
    const file = path.join(directory, `p${Math.random()}`);
    const head = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
    const table = Buffer.alloc(1024);
    for (let byte = 0; byte < 256; byte++) table.writeUInt32BE(byte === 0 ? 0 : fanOut(byte), byte * 4);
    const place = Buffer.alloc(4);
    place.writeUInt32BE(offset);
    const rest = [Buffer.from(oid, 'hex'), Buffer.alloc(4), place, Buffer.alloc(40)];
    writeFileSync(`${file}.idx`, Buffer.concat([head, table, ...rest]));
    writeFileSync(`${file}.pack`, Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x01'), body]));
    return file;
  }

  it('with a difference to what is before its beginning is damaged', () => {
    // A difference to 300 bytes before.
    const opened = new PackFile(packWith(Buffer.from([0x65, 0x81, 0x2c, 0x78, 0x9c, 3, 0, 0, 0, 0, 1]), 12), 1024);
    expect(() => opened.read(oid)).toThrow(GitError);
    opened.close();
  });

  it('whose index says that an object begins beyond any file is damaged', () => {
    const opened = new PackFile(packWith(Buffer.alloc(20), 0xffffffff), 1024);
    expect(() => opened.read(oid)).toThrow(GitError);
    opened.close();
  });

  it('whose index does not count upwards is not opened', () => {
    const file = packWith(Buffer.alloc(20), 12, (byte) => (byte === 7 ? 900 : 1));
    expect(() => new PackFile(file, 1024)).toThrow(GitError);
  });
});
