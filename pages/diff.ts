import { type Gap, gapsAround } from '#pages/diff_gaps.ts';
import { fileId, lineId } from '#pages/diff_names.ts';
import { htmlOf, type Parts, wordsBetween } from '#pages/diff_words.ts';
import type { Facts } from '#pages/engine/row.ts';
import type { DiffFilesFragment } from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type File = DiffFilesFragment['nodes'][number];
type Line = File['hunks'][number]['lines'][number];

/** A line as the template shows it. */
export interface ShownLine {
  /** `added`, `removed` or `unchanged`; its first letter is the class of the row. */
  kind: string;
  old: number | null;
  now: number | null;
  /** The text as HTML, with colours where they are known; what differs from the line that it is compared with is in `<b>`, unless all does. */
  html: string;
  noNewline: boolean;
  /** Name of the line on the page, and in the parameter `line`. */
  id: string;
}

export interface ShownHunk {
  /** Null for a line that is shown for what is said of it, though the diff leaves it out. */
  header: string | null;
  /** What is left out in front of it; null if nothing is. */
  gap: Gap | null;
  truncated: boolean;
  lines: ShownLine[];
  /** The same lines side by side, before and after; null where a side has none. */
  pairs: (readonly [ShownLine | null, ShownLine | null])[];
}

/** A file as the template shows it. */
export interface ShownFile extends Pick<File, 'newPath' | 'oldPath' | 'additions' | 'deletions'> {
  /** Name of the file on the page. */
  id: string;
  /** What happened to the file besides its lines, in words. */
  facts: string[];
  isNew: boolean;
  isDeleted: boolean;
  isSubmodule: boolean;
  /** Whether browsers show it, before and after. */
  isImage: boolean;
  /** Why no lines are shown; null where they are. */
  without: string | null;
  /** Whether the lines are left out for their number, and shown by the address of this file alone. */
  isLeftOut: boolean;
  /** Whether the lines are there, but folded away. */
  isFolded: boolean;
  hunks: ShownHunk[];
  /** What may come after the last of them; null if nothing does. */
  rest: Gap | null;
}

/** Lines of one page, which keep it below 60 KB; files that come later lead to pages of their own. */
const PAGE_LINES = 1_500;

const IMAGE = /\.(?:avif|bmp|gif|ico|jpe?g|png|webp)$/i;
const SUBMODULE = '160000';
const LINK = '120000';

/**
 * The files of a page of a diff, with as many lines as the page should have.
 *
 * @param given parameters of the page, which name a path if it is of one file, which is shown with all its lines
 * @param changes how the reader wants to see changes
 */
export function shownFiles(
  { nodes }: DiffFilesFragment,
  { given, changes, t }: Pick<Facts, 'given' | 'changes' | 't'>,
): ShownFile[] {
  const isAlone = given.path !== undefined;
  const showsWhitespace = withWhitespace({ given, changes });
  let left = isAlone ? Number.POSITIVE_INFINITY : PAGE_LINES;
  return nodes.map((file) => {
    const count = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    const isLeftOut = count > left;
    if (!isLeftOut) left -= count;
    const id = fileId(file.newPath);
    const hunks = isLeftOut ? [] : hunksFor(file, showsWhitespace);
    const { before, rest } = gapsAround(hunks, file);
    const { oldPath, newPath, additions, deletions, newFile: isNew, deletedFile: isDeleted } = file;
    return {
      ...{ id, oldPath, newPath, additions, deletions, isNew, isDeleted, isLeftOut },
      facts: factsOf(file, t),
      isSubmodule: file.newMode === SUBMODULE || file.oldMode === SUBMODULE,
      isImage: IMAGE.test(newPath),
      without:
        withoutLines(file, count, t) ?? (hunksFor(file, showsWhitespace).length === 0 ? t(ONLY_WHITESPACE) : null),
      isFolded: !isAlone && (isLarge(file) || file.generatedFile || file.suppressed),
      hunks: hunks.map((hunk, at) => ({ ...shownHunk(hunk, id), gap: before[at] ?? null })),
      rest,
    };
  });
}

/** Whether changes of whitespace alone are shown: as `w=1` or `w=0` says in the address, or as the reader usually wants it. */
export function withWhitespace({ given, changes }: Pick<Facts, 'given' | 'changes'>): boolean {
  return given.w === '1' ? false : given.w === '0' || changes.showsWhitespace;
}

/** Whether a file has more lines than the page has of it: it is folded away at first. */
function isLarge({ hunks }: File): boolean {
  return hunks.some(({ truncated }) => truncated);
}

function factsOf(file: File, t: Facts['t']): string[] {
  const { newFile, deletedFile, renamedFile, oldPath, oldMode, newMode, generatedFile } = file;
  const mode = newMode ?? oldMode;
  return [
    ...(newFile ? [t('new file')] : []),
    ...(deletedFile ? [t('deleted')] : []),
    ...(renamedFile ? [t('renamed from {path}', { path: oldPath })] : []),
    ...(mode === SUBMODULE ? [t('submodule')] : mode === LINK ? [t('symbolic link')] : []),
    ...(oldMode !== null && newMode !== null && oldMode !== newMode
      ? [t('mode {before} → {after}', { before: oldMode, after: newMode })]
      : []),
    ...(generatedFile ? [t('generated')] : []),
    ...(file.suppressed ? [t('hidden by .gitattributes')] : []),
  ];
}

function withoutLines(file: File, count: number, t: Facts['t']): string | null {
  const { binary, tooLarge, newPath, renamedFile, newFile, deletedFile } = file;
  if (tooLarge) return t('The file is too large to be compared.');
  if (binary) return t(IMAGE.test(newPath) ? 'The image has changed.' : 'Binary files cannot be compared by lines.');
  if (count > 0) return null;
  if (renamedFile) return t('The file was renamed without changes.');
  return t(newFile || deletedFile ? 'The file is empty.' : 'Only the mode of the file has changed.');
}

const ONLY_WHITESPACE = label('Only whitespace has changed, which you chose not to see.');

/** The hunks as the reader wants to see them: without those in which only whitespace differs, if the reader does not want to see that. */
function hunksFor({ hunks }: File, showsWhitespace: boolean): File['hunks'] {
  if (showsWhitespace) return hunks;
  return hunks
    .map((hunk) => ({ ...hunk, lines: withoutWhitespace(hunk.lines) }))
    .filter(({ lines, truncated }) => truncated || lines.some(({ type }) => type !== 'UNCHANGED'));
}

/** Lines in place of which there are others that differ in whitespace alone are shown as unchanged, as they are now. */
function withoutWhitespace(lines: readonly Line[]): Line[] {
  const shown: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'REMOVED');
    const added = run(lines, at + removed.length, 'ADDED');
    const same = run(lines, at + removed.length + added.length, 'UNCHANGED');
    at += removed.length + added.length + same.length;
    const areAlike =
      removed.length === added.length && removed.every((line, index) => bare(line) === bare(added[index] ?? line));
    if (areAlike) {
      shown.push(
        ...added.map((line, index) => ({
          ...line,
          type: 'UNCHANGED' as const,
          oldLine: removed[index]?.oldLine ?? null,
        })),
      );
    } else shown.push(...removed, ...added);
    shown.push(...same);
  }
  return shown;
}

function bare({ text }: Line): string {
  return text.replace(/\s+/g, '');
}

function shownHunk({ header, truncated, lines }: File['hunks'][number], file: string): Omit<ShownHunk, 'gap'> {
  const shown: ShownLine[] = [];
  const pairs: ShownHunk['pairs'] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'REMOVED');
    const added = run(lines, at + removed.length, 'ADDED');
    if (removed.length + added.length === 0) {
      const same = run(lines, at, 'UNCHANGED').map((line) => shownLine(line, file, ['', '', line.text]));
      shown.push(...same);
      pairs.push(...same.map((line) => [line, line] as const));
      at += same.length;
      continue;
    }
    const words = removed.map((line, index) => wordsBetween(line.text, added[index]?.text));
    const before = removed.map((line, index) => shownLine(line, file, words[index]?.[0] ?? ['', '', line.text]));
    const after = added.map((line, index) => shownLine(line, file, words[index]?.[1] ?? ['', '', line.text]));
    shown.push(...before, ...after);
    const most = Math.max(before.length, after.length);
    pairs.push(...Array.from({ length: most }, (_, index) => [before[index] ?? null, after[index] ?? null] as const));
    at += removed.length + added.length;
  }
  return { header, truncated, lines: shown, pairs };
}

function run(lines: readonly Line[], from: number, type: Line['type']): Line[] {
  let end = from;
  while (lines[end]?.type === type) end += 1;
  return lines.slice(from, end);
}

function shownLine(line: Line, file: string, parts: Parts): ShownLine {
  const { type, oldLine: old, newLine: now, noNewlineAtEnd: noNewline } = line;
  return { kind: type.toLowerCase(), old, now, html: htmlOf(line, parts), noNewline, id: lineId(file, old, now) };
}
