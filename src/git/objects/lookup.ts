import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { MissingObject } from '../base/errors.ts';
import { DIRECTORY, EMPTY_TREE, type Mode, type Oid } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import { canonicalMode, typeOfMode } from './parse.ts';
import type { ObjectStore } from './store.ts';

/** Looking through a directory of this size takes a noticeable time; in bytes. */
const LARGE = 128 * 1024;

/** What lies at a path below a tree; null if nothing does. The empty path is the tree itself. Throws MissingObject. */
export async function entryAt(store: ObjectStore, tree: Oid, path: string): Promise<{ mode: Mode; oid: Oid } | null> {
  let found = { mode: DIRECTORY, oid: tree };
  for (const [at, component] of pathComponents(path).entries()) {
    if (at % DIRECTORIES_PER_YIELD === DIRECTORIES_PER_YIELD - 1) await yieldToEventLoop();
    if (typeOfMode(found.mode) !== 'tree') return null;
    const bytes = await treeBytes(store, found.oid);
    if (bytes.length > LARGE) await yieldToEventLoop();
    const entry = findEntry(bytes, encodeName(component));
    if (entry === null) return null;
    found = entry;
  }
  return found;
}

/** The content of a tree object. Throws MissingObject, LimitExceeded. */
export async function treeBytes(store: ObjectStore, oid: Oid): Promise<Buffer> {
  if (oid === EMPTY_TREE) return Buffer.alloc(0);
  const object = await store.read(oid);
  if (object?.type !== 'tree') throw new MissingObject(oid, 'tree');
  return object.content;
}

/** After how many directories others get their turn. */
const DIRECTORIES_PER_YIELD = 64;

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
