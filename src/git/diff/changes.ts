import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { Changes } from '../base/comparison.ts';
import { EMPTY_TREE, type Oid } from '../base/model.ts';
import { decodeName } from '../base/names.ts';
import type { RepositoryReader } from '../base/reader.ts';
import type { Change, Side } from '../base/side.ts';
import { TreeCursor } from '../objects/tree_cursor.ts';
import { WalkBudget } from '../objects/walk_budget.ts';

/** After how many entries others get their turn. */
const ENTRIES_PER_YIELD = 1_000;

/** Two directories at the same path, each at its next entry. */
interface Level {
  prefix: string;
  old: Entries;
  now: Entries;
}

/**
 * The files, links and submodules in which two trees differ, in the order of the bytes of their paths: no more than so many of so
 * many directories, after which the walk ends. Directories that are the same on both sides are not entered. Throws LimitExceeded.
 */
export async function firstChanges(
  reader: RepositoryReader,
  from: Oid,
  to: Oid,
  { most = Infinity, directories = Infinity }: { most?: number; directories?: number } = {},
): Promise<Changes> {
  const budget = new WalkBudget();
  const changes: Change[] = [];
  const open = async (old: Oid, now: Oid, prefix: string): Promise<Level> => {
    await yieldToEventLoop();
    return { prefix, old: await Entries.open(reader, old, budget), now: await Entries.open(reader, now, budget) };
  };
  const stack = [await open(from, to, '')];
  let passed = 0;
  let entered = 1;
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    if (++passed % ENTRIES_PER_YIELD === 0) await yieldToEventLoop();
    const pair = nextPair(level);
    if (pair === null) {
      stack.pop();
      continue;
    }
    const { old, now } = pair;
    const path = level.prefix + decodeName((old ?? now)?.name ?? Buffer.alloc(0));
    budget.path(path);
    if ((old ?? now)?.type === 'tree') {
      if (++entered > directories) return { changes, isComplete: false };
      stack.push(await open(old?.oid ?? EMPTY_TREE, now?.oid ?? EMPTY_TREE, `${path}/`));
    } else {
      if (changes.length >= most) return { changes, isComplete: false };
      changes.push({ path, old: sideOf(old, path), now: sideOf(now, path) });
    }
  }
  return { changes, isComplete: true };
}

/** The entries of one directory. */
class Entries {
  readonly cursor: TreeCursor;
  /** Whether the cursor stands at an entry. */
  present: boolean;

  private constructor(bytes: Buffer) {
    this.cursor = new TreeCursor(bytes);
    this.present = this.cursor.next();
  }

  static async open(reader: RepositoryReader, tree: Oid, budget: WalkBudget): Promise<Entries> {
    const bytes = await reader.treeBytes(tree);
    budget.directory(bytes);
    return new Entries(bytes);
  }
}

interface Entry {
  name: Buffer;
  type: string;
  mode: string;
  oid: Oid;
}

/** The next name at which the two differ; null behind the last one. */
function nextPair({ old, now }: Level): { old: Entry | null; now: Entry | null } | null {
  while (old.present || now.present) {
    const order = !old.present ? 1 : !now.present ? -1 : old.cursor.compare(now.cursor);
    const left = order <= 0 && !(order === 0 && old.cursor.isSame(now.cursor)) ? entryOf(old.cursor) : null;
    const right = order >= 0 && !(order === 0 && left === null) ? entryOf(now.cursor) : null;
    if (order <= 0) old.present = old.cursor.next();
    if (order >= 0) now.present = now.cursor.next();
    if (left !== null || right !== null) return { old: left, now: right };
  }
  return null;
}

function entryOf({ name, type, mode, oid }: TreeCursor): Entry {
  return { name, type, mode, oid };
}

function sideOf(entry: Entry | null, path: string): Side | null {
  return entry === null ? null : { path, mode: entry.mode, oid: entry.oid };
}
