import { rm, unlink } from 'node:fs/promises';
import { InvalidRefName, MissingObject, RefChanged } from '../base/errors.ts';
import { isAbsent } from '../base/existence.ts';
import { isOid, type Oid } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import { syncDirectory } from '../base/sync.ts';
import { absentObjects } from '../objects/presence.ts';
import { LOCK_TIMEOUT, RefLock, removeEmptyAbove } from './lock.ts';
import { isValidBranchName, isValidRefName } from './name.ts';
import { packedNames, writePacked } from './packed_write.ts';
import { RefReader, readSmall, refFile, symbolicTarget } from './read.ts';

export interface RefUpdate {
  /** What the ref must hold now; null if it must not exist. Anything goes without. */
  from?: Oid | null;
  to: Oid;
  /** How long to wait for another one's lock, in milliseconds. */
  timeout?: number;
}

/**
 * Sets a ref, by its full name, if it has the expected value. On disk when this returns. Throws RefChanged,
 * RefLocked, MissingObject, and InvalidRefName, also for a name that is a directory of refs or lies below one.
 */
export async function updateRef(directory: string, name: string, update: RefUpdate): Promise<void> {
  const { from, to, timeout = LOCK_TIMEOUT } = update;
  if (!isValidRefName(name)) throw new InvalidRefName(name);
  if (!isOid(to)) throw new TypeError(`${to} is not the full name of an object`);
  const target = await followSymbolic(directory, name);
  const lock = await RefLock.take(directory, target, timeout);
  try {
    const refs = new RefReader(directory);
    const actual = await refs.read(target);
    if (from !== undefined && actual !== from) throw new RefChanged(name, actual);
    if (actual === null) await refuseConflict(refs, target);
    if ((await absentObjects(directory, [to])).length > 0) throw new MissingObject(to);
    await lock.commit(Buffer.from(`${to}\n`));
  } catch (error) {
    await lock.release();
    await removeEmptyAbove(directory, target);
    throw error;
  }
}

/** Deletes a ref, by its full name, if it has the expected value. Throws RefChanged, RefLocked. */
export async function deleteRef(
  directory: string,
  name: string,
  { from, timeout = LOCK_TIMEOUT }: { from?: Oid; timeout?: number } = {},
): Promise<void> {
  if (!isValidRefName(name)) throw new InvalidRefName(name);
  const lock = await RefLock.take(directory, name, timeout);
  try {
    const actual = await new RefReader(directory).read(name);
    const symbolic = symbolicTarget((await readSmall(refFile(directory, name))) ?? '') !== null;
    if (from !== undefined ? actual !== from : actual === null && !symbolic) throw new RefChanged(name, actual);
    // The packed value first: if it stayed behind alone, the ref would be back with an old value.
    await removePacked(directory, name, timeout);
    await unlink(refFile(directory, name)).catch((error) => {
      // A directory in its place may hold other refs, or nothing.
      if (!isAbsent(error) && error.code !== 'EPERM') throw error;
    });
    await rm(refFile(directory, `logs/${name}`), { force: true });
    await syncDirectory(refFile(directory, name.split('/').slice(0, -1).join('/')));
  } finally {
    await lock.release();
  }
  await removeEmptyAbove(directory, name);
}

/** Makes HEAD stand for a branch, whether or not it exists. */
export async function setDefaultBranch(directory: string, branch: string): Promise<void> {
  if (!isValidBranchName(branch)) throw new InvalidRefName(branch);
  const lock = await RefLock.take(directory, 'HEAD');
  try {
    await lock.commit(Buffer.concat([Buffer.from('ref: '), encodeName(`refs/heads/${branch}`), Buffer.from('\n')]));
  } finally {
    await lock.release();
  }
}

/** The ref that is written instead of a symbolic one. */
async function followSymbolic(directory: string, name: string): Promise<string> {
  let current = name;
  for (let depth = 0; depth < 5; depth++) {
    const next = symbolicTarget((await readSmall(refFile(directory, current))) ?? '');
    if (next === null) return current;
    if (!isValidRefName(next)) throw new InvalidRefName(next);
    current = next;
  }
  throw new InvalidRefName(name, 'leads in a circle');
}

/** Files and directories exclude each other, also where one of the two is packed. */
async function refuseConflict(refs: RefReader, name: string): Promise<void> {
  const parts = name.split('/');
  for (let length = parts.length - 1; length > 1; length--) {
    const above = parts.slice(0, length).join('/');
    if ((await refs.read(above)) !== null) throw new InvalidRefName(name, `lies below the ref ${above}`);
  }
  if ((await refs.list(`${name}/`)).length > 0) throw new InvalidRefName(name, 'is a directory of other refs');
}

/** Takes a ref out of `packed-refs`, if it is in there. */
async function removePacked(directory: string, name: string, timeout: number): Promise<void> {
  if (!(await packedNames(directory)).has(encodeName(name).toString('latin1'))) return;
  await writePacked(directory, [{ name, to: null }], timeout);
}
