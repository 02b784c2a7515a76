import { ProgramFailed } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import type { PackKeepLock } from '../incoming/pack_keep_lock.ts';
import { Quarantine, RefusedObjects } from '../incoming/quarantine.ts';
import { absentObjects } from '../objects/presence.ts';
import { programVersion } from '../program/detect.ts';
import { runProgram } from '../program/run.ts';
import { RefReader } from '../refs/read.ts';
import type { RefChange } from '../refs/update_many.ts';

/** Milliseconds that looking for objects and packing them may take. */
const TIME = 50_000;

export interface SecureOptions {
  /** Repositories from which objects may be taken as well. */
  sources?: readonly string[];
  /** How long that may take, in milliseconds. */
  timeout?: number;
}

/** All values of refs. */
export async function refValues(directory: string): Promise<Set<Oid>> {
  return new Set((await new RefReader(directory).list('refs/')).map(({ target }) => target));
}

/**
 * Makes sure that refs can be made to hold their new values: whatever these lead to is reachable from other refs, or kept by
 * the lock, which takes in what is neither. Returns whether all of it is there. Without a git program it looks at nothing.
 */
export async function secureObjects(
  keepLock: PackKeepLock,
  changes: readonly RefChange[],
  { sources = [], timeout = TIME }: SecureOptions = {},
): Promise<boolean> {
  const present = new Set(changes.map(({ from }) => from));
  const open = new Set(changes.flatMap(({ to }) => (to === null ? [] : (keepLock.baseOf(to) ?? []))));
  // What a commit follows is what its branch holds: that is looked at anyway.
  keepLock.rely([...open].filter((oid) => present.has(oid)));
  const tips = [...open].filter((oid) => !present.has(oid));
  if (tips.length === 0 || (await programVersion()) === null) return true;
  const bounds = await refValues(keepLock.directory);
  keepLock.rely(tips.filter((oid) => bounds.has(oid)));
  const others = tips.filter((oid) => !bounds.has(oid));
  if (others.length === 0) return true;
  const quarantine = await Quarantine.open(keepLock.directory, AbortSignal.timeout(timeout), sources);
  try {
    await quarantine.complete(others, bounds, keepLock.packs);
    await quarantine.migrate(keepLock);
    keepLock.rely(bounds);
    for (const oid of others) keepLock.markComplete(oid, null);
    return true;
  } catch (error) {
    if (error instanceof RefusedObjects) return false;
    throw error;
  } finally {
    await quarantine.discard();
  }
}

/**
 * As secureObjects, just before refs are written, by who keeps all others from doing so: looks whether the values of refs
 * that the lock relies on are still reachable, and secures the objects anew if not.
 */
export async function confirmObjects(keepLock: PackKeepLock, changes: readonly RefChange[]): Promise<boolean> {
  const refs = new RefReader(keepLock.directory);
  const needed = new Set(keepLock.relied);
  // Changes of refs that hold something else by now are not made.
  const possible: RefChange[] = [];
  for (const change of changes) {
    if (change.from !== null && (await refs.read(change.name)) !== change.from) continue;
    possible.push(change);
    if (change.from !== null) needed.delete(change.from);
  }
  if (needed.size === 0) return true;
  const values = await refValues(keepLock.directory);
  const gone = [...needed].filter((oid) => !values.has(oid));
  if (gone.length === 0 || (await areReachable(keepLock.directory, gone, values))) return true;
  keepLock.forget();
  return secureObjects(keepLock, possible);
}

/** Whether these objects, and with them all that they lead to, are reachable from the values of refs. */
async function areReachable(directory: string, oids: readonly Oid[], values: ReadonlySet<Oid>): Promise<boolean> {
  if ((await programVersion()) === null || (await absentObjects(directory, oids)).length > 0) return false;
  const input = Buffer.from([...oids, ...[...values].map((oid) => `^${oid}`), ''].join('\n'));
  const args = ['rev-list', '--objects', '--no-object-names', '--stdin'];
  try {
    // The first object that is listed is one too many.
    await runProgram(directory, args, { input, limit: 0 });
    return true;
  } catch (error) {
    if (error instanceof ProgramFailed) return false;
    throw error;
  }
}
