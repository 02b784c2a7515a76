import type { DiffEntry } from './diff.ts';
import { label } from './label.ts';

/**
 * The text of a diff as `git diff --full-index` writes it. Files that were not compared are told like binary ones, as git does with
 * files that are too large for it.
 */
export function wholeText(entries: readonly DiffEntry[]): string {
  return entries.map((entry) => `${headOf(entry)}${bodyOf(entry)}`).join('');
}

function headOf(entry: DiffEntry): string {
  const { oldPath, newPath, oldMode, newMode, similarity } = entry;
  const lines = [`diff --git ${label('a', oldPath)} ${label('b', newPath)}`];
  if (oldMode === null) lines.push(`new file mode ${newMode}`);
  else if (newMode === null) lines.push(`deleted file mode ${oldMode}`);
  else if (oldMode !== newMode) lines.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  if (similarity !== null) {
    lines.push(`similarity index ${similarity}%`, `rename from ${label(null, oldPath)}`);
    lines.push(`rename to ${label(null, newPath)}`);
  }
  if (entry.oldOid !== entry.newOid) lines.push(indexOf(entry));
  return `${lines.join('\n')}\n`;
}

function indexOf({ oldOid, newOid, oldMode, newMode }: DiffEntry): string {
  const hash = (oid: DiffEntry['oldOid']) => oid ?? '0'.repeat((oldOid ?? newOid ?? '').length);
  return `index ${hash(oldOid)}..${hash(newOid)}${oldMode === newMode ? ` ${oldMode}` : ''}`;
}

function bodyOf({ diff, tooLarge, oldOid, newOid, oldPath, newPath }: DiffEntry): string {
  if (!tooLarge) return diff;
  const [from, to] = [oldOid && label('a', oldPath), newOid && label('b', newPath)];
  return `Binary files ${from ?? '/dev/null'} and ${to ?? '/dev/null'} differ\n`;
}
