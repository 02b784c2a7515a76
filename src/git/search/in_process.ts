import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { MAX_WHOLE_BLOB_BYTES } from '../base/limits.ts';
import { EXECUTABLE, FILE, type Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { RepositoryReader } from '../base/reader.ts';
import type { FileHits, FileSearch, MessageHits, MessageSearch } from '../base/search.ts';
import { TreeCursor } from '../objects/tree_cursor.ts';
import { AROUND, hitOf } from './hits.ts';
import { matchesPath } from './pattern.ts';

/** Bytes at the beginning of a file that tell whether it is binary, as git looks. */
const BEGINNING = 8_000;

/** Finds files without a git program, in those of up to 1 MiB. */
export async function searchFiles(reader: RepositoryReader, search: FileSearch): Promise<FileHits> {
  const { commit, text, all = [], none = [], paths, most, milliseconds } = search;
  const deadline = performance.now() + milliseconds;
  if (text.includes('\n')) return { hits: [], isWhole: true };
  if ([...all, ...none].some(({ kind }) => kind === 'regex')) return { hits: [], isWhole: false };
  const [first = text, ...further] = all.map(({ value }) => value.toLowerCase());
  const [hits, wanted]: [FileHits['hits'], string] = [[], first.toLowerCase()];
  const fits = (content: Buffer) => {
    if (further.length + none.length === 0) return true;
    const lower = content.toString().toLowerCase();
    return (
      further.every((one) => lower.includes(one)) && !none.some(({ value }) => lower.includes(value.toLowerCase()))
    );
  };
  for await (const { path, oid } of files(reader, commit)) {
    if (performance.now() > deadline) return { hits, isWhole: false };
    if (!paths.every((pattern) => matchesPath(path.toLowerCase(), pattern))) continue;
    const size = await reader.blobSize(oid);
    const content = size === null || size > MAX_WHOLE_BLOB_BYTES ? null : await reader.blob(oid, MAX_WHOLE_BLOB_BYTES);
    const found = content === null || !fits(content) ? null : firstLines(content, wanted);
    const hit = found && hitOf(path, found.startLine, found.lines);
    if (!hit) continue;
    if (hits.length === most) return { hits, isWhole: false };
    hits.push(hit);
  }
  return { hits, isWhole: true };
}

/** Finds commits without a git program. */
export async function searchMessages(reader: RepositoryReader, search: MessageSearch): Promise<MessageHits> {
  const { start, text, most, milliseconds } = search;
  const deadline = performance.now() + milliseconds;
  const [commits, wanted]: [Oid[], string] = [[], text.toLowerCase()];
  for (let offset = 0; ; offset += BATCH_SIZE) {
    const page = await reader.log({ start }, { offset, limit: BATCH_SIZE });
    for (const { oid, message } of page) {
      await yieldToEventLoop();
      if (
        !message
          .toLowerCase()
          .split('\n')
          .some((line) => line.includes(wanted))
      )
        continue;
      if (commits.length === most) return { commits, isWhole: false };
      commits.push(oid);
    }
    if (page.length < BATCH_SIZE) return { commits, isWhole: true };
    if (performance.now() > deadline) return { commits, isWhole: false };
  }
}

/** How many commits are read at a time. */
const BATCH_SIZE = 1_000;

/** The files of a commit, without links, in git's order. */
async function* files(reader: RepositoryReader, commit: Oid): AsyncGenerator<{ path: string; oid: Oid }> {
  const open = async (tree: Oid, prefix: string) => ({ cursor: new TreeCursor(await reader.treeBytes(tree)), prefix });
  const stack = [await open((await reader.commit(commit))?.tree ?? commit, '')];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    await yieldToEventLoop();
    const { cursor, prefix } = top;
    if (!cursor.next()) {
      stack.pop();
      continue;
    }
    const path = prefix + decodeName(cursor.name);
    if (cursor.type === 'tree') stack.push(await open(cursor.oid, `${path}/`));
    else if (cursor.mode === FILE || cursor.mode === EXECUTABLE) yield { path, oid: cursor.oid };
  }
}

/** The first line with the text, and those around it; null for binary files, and for those without it. */
function firstLines(content: Buffer, wanted: string): { startLine: number; lines: Buffer[] } | null {
  if (content.length === 0 || content.subarray(0, BEGINNING).includes(0)) return null;
  const text = content.toString();
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at < 0) return null;
  let before = 0;
  for (let end = lower.indexOf('\n'); end >= 0 && end < at; end = lower.indexOf('\n', end + 1)) before++;
  const first = Math.max(0, before - AROUND);
  const lines: Buffer[] = [];
  for (let start = 0, line = 0; start < text.length && line <= before + AROUND; line++) {
    const end = text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start);
    if (line >= first) lines.push(Buffer.from(text.slice(start, end)));
    start = end + 1;
  }
  return { startLine: first + 1, lines };
}
