import { MissingObject } from '../errors.ts';
import { DIRECTORY, EMPTY_TREE, type Mode, type Oid, type TreeEntry } from '../model.ts';
import { decodeName, encodeName } from '../names.ts';
import { canonicalMode, parseTree, typeOfMode } from './parse.ts';
import type { ObjectStore } from './store.ts';

/** What lies at a path below a tree; null if nothing does. The empty path is the tree itself. Throws MissingObject. */
export async function entryAt(store: ObjectStore, tree: Oid, path: string): Promise<{ mode: Mode; oid: Oid } | null> {
  let found = { mode: DIRECTORY, oid: tree };
  for (const component of pathComponents(path)) {
    if (typeOfMode(found.mode) !== 'tree') return null;
    const entry = findEntry(await treeBytes(store, found.oid), encodeName(component));
    if (entry === null) return null;
    found = entry;
  }
  return found;
}

/** The entries of one directory, in git's order; `prefix` is its path. */
export async function directoryEntries(store: ObjectStore, tree: Oid, prefix: string): Promise<TreeEntry[]> {
  return parseTree(await treeBytes(store, tree)).map(({ mode, name, oid }) => {
    const text = decodeName(name);
    return { oid, name: text, path: prefix === '' ? text : `${prefix}/${text}`, type: typeOfMode(mode), mode };
  });
}

/** All entries below a directory, each directory before what it holds, in git's order. */
export async function allEntries(store: ObjectStore, tree: Oid, prefix: string): Promise<TreeEntry[]> {
  const entries = await directoryEntries(store, tree, prefix);
  const below = await Promise.all(
    entries.map((entry) => (entry.type === 'tree' ? allEntries(store, entry.oid, entry.path) : [])),
  );
  return entries.flatMap((entry, at) => [entry, ...(below[at] ?? [])]);
}

/** The content of a tree object. Throws MissingObject. */
export async function treeBytes(store: ObjectStore, oid: Oid): Promise<Buffer> {
  if (oid === EMPTY_TREE) return Buffer.alloc(0);
  const object = await store.read(oid);
  if (object?.type !== 'tree') throw new MissingObject(oid, 'tree');
  return object.content;
}

/** The names between the slashes; slashes at the ends and doubled ones do not count. */
export function pathComponents(path: string): string[] {
  return path.split('/').filter((component) => component !== '');
}

/** Finds one name in the bytes of a tree without reading the others apart. */
function findEntry(bytes: Buffer, name: Buffer): { mode: Mode; oid: Oid } | null {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0) return null;
    if (end - space - 1 === name.length && bytes.compare(name, 0, name.length, space + 1, end) === 0) {
      const mode = canonicalMode(bytes.toString('latin1', at, space));
      return { mode, oid: bytes.toString('hex', end + 1, end + 21) };
    }
    at = end + 21;
  }
  return null;
}
