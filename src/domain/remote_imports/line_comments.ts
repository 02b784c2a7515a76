import { linesOfFile, spanOf, textOf } from '#src/domain/tracking/discussions/file_lines.ts';
import { type DiffPosition, type KeptLine, kept } from '#src/domain/tracking/discussions/position.ts';
import type { Version } from '#src/domain/tracking/merge_requests/version.ts';
import { parseSuggestions } from '#src/domain/tracking/suggestions/parse.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { linesOf, type PatchLine } from '#src/git/diff/lines.ts';

/** A comment on a line of the changes of a merge request, as it was staged. */
export interface LineComment {
  id: number;
  merge_request_id: number;
  /** The comment that it answers; null for one that begins a thread. */
  answers: number | null;
  body: string;
  path: string;
  /** The commit that it is on now, and the one that it was written on; null if that is not told. */
  commit: string | null;
  original_commit: string | null;
  /** Whether it is on the file as a whole. */
  is_file: boolean;
  /** Whether the line is one of the old file. */
  is_old: boolean;
  /** The line now, null if it is gone; and when it was written. */
  line: number | null;
  original_line: number | null;
  /** How many lines above it belongs to as well. */
  lines_above: number;
  /** The part of the diff that ends with the line; empty if that is not told. */
  hunk: string;
  /** Whether it is not told if the line is gone by now. */
  is_unsure?: boolean;
  /** Who resolved the thread that it begins, where that is told; when is not. */
  resolved_by_id?: number | null;
}

/** How many lines are stored with a thread, ending with its own. */
const LINES = 16;

/** What a thread on a line has, by the columns of archives; nothing where the line cannot be told. */
export function positionsOf(
  comment: LineComment,
  version: Pick<Version, 'head' | 'base' | 'start'> | null,
  oldPathOf: (path: string) => string,
): Record<string, unknown> {
  if (version === null || comment.path === '') return {};
  const { path, is_file: isFile, is_old: isOld, line, original_line: originalLine, commit } = comment;
  const paths = { old_path: oldPathOf(path), new_path: path };
  const shas = { baseSha: version.base, startSha: version.start };
  const place = { ...shas, oldPath: paths.old_path, newPath: paths.new_path };
  const head = comment.original_commit ?? commit ?? version.head;
  if (isFile) {
    const onFile = { ...place, oldLine: null, newLine: null, positionType: 'file' };
    const isCurrent = commit === null || commit === version.head;
    const position = isCurrent ? { ...onFile, headSha: version.head } : null;
    return { original_position: { ...onFile, headSha: head }, position };
  }
  const shown = shownLines(comment);
  const last = shown.at(-1);
  if (last === undefined || originalLine === null) return {};
  const numbers = { oldLine: last.oldLine, newLine: last.newLine };
  const range = rangeOf(shown, comment);
  const original = { ...place, headSha: head, ...numbers, positionType: 'text', ...range };
  const isCurrent = line !== null && (commit === null || commit === version.head);
  const moved = isOld ? { ...numbers, oldLine: line } : { ...numbers, newLine: line };
  const position = isCurrent
    ? { ...original, headSha: version.head, ...(line === originalLine ? numbers : moved) }
    : null;
  return { original_position: original, position, diff_lines: shown.slice(-LINES).map((one) => kept(one)) };
}

/** The comment, without its line now if the file does not have what it was written on there. */
export async function checkedLine(
  reader: RepositoryReader | null,
  comment: LineComment,
  version: Pick<Version, 'head' | 'base' | 'start'> | null,
  oldPath: string,
): Promise<LineComment> {
  const { is_unsure: isUnsure = false, is_old: isOld, line, path } = comment;
  if (!isUnsure || line === null || version === null || reader === null) return comment;
  const written = shownLines(comment).at(-1)?.text;
  const [commit, place] = isOld ? [version.base ?? version.start, oldPath] : [version.head, path];
  const now = (await linesOfFile(reader, commit, place))?.[line - 1];
  const isThere = now !== undefined && written !== undefined && utf8(now) === written.trimEnd();
  return isThere ? comment : { ...comment, line: null };
}

function utf8(line: string): string {
  return Buffer.from(line, 'latin1').toString('utf8').trimEnd();
}

/** The lines of the hunk up to that of the comment; none if it does not end with it. */
function shownLines({ hunk, is_old: isOld, original_line: line }: LineComment): PatchLine[] {
  const lines = [...linesOf(hunk)];
  const at = lines.findLastIndex((one) => (isOld ? one.oldLine : one.newLine) === line && line !== null);
  return lines.slice(0, at + 1);
}

function rangeOf(shown: readonly PatchLine[], { lines_above: above, is_old: isOld, original_line: line }: LineComment) {
  if (above === 0 || line === null) return {};
  const end = shown.at(-1);
  const start = shown.find((one) => (isOld ? one.oldLine : one.newLine) === line - above);
  return start && end ? { lineRange: { start: rangeEnd(start), end: rangeEnd(end) } } : {};
}

function rangeEnd({ type, oldLine, newLine }: KeptLine) {
  return { lineCode: null, type: type === 'removed' ? 'old' : 'new', oldLine, newLine };
}

/** The text with the lines that each suggestion replaces, which GitHub tells by those of the comment. */
export function withSuggestions(body: string, linesAbove: number): string {
  if (linesAbove === 0) return body;
  return body.replace(
    /^( {0,3}(?:`{3,}|~{3,}))suggestion[ \t]*(?=\r?$)/gm,
    `$1suggestion:-${Math.min(linesAbove, 100)}+0`,
  );
}

/** The suggestions of a comment on a line of the new file, by the columns of archives. */
export async function suggestionsIn(
  reader: RepositoryReader | null,
  body: string,
  position: unknown,
): Promise<Record<string, unknown>[]> {
  const { newLine, headSha, newPath } = (position ?? {}) as Partial<DiffPosition>;
  const suggested = parseSuggestions(body);
  if (suggested.length === 0 || newLine == null || !headSha || !newPath || reader === null) return [];
  const lines = await linesOfFile(reader, headSha, newPath);
  if (!lines) return [];
  return suggested.map((one) => ({
    lines_above: one.linesAbove,
    lines_below: one.linesBelow,
    from_content: textOf(lines, spanOf(newLine, one)),
    to_content: one.toContent,
    outdated: false,
  }));
}
