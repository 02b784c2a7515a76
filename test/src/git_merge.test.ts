import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mergeContents } from '#src/git/diff/merge.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import type { Signature } from '#src/git/model.ts';
import { updateRef } from '#src/git/refs/update.ts';
import { cherryPick, MergeConflict, NothingChanged } from '#src/git/writer.ts';
import { text } from '../support/git_fixtures.ts';
import { type Change, HistoryBuilder, randomizer } from '../support/git_history.ts';
import { git, gitCode, gitLines, scratch } from '../support/git_program.ts';

const committer: Signature = { name: 'Cleo', email: 'cleo@example.com', seconds: 1_600_000_000, offset: 0 };

describe('Merging contents', () => {
  it('comes out as with git merge-file, conflicts included', () => {
    const directory = scratch();
    const random = randomizer(42);
    let conflicts = 0;
    for (let at = 0; at < 120; at++) {
      const base = Array.from({ length: 30 }, (_, line) => `${line % (at % 2 === 0 ? 30 : 7)}`);
      const edit = () => {
        const lines = [...base];
        for (let edits = 1 + Math.floor(random() * 2); edits > 0; edits--) {
          const place = Math.floor(random() * lines.length);
          lines.splice(place, Math.floor(random() * 3), ...(random() < 0.7 ? [`new ${Math.floor(random() * 3)}`] : []));
        }
        return lines;
      };
      const contents = [edit(), base, edit()].map((lines) => `${lines.join('\n')}${random() < 0.9 ? '\n' : ''}`);
      const files = contents.map((content, index) => {
        const file = path.join(directory, String(index));
        writeFileSync(file, content);
        return file;
      });
      const answer = spawnSync('git', ['merge-file', '-p', ...files]);
      const [ours, before, theirs] = contents.map((content) => Buffer.from(content));
      if (ours === undefined || before === undefined || theirs === undefined) throw new Error('three contents');
      const merged = mergeContents({ base: before, ours, theirs });
      if (answer.status === 0)
        expect(merged === null ? null : Buffer.from(merged).toString()).toBe(answer.stdout.toString());
      else expect(merged).toBeNull();
      if (answer.status !== 0) conflicts++;
    }
    expect(conflicts).toBeGreaterThan(10);
    expect(conflicts).toBeLessThan(110);
  });
});

interface Case {
  base: Change[];
  ours: Change[];
  theirs: Change[];
  /** Whether it cannot be merged. */
  conflict?: boolean;
}

const a = text(20, 'a');
const put = (name: string, content: string, mode?: '100755' | '120000'): Change => ({
  path: name,
  content,
  ...(mode === undefined ? {} : { mode }),
});
const drop = (name: string): Change => ({ path: name, remove: true });

const CASES: Record<string, Case> = {
  'another file': { base: [put('a', a)], ours: [put('b', 'b\n')], theirs: [put('c', 'c\n')] },
  'other lines of a file': { base: [put('a', a)], ours: [put('a', `top\n${a}`)], theirs: [put('a', `${a}end\n`)] },
  'the same lines': { base: [put('a', a)], ours: [put('a', `x\n${a}`)], theirs: [put('a', `y\n${a}`)], conflict: true },
  'a file that was renamed': { base: [put('a', a)], ours: [drop('a'), put('d/b', a)], theirs: [put('a', `${a}end\n`)] },
  'by a rename': { base: [put('a', a)], ours: [put('a', `top\n${a}`)], theirs: [drop('a'), put('d/b', a)] },
  'by a rename to a taken name': {
    base: [put('a', a)],
    ours: [put('b', 'b\n')],
    theirs: [drop('a'), put('b', a)],
    conflict: true,
  },
  'two ways of renaming': {
    base: [put('a', a)],
    ours: [drop('a'), put('b', a)],
    theirs: [drop('a'), put('c', a)],
    conflict: true,
  },
  'a deleted file': {
    base: [put('a', a), put('z', '')],
    ours: [drop('a')],
    theirs: [put('a', `${a}x\n`)],
    conflict: true,
  },
  'by deleting what changed': {
    base: [put('a', a), put('z', '')],
    ours: [put('a', `${a}x\n`)],
    theirs: [drop('a')],
    conflict: true,
  },
  'by deleting': { base: [put('a', a), put('b/c', 'z\n')], ours: [put('x', 'x\n')], theirs: [drop('b/c')] },
  'the same file added': {
    base: [put('a', a)],
    ours: [put('b', 'b\n'), put('c', '1\n')],
    theirs: [put('b', 'b\n'), put('d', '2\n')],
  },
  'different files added': { base: [put('a', a)], ours: [put('b', '1\n')], theirs: [put('b', '2\n')], conflict: true },
  'mode and content': { base: [put('a', a)], ours: [put('a', a, '100755')], theirs: [put('a', `${a}x\n`)] },
  'a binary file twice': { base: [put('a', '\0')], ours: [put('a', '\0x')], theirs: [put('a', '\0y')], conflict: true },
  'a file below a file': { base: [put('a', a)], ours: [put('b', '1\n')], theirs: [put('b/c', '2\n')], conflict: true },
  'a directory by a file': {
    base: [put('a', a), put('d/e', '1\n')],
    ours: [put('x', 'x\n')],
    theirs: [drop('d/e'), put('d', '2\n')],
  },
  'a file that became a link, with the same target as its content': {
    base: [put('l', 'a')],
    ours: [put('l', 'a', '120000')],
    theirs: [put('l', 'b')],
    conflict: true,
  },
  'the content of a file by a link': {
    base: [put('l', 'a')],
    ours: [put('l', 'b')],
    theirs: [put('l', 'a', '120000')],
    conflict: true,
  },
  'the content of what became a link': {
    base: [put('l', a)],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', `${a}end\n`)],
    conflict: true,
  },
  'the mode of a link': {
    base: [put('l', 'a', '120000')],
    ours: [put('l', 'a')],
    theirs: [put('l', 'a', '100755')],
    conflict: true,
  },
  'a link that became a file, to another place': {
    base: [put('l', 'a', '120000')],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', 'a')],
    conflict: true,
  },
  'a file by a submodule': {
    base: [put('l', 'a')],
    ours: [put('l', 'b')],
    theirs: [{ path: 'l', submodule: '1'.repeat(40) }],
    conflict: true,
  },
  'a submodule by a file': {
    base: [{ path: 'l', submodule: '1'.repeat(40) }],
    ours: [put('x', '')],
    theirs: [put('l', 'a')],
  },
  'a file by a link': { base: [put('l', 'a')], ours: [put('x', '')], theirs: [put('l', 'a', '120000')] },
  'another file beside a link that was made of one': {
    base: [put('l', 'a')],
    ours: [put('l', 'a', '120000')],
    theirs: [put('x', '')],
  },
  'a file to the same link': {
    base: [put('l', 'a')],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', 'b', '120000'), put('x', '')],
  },
  'the mode of a file that was renamed to a link': {
    base: [put('a', a)],
    ours: [drop('a'), put('b', a, '120000')],
    theirs: [put('a', a, '100755')],
    conflict: true,
  },
  'links twice': {
    base: [put('l', 'a', '120000')],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', 'c', '120000')],
    conflict: true,
  },
};

describe('Cherry-picking', () => {
  it.each(Object.entries(CASES))(
    'changes %s as git merge-tree does',
    async (_, { base, ours, theirs, conflict = false }) => {
      const h = new HistoryBuilder();
      const root = h.commit({ branch: 'main', changes: base });
      h.commit({ branch: 'main', from: [root], changes: ours });
      h.commit({
        branch: 'topic',
        from: [root],
        changes: theirs,
        author: 'Tess <tess@example.com>',
        message: 'Topic\n',
      });
      const directory = h.build();
      const [onto = '', commit = ''] = gitLines(directory, ['rev-parse', 'main', 'topic']);
      expect(gitCode(directory, ['merge-tree', '--write-tree', 'main', 'topic'])).toBe(conflict ? 1 : 0);
      const reader = new IsomorphicReader(directory);
      const picked = await cherryPick(reader, { commit, onto, committer }).catch((error) => error);
      if (conflict) expect(picked).toBeInstanceOf(MergeConflict);
      else {
        const [tree] = gitLines(directory, ['merge-tree', '--write-tree', 'main', 'topic']);
        expect(git(directory, ['log', '-1', '--format=%T %P %an %cn %s', picked]).trim()).toBe(
          `${tree} ${onto} Tess Cleo Topic`,
        );
        await updateRef(directory, 'refs/heads/main', { from: onto, to: picked });
        expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
        await expect(cherryPick(reader, { commit, onto: picked, committer })).rejects.toThrow(
          theirs.some((change) => 'remove' in change) ? /./ : NothingChanged,
        );
      }
    },
  );
});
