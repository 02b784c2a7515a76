import { type DiffPosition, detailsOf } from '#src/domain/tracking/discussions/position.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Diff, DiffEntry } from '#src/git/diff/diff.ts';
import { followLine, originOfLine } from '#src/git/diff/lines.ts';

/** The commits that a version compares. */
export interface VersionShas {
  headCommitSha: Oid;
  baseCommitSha: Oid | null;
  startCommitSha: Oid;
}

/** Compares two commits, caching the result. */
export type Compare = (from: Oid, to: Oid) => Promise<Diff>;

/**
 * Finds a line in a later version: it must be there unchanged, in the same or renamed file, which the version must change. Null
 * if it is not, and for files that are too large to be compared.
 */
export async function traceLine(
  reader: RepositoryReader,
  compare: Compare,
  position: DiffPosition,
  version: VersionShas,
): Promise<DiffPosition | null> {
  const { headCommitSha: headSha, baseCommitSha: baseSha, startCommitSha: startSha } = version;
  const [wasOn, isOn] = [position.baseSha ?? position.startSha, baseSha ?? startSha];
  const shas = { baseSha, startSha, headSha, ...detailsOf(position) };
  // A file has no lines that change.
  if (shas.positionType !== 'text') return { ...position, ...shas };
  if (position.newLine !== null) {
    const at = { path: position.newPath, line: position.newLine };
    const now = await follow(reader, compare, at, { from: position.headSha, to: headSha });
    const shown = now && (await compare(isOn, headSha)).entries.find(({ newPath }) => newPath === now.path);
    if (!now || !shown || !isCompared(shown)) return null;
    const oldLine = shown.newFile ? null : originOfLine(shown.diff, now.line);
    return { ...shas, ...pathsOf(shown), oldLine, newLine: now.line };
  }
  if (position.oldLine === null) return null;
  const at = { path: position.oldPath, line: position.oldLine };
  const now = await follow(reader, compare, at, { from: wasOn, to: isOn });
  const shown = now && (await compare(isOn, headSha)).entries.find(({ oldPath }) => oldPath === now.path);
  if (!now || !shown || !isCompared(shown)) return null;
  // A line that was restored is no longer removed.
  if (!shown.deletedFile && followLine(shown.diff, now.line) !== null) return null;
  return { ...shas, ...pathsOf(shown), oldLine: now.line, newLine: null };
}

interface LineOfFile {
  path: string;
  line: number;
}

/** The position in another commit of a line of one commit; null if it is no longer there. */
async function follow(
  reader: RepositoryReader,
  compare: Compare,
  { path, line }: LineOfFile,
  { from, to }: { from: Oid; to: Oid },
): Promise<LineOfFile | null> {
  if (from === to) return { path, line };
  const [was, is] = await Promise.all([reader.entry(from, path), reader.entry(to, path)]);
  if (was === null) return null;
  if (was.oid === is?.oid) return { path, line };
  const changed = (await compare(from, to)).entries.find(({ oldPath, newFile }) => oldPath === path && !newFile);
  if (!changed || changed.deletedFile || !isCompared(changed)) return null;
  const now = changed.diff === '' ? line : followLine(changed.diff, line);
  return now === null ? null : { path: changed.newPath, line: now };
}

function isCompared({ binary, tooLarge }: DiffEntry): boolean {
  return !binary && !tooLarge;
}

function pathsOf({ oldPath, newPath }: DiffEntry): Pick<DiffPosition, 'oldPath' | 'newPath'> {
  return { oldPath: oldPath.toWellFormed(), newPath: newPath.toWellFormed() };
}
