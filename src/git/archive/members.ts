import { Readable } from 'node:stream';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { GitError, MissingObject } from '../base/errors.ts';
import { EXECUTABLE, type Mode, type Oid, SYMLINK } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { RepositoryReader, TreePart } from '../base/reader.ts';
import { TreeCursor } from '../objects/tree_cursor.ts';

/** Contents up to this size are read at once, larger ones in chunks; in bytes. */
const SMALL = 1024 * 1024;

/** Something in an archive. */
export interface Member {
  /** With the prefix, as in names.ts; that of a directory ends in a slash. */
  path: string;
  kind: 'directory' | 'file' | 'symlink';
  /** The permission bits, as `git archive` gives them. */
  permissions: number;
  /** In bytes; 0 for a directory. */
  size: number;
  /** In memory if it is small; for a link its target. */
  content: Buffer | Readable;
}

/** All entries of a commit, directories before their contents; submodules are empty directories. */
export async function* members({ reader, commit, prefix, part }: ArchiveInput): AsyncGenerator<Member> {
  for (const path of prefixes(prefix)) yield directory(path);
  yield* below(reader, commit, { root: prefix, part });
}

/** What an archive is made of. */
export interface ArchiveInput {
  reader: RepositoryReader;
  commit: Oid;
  /** A directory with a slash at its end that everything lies in, or empty. */
  prefix: string;
  /** Which files it has; all of them when absent. */
  part?: TreePart | undefined;
}

/** When the commit was made, in seconds since 1970: the age of everything in the archive. */
export async function archiveTime({ reader, commit }: ArchiveInput): Promise<number> {
  const found = await reader.commit(commit);
  if (found === null) throw new GitError(`There is no commit ${commit}`);
  return found.committer.seconds;
}

async function* below(
  reader: RepositoryReader,
  commit: Oid,
  { root, part }: { root: string; part: TreePart | undefined },
): AsyncGenerator<Member> {
  const open = async (tree: Oid, prefix: string) => {
    await yieldToEventLoop();
    return { cursor: new TreeCursor(await reader.treeBytes(tree)), prefix };
  };
  const top = part?.root ? (await reader.entry(commit, part.root))?.oid : (await reader.commit(commit))?.tree;
  const stack = [await open(top ?? commit, root)];
  for (let last = stack.at(-1); last !== undefined; last = stack.at(-1)) {
    const { cursor, prefix } = last;
    if (!cursor.next()) {
      stack.pop();
      continue;
    }
    const path = prefix + decodeName(cursor.name);
    if (part && !isWanted(path.slice(root.length), part)) continue;
    if (cursor.type === 'blob') yield file(path, cursor.mode, await load(reader, cursor.oid));
    else yield directory(`${path}/`);
    if (cursor.type === 'tree') stack.push(await open(cursor.oid, `${path}/`));
  }
}

/** Whether a path is part of what is wanted, or leads there. */
function isWanted(path: string, { path: wanted = '', exclude = [] }: TreePart): boolean {
  const lies = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  if (exclude.some((one) => lies(path, one))) return false;
  return wanted === '' || lies(path, wanted) || lies(wanted, path);
}

async function load(reader: RepositoryReader, oid: Oid): Promise<{ size: number; content: Buffer | Readable }> {
  const size = await reader.blobSize(oid);
  if (size === null) throw new MissingObject(oid, 'blob');
  const content = size <= SMALL ? await reader.blob(oid, SMALL) : (await reader.blobStream(oid))?.stream;
  if (content === null || content === undefined) throw new MissingObject(oid, 'blob');
  return { size, content };
}

function file(path: string, mode: Mode, { size, content }: { size: number; content: Buffer | Readable }): Member {
  const link = mode === SYMLINK;
  const permissions = link ? 0o777 : mode === EXECUTABLE ? 0o775 : 0o664;
  return { path, kind: link ? 'symlink' : 'file', permissions, size, content };
}

function directory(path: string): Member {
  return { path, kind: 'directory', permissions: 0o775, size: 0, content: Buffer.alloc(0) };
}

/** The directories that a prefix is made of. */
function prefixes(prefix: string): string[] {
  const parts = prefix.split('/').slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
}

/** The content as chunks. */
export function chunksOf(content: Buffer | Readable): AsyncIterable<Buffer> {
  return Buffer.isBuffer(content) ? Readable.from([content]) : content;
}

/** The whole content; for links, which are short. */
export async function wholeOf(content: Buffer | Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(content)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
