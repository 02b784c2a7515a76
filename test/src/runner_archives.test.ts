import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { writeArchive } from '#src/entrances/runner/archive.ts';
import { collect } from '#src/entrances/runner/collect.ts';
import { BadPattern, fits, parsePattern } from '#src/entrances/runner/globs.ts';
import { BadArchive, unpack } from '#src/entrances/runner/unpack.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { zip } from '../support/zip.ts';

/** A directory with files, and links by their targets. */
function directoryWith(files: Record<string, string>, links: Record<string, string> = {}): string {
  const directory = path.join(scratch(), 'project');
  mkdirSync(directory);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), content);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(directory, name));
  return directory;
}

async function collected(directory: string, ...patterns: string[]) {
  const said: string[] = [];
  const files = await collect(directory, patterns, (line) => said.push(line));
  return { names: files.map(({ name }) => name).sort(), said };
}

const TREE = {
  'a.txt': 'a',
  'b.log': 'b',
  'out/c.txt': 'c',
  'out/deep/er/d.txt': 'd',
  '.git/config': 'x',
  '.hidden/e': 'e',
};

describe('Paths of artifacts', () => {
  it.each([
    ['a.txt', ['a.txt']],
    ['./a.txt', ['a.txt']],
    ['*.txt', ['a.txt']],
    ['out', ['out/c.txt', 'out/deep/er/d.txt']],
    ['out/', ['out/c.txt', 'out/deep/er/d.txt']],
    ['out/*.txt', ['out/c.txt']],
    ['**/*.txt', ['a.txt', 'out/c.txt', 'out/deep/er/d.txt']],
    ['out/**/d.txt', ['out/deep/er/d.txt']],
    ['out/**', ['out/c.txt', 'out/deep/er/d.txt']],
    ['?.l[o-p]g', ['b.log']],
    ['[!a].*', ['b.log']],
    ['.hidden', ['.hidden/e']],
    ['.', ['.hidden/e', 'a.txt', 'b.log', 'out/c.txt', 'out/deep/er/d.txt']],
  ])('%s names %j', async (pattern, names) => {
    expect(await collected(directoryWith(TREE), pattern)).toEqual({ names, said: [] });
  });

  it.each(['../a.txt', 'out/../../a.txt', '/etc/passwd', '/etc/*', 'x'.repeat(2_000), '.git', 'none'])(
    '%.20s names nothing, and that is said',
    async (pattern) => {
      const { names, said } = await collected(directoryWith(TREE), pattern);
      expect([names, said.some((line) => line.startsWith('WARNING: '))]).toEqual([[], true]);
    },
  );

  it('may begin with the directory of the project', async () => {
    const directory = directoryWith(TREE);
    expect((await collected(directory, `${directory}/out/*.txt`)).names).toEqual(['out/c.txt']);
    expect(() => parsePattern(`${directory}2/a`, directory)).toThrow(BadPattern);
  });

  it('follow links within the directory alone', async () => {
    const outside = path.join(directoryWith({ secret: 'secret' }), 'secret');
    const directory = directoryWith(TREE, {
      inside: 'a.txt',
      outside,
      passwd: '/etc/passwd',
      directory: path.dirname(outside),
      dangling: 'nowhere',
      loop: 'loop',
    });
    const { names, said } = await collected(directory, '**', 'directory/secret');
    expect(names).toEqual(['.hidden/e', 'a.txt', 'b.log', 'inside', 'out/c.txt', 'out/deep/er/d.txt']);
    for (const name of ['outside', 'passwd', 'directory']) {
      expect(said).toContain(`WARNING: ${name} leads out of the directory of the project, and is left out.`);
    }
  });

  it('are matched in a time that grows with them, whatever they are', () => {
    expect(fits(`${'a*'.repeat(200)}b`, 'a'.repeat(255))).toBe(false);
    expect(fits(`${'*a'.repeat(100)}*`, 'a'.repeat(255))).toBe(true);
  });
});

/** An archive whose entries have names that yazl would refuse, by putting others of the same length in their place. */
async function renamed(archive: Promise<Buffer>, from: string, to: string): Promise<Buffer> {
  const text = (await archive).toString('latin1');
  expect(from.length).toBe(to.length);
  return Buffer.from(text.replaceAll(from, to), 'latin1');
}

async function unpacked(archive: Buffer, directory = directoryWith({}), limits?: { bytes: number; entries: number }) {
  const file = path.join(scratch(), 'archive.zip');
  writeFileSync(file, archive);
  const said: string[] = [];
  await unpack(file, directory, (line) => said.push(line), limits);
  return { directory, said, names: (readdirSync(directory, { recursive: true }) as string[]).sort() };
}

describe('Archives', () => {
  it('come out as they went in, with the permission to run', async () => {
    const directory = directoryWith({ ...TREE, 'run.sh': '#!/bin/sh' });
    const { chmodSync } = await import('node:fs');
    chmodSync(path.join(directory, 'run.sh'), 0o755);
    const archive = path.join(scratch(), 'a.zip');
    const files = await collect(directory, ['.'], () => undefined);
    expect(await writeArchive(directory, files, archive)).toBe(statSync(archive).size);
    const there = await unpacked(readFileSync(archive));
    expect(readFileSync(path.join(there.directory, 'out/deep/er/d.txt'), 'utf8')).toBe('d');
    expect(statSync(path.join(there.directory, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(there.names).not.toContain('.git');
  });

  it.each(['../escaped.txt', '/tmp/escaped.tx', '..\\escaped.txt', 'a/../../b.txt..'])(
    'with the name %s are refused, and nothing comes out',
    async (name) => {
      const archive = await renamed(zip({ ['x'.repeat(name.length)]: 'evil' }), 'x'.repeat(name.length), name);
      const directory = directoryWith({});
      await expect(unpacked(archive, directory)).rejects.toThrow(BadArchive);
      expect(readdirSync(path.dirname(directory))).toEqual(['project']);
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it('replace links that are in the way, and follow none', async () => {
    const outside = directoryWith({ victim: 'untouched' });
    const directory = directoryWith({}, { out: outside, 'app.txt': path.join(outside, 'victim') });
    await unpacked(await zip({ 'out/victim': 'evil', 'app.txt': 'new' }), directory);
    expect(readFileSync(path.join(outside, 'victim'), 'utf8')).toBe('untouched');
    expect(readFileSync(path.join(directory, 'out/victim'), 'utf8')).toBe('evil');
    expect(readFileSync(path.join(directory, 'app.txt'), 'utf8')).toBe('new');
  });

  it('leave out links and devices, and what belongs to git', async () => {
    const archive = new ZipFile();
    archive.addBuffer(Buffer.from('/etc/passwd'), 'link', { mode: 0o120777 });
    archive.addBuffer(Buffer.from(''), 'device', { mode: 0o020666 });
    archive.addBuffer(Buffer.from('[core] fsmonitor = evil'), '.git/config');
    archive.addBuffer(Buffer.from('good'), 'good');
    archive.end();
    const { buffer } = await import('node:stream/consumers');
    const { names, said } = await unpacked(await buffer(archive.outputStream));
    expect([names, said.length]).toEqual([['good'], 3]);
  });

  it('that unpack to more than is allowed are refused', LONG, async () => {
    const bomb = await zip({ a: Buffer.alloc(5_000_000), b: Buffer.alloc(5_000_000) });
    expect(bomb.length).toBeLessThan(50_000);
    await expect(unpacked(bomb, undefined, { bytes: 9_000_000, entries: 10 })).rejects.toThrow(
      /more than 9000000 bytes/,
    );
    await expect(unpacked(bomb, undefined, { bytes: 1e9, entries: 1 })).rejects.toThrow(/more than 1 entries/);
    // An entry that says that it is small gives no more than that.
    const text = bomb.toString('latin1').replaceAll('\x40\x4b\x4c\x00', '\x10\x00\x00\x00');
    const liar = Buffer.from(text, 'latin1');
    expect(liar.equals(bomb)).toBe(false);
    await expect(unpacked(liar, undefined, { bytes: 9_000_000, entries: 10 })).rejects.toThrow(BadArchive);
  });

  it.each([
    ['empty', ''],
    ['no archive', 'text that is no archive'],
    ['cut', null],
  ])('that are %s are refused', async (_what, content) => {
    const whole = await zip({ a: 'x'.repeat(1_000), b: 'y' });
    await expect(
      unpacked(content === null ? whole.subarray(0, whole.length / 2) : Buffer.from(content)),
    ).rejects.toThrow(BadArchive);
  });
});
