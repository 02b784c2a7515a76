import { encodeName } from '#src/git/base/names.ts';
import type { DiffEntry } from '#src/git/diff/diff.ts';
import { type Change, HistoryBuilder } from './git_history.ts';
import { gitBytes, gitLines } from './git_program.ts';

/** One entry of a diff in comparable form; names are Latin-1 for their bytes. */
export interface Entry {
  oldPath: string;
  newPath: string;
  modes: string;
  similarity: number | null;
  body: string;
}

/** What git says about two trees (or a root commit), entry by entry. */
export function gitDiff(directory: string, revisions: string[]): Entry[] {
  const base = ['-c', 'diff.renameLimit=400', 'diff-tree', '-r', '-M', '--no-commit-id', ...revisions];
  const raw = gitBytes(directory, [...base, '--raw', '-z'])
    .toString('latin1')
    .split('\0')
    .slice(0, -1);
  const entries: Entry[] = [];
  for (let at = 0; at < raw.length; ) {
    const [oldMode = '', newMode = '', , , status = ''] = (raw[at++] ?? '').slice(1).split(' ');
    const oldPath = raw[at++] ?? '';
    const renamed = status.startsWith('R');
    const newPath = renamed ? (raw[at++] ?? '') : oldPath;
    const similarity = renamed ? Number(status.slice(1)) : null;
    const pairs =
      status === 'T'
        ? [
            [oldMode, '000000'],
            ['000000', newMode],
          ]
        : [[oldMode, newMode]];
    for (const pair of pairs) entries.push({ oldPath, newPath, modes: pair.join(' '), similarity, body: '' });
  }
  const text = gitBytes(directory, ['-c', 'core.quotePath=false', ...base, '-p']).toString('utf8');
  const bodies = text.split(/^diff --git /m).slice(1);
  if (bodies.length !== entries.length) throw new Error(`${bodies.length} texts for ${entries.length} entries`);
  return entries.map((entry, at) => ({
    ...entry,
    body: /^(--- |Binary files )[\s\S]*/m.exec(bodies[at] ?? '')?.[0] ?? '',
  }));
}

/** The same of what was computed here. */
export function ownDiff(entries: DiffEntry[]): Entry[] {
  const name = (path: string) => encodeName(path).toString('latin1');
  return entries.map((entry) => ({
    oldPath: name(entry.oldPath),
    newPath: name(entry.newPath),
    modes: `${entry.oldMode ?? '000000'} ${entry.newMode ?? '000000'}`,
    similarity: entry.similarity,
    body: entry.diff,
  }));
}

/** Two commits from changes. */
export function pairOf(before: Change[], after: Change[]): { directory: string; from: string; to: string } {
  const h = new HistoryBuilder();
  const first = h.commit({ branch: 'main', changes: before });
  h.commit({ branch: 'main', from: [first], changes: after });
  const directory = h.build();
  const [to = '', from = ''] = gitLines(directory, ['rev-list', 'main']);
  return { directory, from, to };
}

/** As pairOf, but names the trees of the commits. */
export function treesOf(before: Change[], after: Change[]): { directory: string; from: string; to: string } {
  const { directory, from, to } = pairOf(before, after);
  const [left = '', right = ''] = gitLines(directory, ['rev-parse', `${from}^{tree}`, `${to}^{tree}`]);
  return { directory, from: left, to: right };
}
