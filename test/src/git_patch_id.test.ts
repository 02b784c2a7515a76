// One part in depth, which the long run has.
// @module-tag long
import { afterAll, describe, expect, it } from 'vitest';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { ProgramReader } from '#src/git/program.ts';
import { emptyRepository, git } from '../support/git_program.ts';

const directory = emptyRepository('file');
const text = (count: number, at: number, word: string) =>
  Array.from({ length: count }, (_, n) => (n === at ? `${word}\n` : `line ${n}\n`)).join('');
const file = (name: string, content: string) =>
  `M 100644 inline ${name}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
const STATES = [
  [file('a.txt', text(40, 20, 'old')), file('b.bin', 'one\0'), file('c.txt', text(40, 3, 'c'))],
  [file('a.txt', text(40, 20, 'new')), file('b.bin', 'two\0'), 'R c.txt d.txt\n'],
  [file('large.txt', 'A line that makes it large\n'.repeat(200_000))],
];
const commits = STATES.map(
  (files, n) =>
    `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + n} +0000\ndata 1\nx\n${files.join('')}`,
);
git(directory, ['fast-import', '--quiet'], commits.join(''));
const [large = '', changed = '', first = ''] = git(directory, ['rev-list', 'main']).trim().split('\n');

const reader = new ProgramReader(directory);
afterAll(() => reader.close());

describe('The patch ID of two commits', () => {
  it('is what git tells, with binary and renamed files', async () => {
    const told = git(directory, ['patch-id', '--stable'], git(directory, ['diff', '--full-index', first, changed]));
    const found = await reader.patchId(first, changed);
    expect(found).toMatch(/^[0-9a-f]{40}$/);
    expect(found).toBe(told.slice(0, 40));
    expect(await reader.patchId(changed, first)).not.toBe(found);
  });

  it('is null where nothing differs, too much does, a commit is not there, or git is not', async () => {
    expect(await reader.patchId(first, first)).toBeNull();
    expect(await reader.patchId(changed, large)).toBeNull();
    expect(await reader.patchId(first, 'f'.repeat(40))).toBeNull();
    expect(await reader.patchId(first, '--output=x')).toBeNull();
    const withoutGit = new IsomorphicReader(directory);
    expect(await withoutGit.patchId()).toBeNull();
    await withoutGit.close();
  });
});
