// One part in depth, which the long run has.
// @module-tag long
import { afterAll, describe, expect, it } from 'vitest';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { FileSearch, MessageSearch } from '#src/git/base/search.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { ProgramReader } from '#src/git/program.ts';
import { matchesPath } from '#src/git/search/pattern.ts';
import { emptyRepository, git } from '../support/git_program.ts';

const directory = emptyRepository('file');
const numbered = (count: number, at: number, word: string) =>
  Array.from({ length: count }, (_, n) => (n + 1 === at ? `here is the ${word}\n` : `line ${n + 1}\n`)).join('');
const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:needle\nsize 6\n';

const FILES: Record<string, string> = {
  'README.md': numbered(9, 5, 'Needle') + numbered(3, 2, 'needle'),
  'a/-- odd.TXT': 'NEEDLE in the first line\n--\nthird',
  'a/b/deep.ts': 'nothing here\nno line break: needle',
  'binary.bin': 'needle\0needle\n',
  'empty-needle.txt': '',
  'names/needle.ts': 'first\nsecond\nthird\nfourth\nfifth\n',
  'names/line\nbreak.txt': 'a needle\n',
  'pointer.png': pointer,
  'star*[x].txt': 'star\n',
  'starry.txt': 'star\n',
};
const MESSAGES = ['Begin with a Needle', 'Nothing\n\nThe needle is below', 'Nothing at all', 'Last needle'];

const file = ([path, content]: [string, string]) =>
  `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
const commits = MESSAGES.map((message, n) => {
  const who = `committer A <a@example.com> ${1_700_000_000 + n} +0000`;
  const files = n === 0 ? Object.entries(FILES).map(file).join('') : file(['count.txt', `${n}\n`]);
  return `commit refs/heads/main\n${who}\ndata ${Buffer.byteLength(message)}\n${message}\n${files}`;
});
const link = 'M 120000 inline link\ndata 6\nneedle\n';
git(directory, ['fast-import', '--quiet'], `${commits.join('')}${link}`);
const commit = git(directory, ['rev-parse', 'main']).trim();
const history = git(directory, ['rev-list', 'main']).trim().split('\n');

const readers: [string, RepositoryReader][] = [
  ['in process', new IsomorphicReader(directory)],
  ['with the git program', new ProgramReader(directory)],
];
afterAll(() => Promise.all(readers.map(([, reader]) => reader.close())));

describe.each(readers)('Searching %s', (_, reader) => {
  const find = (search: Partial<FileSearch>) =>
    reader.searchFiles({ commit, text: 'needle', paths: [], most: 100, milliseconds: 60_000, ...search });
  const paths = async (search: Partial<FileSearch>) => (await find(search)).hits.map(({ path }) => path);
  const messages = (search: Partial<MessageSearch>) =>
    reader.searchMessages({ start: commit, text: 'needle', most: 100, milliseconds: 60_000, ...search });

  it('finds the first line with a text in any case, with the lines around, but not in binary files, links and pointers', async () => {
    const { hits, isWhole } = await find({});
    expect(isWhole).toBe(true);
    expect(hits).toEqual([
      {
        path: 'README.md',
        startLine: 2,
        data: 'line 2\nline 3\nline 4\nhere is the Needle\nline 6\nline 7\nline 8\n',
      },
      { path: 'a/-- odd.TXT', startLine: 1, data: 'NEEDLE in the first line\n--\nthird\n' },
      { path: 'a/b/deep.ts', startLine: 1, data: 'nothing here\nno line break: needle\n' },
      { path: 'names/line\nbreak.txt', startLine: 1, data: 'a needle\n' },
    ]);
  });

  it('takes a text as it is, not as a pattern, and finds none across lines', async () => {
    expect(await paths({ text: 'n.edle' })).toEqual([]);
    expect(await paths({ text: '--' })).toEqual(['a/-- odd.TXT']);
    expect(await paths({ text: 'first\nsecond' })).toEqual([]);
  });

  it('finds files by their paths, with their first lines', async () => {
    const { hits } = await find({ text: '', paths: [['', 'NEEDLE', '']] });
    expect(hits).toEqual([{ path: 'names/needle.ts', startLine: 1, data: 'first\nsecond\nthird\nfourth\n' }]);
  });

  it('finds what matches all patterns of the path, whose other characters mean themselves', async () => {
    expect(await paths({ paths: [['', '.TS']] })).toEqual(['a/b/deep.ts']);
    expect(
      await paths({
        paths: [
          ['A/', ''],
          ['', 'Deep', ''],
        ],
      }),
    ).toEqual(['a/b/deep.ts']);
    expect(
      await paths({
        paths: [
          ['A/', ''],
          ['', '.txt'],
        ],
      }),
    ).toEqual(['a/-- odd.TXT']);
    expect(await paths({ text: 'star', paths: [['star*[x', '']] })).toEqual(['star*[x].txt']);
    expect(await paths({ text: 'star', paths: [['star', '.txt']] })).toEqual(['star*[x].txt', 'starry.txt']);
  });

  it('says that there is more than it was to find', async () => {
    const { hits, isWhole } = await find({ most: 2 });
    expect([hits.length, isWhole]).toEqual([2, false]);
    expect(await find({ most: 4 })).toMatchObject({ isWhole: true });
  });

  it('ends when its time is over, and says so', async () => {
    expect(await find({ milliseconds: -1 })).toEqual({ hits: [], isWhole: false });
  });

  it('finds commits by a text in their messages, newest first', async () => {
    const [last, , second, first] = history;
    expect(await messages({})).toEqual({ commits: [last, second, first], isWhole: true });
    expect(await messages({ start: second })).toEqual({ commits: [second, first], isWhole: true });
    expect(await messages({ most: 1 })).toEqual({ commits: [last], isWhole: false });
    expect(await messages({ text: 'n.edle' })).toEqual({ commits: [], isWhole: true });
    expect(await messages({ text: 'Nothing\n\nThe' })).toEqual({ commits: [], isWhole: true });
  });
});

it('A pattern for paths is matched in the order of its parts, without overlaps', () => {
  expect(matchesPath('a/b.ts', ['a/b.ts'])).toBe(true);
  expect(matchesPath('a/b.ts', ['a/b'])).toBe(false);
  expect(matchesPath('aba', ['ab', 'ba'])).toBe(false);
  expect(matchesPath('abba', ['ab', 'ba'])).toBe(true);
  expect(matchesPath('xayb', ['', 'b', 'a', ''])).toBe(false);
  expect(matchesPath('xayb', ['', 'A', 'B', ''])).toBe(true);
});
