import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { BlobRow } from '#src/domain/repository/blob.ts';
import { parseTable, type Table } from '#src/domain/repository/csv.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { FileRow } from '#src/domain/repository/file.ts';
import { type HighlightedLines, highlight } from '#src/domain/repository/highlight/highlight.ts';
import type { FileSymbol } from '#src/domain/repository/highlight/symbols.ts';
import { type LfsPointer, POINTER_BYTES, parsePointer } from '#src/domain/repository/lfs_pointer.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { SYMLINK } from '#src/git/base/model.ts';

type Caller = Pick<Context, 'actor' | 'clientAddress' | 'answer'>;

/** Bytes of a file whose text is shown. */
export const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/** Bytes from which reading a file counts as effort. */
const SMALL = 256 * 1024;

/** Bytes that are checked to see whether a file is text: as many as git checks. */
const SAMPLE = 8000;

/** The content of a file; null if it is too large, or has NUL in its beginning, which is how git detects binary content. */
async function bytesOf(caller: Caller, { repository, oid, size }: BlobRow): Promise<Buffer | null> {
  if (size > MAX_TEXT_BYTES) return null;
  const read = () => repository.blob(oid, MAX_TEXT_BYTES);
  const bytes = await (size > SMALL ? withEffort(caller, read) : read());
  return bytes === null || bytes.subarray(0, SAMPLE).includes(0) ? null : bytes;
}

/** Whether the file is text that is shown: not binary, and at most 2 MB. */
export function isShownAsText(caller: Caller, file: BlobRow): Promise<boolean> {
  return remembered(file.repository, `is text ${file.oid}`, async () => (await bytesOf(caller, file)) !== null);
}

/** The text of a file, to be edited; null if it is binary, more than 2 MB, or not in UTF-8. */
export async function textOf(caller: Caller, file: BlobRow): Promise<string | null> {
  const bytes = await bytesOf(caller, file);
  return bytes !== null && isUtf8(bytes) ? bytes.toString('utf8') : null;
}

/**
 * Lines of the text of a file, with their line breaks; null as for `textOf`.
 *
 * @param from number of the first line, from 1
 * @param count how many lines at most
 */
export async function linesOfText(caller: Caller, file: BlobRow, from: number, count: number): Promise<string | null> {
  const text = await textOf(caller, file);
  if (text === null) return null;
  const begin = skipLines(text, 0, from - 1);
  return text.slice(begin, skipLines(text, begin, count));
}

/** Where the text goes on after so many lines. */
function skipLines(text: string, begin: number, lines: number): number {
  let at = begin;
  for (let left = lines; left > 0 && at < text.length; left--) {
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  return at;
}

/** Bytes of a file that is edited as a whole. */
const MAX_EDITED_BYTES = 1024 * 1024;

const TABLE = /\.(csv|tsv)$/i;

/** Whether the file can be shown in another form than its lines. */
export function hasPreview({ name }: FileRow): boolean {
  return flavourOf(name) !== null || TABLE.test(name) || imageTypeOf(name) !== null;
}

/** Whether people can edit the file as text. */
export async function isEditable(caller: Caller, file: FileRow): Promise<boolean> {
  if (file.size > MAX_EDITED_BYTES || file.mode === SYMLINK) return false;
  return remembered(file.repository, `is editable ${file.oid}`, async () => {
    const text = await textOf(caller, file);
    return text !== null && !text.includes('\0') && (await lfsPointerOf(caller, file)) === null;
  });
}

/** Lines of a file as they are shown. */
export interface ShownLines {
  /** Number of the first one, from 1. */
  from: number;
  /** Number of the last one; less than `from` if there are none. */
  to: number;
  /** Lines of the file. */
  total: number;
  html: string;
  language: string | null;
  isCut: boolean;
}

/** Characters of lines that are shown at once, without their colours; and with them. */
const SHOWN_LIMITS = { characters: 49_152, html: 327_680 };

/** Lines from one on, as many as are asked for and not too much at once; null for binary and large files. */
export async function shownLines(
  caller: Caller,
  file: FileRow,
  from: number,
  count: number,
): Promise<ShownLines | null> {
  if (!(await isShownAsText(caller, file))) return null;
  const read = () => shownText(caller, file);
  const key = callerOf(caller.actor, caller.clientAddress);
  return shownOf(await highlight(key, file.oid, file.mode === SYMLINK ? '' : file.name, read, from === 1), from, count);
}

async function shownText(caller: Caller, file: FileRow): Promise<string> {
  return (await bytesOf(caller, file))?.toString('utf8').toWellFormed() ?? '';
}

/** What a file defines, such as functions and headings: nothing for binary and large files, and languages without such a list. */
export async function symbolsOf(caller: Caller, file: FileRow): Promise<FileSymbol[]> {
  if (file.mode === SYMLINK || !(await isShownAsText(caller, file))) return [];
  const key = callerOf(caller.actor, caller.clientAddress);
  return (await highlight(key, file.oid, file.name, () => shownText(caller, file))).symbols;
}

/** The same of a text that is in no repository; `name` says its language. */
export async function shownLinesOf(
  caller: Pick<Caller, 'actor' | 'clientAddress'>,
  { name, text }: { name: string; text: string },
  from: number,
  count: number,
): Promise<ShownLines> {
  const hash = createHash('sha256').update(text).digest('hex');
  const key = callerOf(caller.actor, caller.clientAddress);
  return shownOf(await highlight(key, hash, name, async () => text.toWellFormed(), from === 1), from, count);
}

function shownOf(made: HighlightedLines, from: number, count: number): ShownLines {
  return { ...partOf(made, from, count), language: made.language, isCut: made.isCut };
}

function partOf(
  { lines, lengths, total }: HighlightedLines,
  from: number,
  count: number,
): Omit<ShownLines, 'language' | 'isCut'> {
  let [to, characters, html] = [from - 1, 0, 0];
  while (to < lines.length && to - from + 1 < count) {
    characters += (lengths[to] ?? 0) + 1;
    html += (lines[to]?.length ?? 0) + 1;
    if (to >= from && (characters > SHOWN_LIMITS.characters || html > SHOWN_LIMITS.html)) break;
    to++;
  }
  return { from, to, total, html: lines.slice(from - 1, to).join('\n') };
}

/** Bytes of a table that is shown. */
const MAX_TABLE_BYTES = 131_072;

/** The table in a file of comma- or tab-separated values; null for other files, large ones and those that are none after all. */
export async function tableOf(caller: Caller, file: FileRow): Promise<Table | null> {
  const [, ending] = TABLE.exec(file.name) ?? [];
  if (ending === undefined || file.size > MAX_TABLE_BYTES) return null;
  const text = await textOf(caller, file);
  return text === null ? null : parseTable(text, ending.toLowerCase() === 'csv' ? ',' : '\t');
}

/** Where the content is, of a file in large file storage (Git LFS); null for others. */
export async function lfsPointerOf(caller: Caller, file: BlobRow): Promise<LfsPointer | null> {
  return file.size > POINTER_BYTES.most ? null : parsePointer((await textOf(caller, file)) ?? '');
}

const IMAGES: Record<string, string> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

/** Media type of an image that browsers show, by the name of its file; null for other files. */
export function imageTypeOf(name: string): string | null {
  const ending = /\.(\w{2,4})$/.exec(name.toLowerCase())?.[1] ?? '';
  return Object.hasOwn(IMAGES, ending) ? (IMAGES[ending] ?? null) : null;
}

/** How a file is shown as HTML, by its name; null for files that are not. */
export function flavourOf(name: string): 'gfm' | 'notebook' | null {
  if (/\.(md|markdown|mdown|mkd)$/i.test(name)) return 'gfm';
  return /\.ipynb$/i.test(name) ? 'notebook' : null;
}
