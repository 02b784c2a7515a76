// Each test takes long: the long run has them all.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ArchiveFormat, archive, hasBzip2 } from '#src/git/archive.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { ProgramReader } from '#src/git/program.ts';
import { updateRef } from '#src/git/refs/update.ts';
import { commitActions } from '../support/commit_actions.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { gitBytes, gitLines, scratch } from '../support/git_program.ts';

const formats: ArchiveFormat[] = ['tar', 'tar.gz', 'tar.bz2', 'zip'];
const readers = [
  { how: 'in process', open: (directory: string) => new IsomorphicReader(directory) },
  { how: 'with the git program', open: (directory: string) => new ProgramReader(directory) },
];

/** Unpacks with the programs of the system, and lists what came out: kind, permissions, time, content. */
function unpack(bytes: Buffer, format: string): string {
  const directory = scratch();
  const file = path.join(directory, `archive.${format}`);
  const out = path.join(directory, 'out');
  mkdirSync(out);
  writeFileSync(file, bytes);
  const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C' };
  if (format === 'zip') execFileSync('unzip', ['-q', file, '-d', out], { env });
  else execFileSync('tar', ['-xf', file, '-C', out], { env });
  const list = execFileSync('find', ['.', '-mindepth', '1', '-printf', '%y %m %T@ %l %p\n'], {
    cwd: out,
    env,
  }).toString('latin1');
  const sums = execFileSync('find', ['.', '-type', 'f', '-exec', 'sha1sum', '{}', '+'], { cwd: out, env }).toString(
    'latin1',
  );
  return [
    ...list.split('\n').map((line) => line.replace(/\.0+ /, ' ').replace(/^(l \d+) \S+/, '$1')),
    ...sums.split('\n'),
  ]
    .sort()
    .join('\n');
}

async function read(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Names in the fixture that are no UTF-8, as they are or with what replaces them. */
const NO_UTF8 = /\/(caf|d.{1,3}r)/;

/** The lines about names that are UTF-8: in process others are changed. */
function well(list: string): string[] {
  return list.split('\n').filter((line) => !NO_UTF8.test(line));
}

describe.each(readers)('Archives $how', ({ open, how }) => {
  it.each(formats)('as %s unpack to what git archive gives', async (format) => {
    if (format === 'tar.bz2') expect(await hasBzip2()).toBe(true);
    const directory = oddHistory({ packed: true });
    const reader = open(directory);
    const commit = (await reader.resolve('topic')) ?? '';
    const prefix = `project-${commit}`;
    const own = await read(await archive(reader, commit, { format, prefix }));
    // Unzip renames what is no UTF-8 in its own ways: both are compared as it leaves them.
    const kind = format === 'zip' ? 'zip' : 'tar';
    const expected = gitBytes(directory, ['archive', `--format=${kind}`, `--prefix=${prefix}/`, commit]);
    if (kind === 'zip') expect(zipList(own)).toEqual(zipList(expected));
    else if (how === 'with the git program') expect(unpack(own, format)).toBe(unpack(expected, kind));
    else expect(well(unpack(own, format))).toEqual(well(unpack(expected, kind)));
    if (format === 'tar' && how === 'with the git program')
      expect(gitBytes(directory, ['get-tar-commit-id'], own).toString().trim()).toBe(commit);
    await reader.close();
  });

  it('hold long names, deep directories and large files', async () => {
    const h = new HistoryBuilder();
    const large = Buffer.alloc(3_000_000, 'large content that compresses well\n');
    h.commit({
      branch: 'main',
      changes: [
        { path: 'n'.repeat(200), content: 'long name\n' },
        { path: `${'d'.repeat(90)}/${'e'.repeat(90)}/${'f'.repeat(90)}`, content: 'deep\n' },
        { path: `${'d'.repeat(120)}/x`, content: 'x'.repeat(120), mode: '120000' },
        { path: 'large', content: large },
        { path: 'empty', content: '' },
        { path: '100', content: 'x'.repeat(512) },
      ],
    });
    const directory = h.build();
    const reader = open(directory);
    const [commit = ''] = gitLines(directory, ['rev-parse', 'main']);
    for (const format of ['tar.gz', 'zip'] as const) {
      const own = await read(await archive(reader, commit, { format, prefix: 'p' }));
      const kind = format === 'zip' ? 'zip' : 'tar';
      const expected = gitBytes(directory, ['archive', `--format=${kind}`, '--prefix=p/', commit]);
      expect(unpack(own, format)).toBe(unpack(expected, kind));
    }
    await expect(archive(reader, 'f'.repeat(40), { format: 'tar', prefix: 'p' })).rejects.toThrow('There is no commit');
    await reader.close();
  });

  it('can be given up half way', async () => {
    const directory = oddHistory({ packed: true });
    const reader = open(directory);
    const stream = await archive(reader, (await reader.resolve('main')) ?? '', { format: 'tar.gz', prefix: 'p' });
    for await (const _ of stream) break;
    expect(stream.destroyed).toBe(true);
    await reader.close();
  });
});

/** What zipinfo tells: permissions, sizes, times and names. */
function zipList(bytes: Buffer): string[] {
  const file = path.join(scratch(), 'a.zip');
  writeFileSync(file, bytes);
  execFileSync('unzip', ['-tq', file]);
  const lines = execFileSync('zipinfo', ['-l', '-T', file]).toString('latin1').split('\n');
  // Names that are no UTF-8 are shown in another way for each system that an archive may be made on.
  const fields = lines.filter((line) => /^[-dl?]/.test(line) && !NO_UTF8.test(line)).map((line) => line.split(/\s+/));
  return fields
    .map(([mode, , , size, , , , time, ...name]) =>
      [`${mode?.[0]?.replace('?', '-')}${mode?.[3]}`, size, time, name.join(' ')].join(' '),
    )
    .sort();
}

describe('Large files', () => {
  it('are streamed with flat memory', async () => {
    const h = new HistoryBuilder();
    h.commit({ branch: 'main', changes: [{ path: 'a', content: 'a' }] });
    const directory = h.build();
    const reader = new IsomorphicReader(directory);
    const content = Buffer.alloc(100 * 1024 * 1024);
    for (let at = 0; at < content.length; at += 997) content[at] = at % 251;
    const parent = (await reader.resolve('main')) ?? '';
    const who = { name: 'x', email: 'x@example.com', seconds: 1, offset: 0 };
    const input = {
      parent,
      actions: [{ action: 'create' as const, path: 'large', content }],
      author: who,
      committer: who,
      message: 'm',
    };
    const to = await commitActions(reader, input);
    await updateRef(directory, 'refs/heads/main', { from: parent, to });
    const entry = await reader.entry(to, 'large');
    const before = process.memoryUsage().rss;
    let size = 0;
    let peak = 0;
    for await (const chunk of (await reader.blobStream(entry?.oid ?? ''))?.stream ?? []) {
      size += chunk.length;
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(size).toBe(content.length);
    // Whatever else the process does meanwhile: it is far from holding the file.
    expect(peak - before).toBeLessThan(70 * 1024 * 1024);
  });
});
