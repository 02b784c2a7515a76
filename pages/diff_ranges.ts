import { createHash } from 'node:crypto';
import type { ShownFile, ShownLine } from '#pages/diff.ts';
import { type NamedLine, readLineId } from '#pages/diff_names.ts';
import type { Facts } from '#pages/engine/row.ts';

/** Lines above the one of a comment that are offered as the first of several. */
const MAX_CHOICES = 50;

/** The lines of which a comment may be on the first, the last of them its own: by their names, and as people read them. */
export function firstLines(file: ShownFile, one: ShownLine, from: unknown): [name: string, number: string][] {
  const hunk = file.hunks.find(({ lines }) => lines.some(({ id }) => id === one.id));
  const at = hunk?.lines.findIndex(({ id }) => id === one.id) ?? -1;
  const above = hunk?.lines.slice(Math.max(0, at - MAX_CHOICES), at) ?? [];
  const known = [...above, one].map(({ id, old, now }): [string, string] => [id, numbered({ old, now })]);
  // Lines that were unfolded, or are in other hunks.
  const named = readLineId(from);
  const isElsewhere = named?.file === file.id && !known.some(([id]) => id === from) && isBefore(named, one);
  return isElsewhere ? [[String(from), numbered({ old: named.oldLine, now: named.newLine })], ...known] : known;
}

/** Removed lines have a minus in front of their number. */
function numbered({ old, now }: { old: number | null; now: number | null }): string {
  return now === null ? `−${old}` : String(now);
}

function isBefore({ oldLine, newLine }: NamedLine, { old, now }: Pick<ShownLine, 'old' | 'now'>): boolean {
  return [
    [oldLine, old],
    [newLine, now],
  ].every(([one, other]) => one == null || other == null || one < other);
}

/** The fields of the form of a comment, with the lines that it is on if they are several. */
export function withRange(given: Facts['given']): Facts['given'] {
  const { from, newPath, oldLine, newLine, ...rest } = given;
  const first = readLineId(from);
  const own = { oldLine: numberIn(oldLine), newLine: numberIn(newLine) };
  const isOne = !first || (first.oldLine === own.oldLine && first.newLine === own.newLine);
  const fields = { ...rest, newPath, oldLine, newLine };
  if (isOne) return fields;
  const end = (line: { oldLine: number | null; newLine: number | null }) => ({
    ...line,
    lineCode: `${createHash('sha1').update(String(newPath)).digest('hex')}_${line.oldLine ?? 0}_${line.newLine ?? 0}`,
    type: line.oldLine === null ? 'NEW' : line.newLine === null ? 'OLD' : null,
  });
  const { oldLine: before, newLine: after } = first;
  return { ...fields, lineRange: { start: end({ oldLine: before, newLine: after }), end: end(own) } };
}

function numberIn(text: unknown): number | null {
  return /^\d{1,9}$/.test(String(text)) ? Number(text) : null;
}
