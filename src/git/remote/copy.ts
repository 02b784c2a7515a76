import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MissingObject } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import { syncDirectory } from '../base/sync.ts';
import { findReadable } from '../incoming/find_readable.ts';
import { PackKeepLock } from '../incoming/pack_keep_lock.ts';
import { initRepository } from '../init.ts';
import { type Ref, RefReader } from '../refs/read.ts';
import { setDefaultBranch } from '../refs/update.ts';
import { copyInProcess } from './copy_in_process.ts';
import { secureObjects } from './secure.ts';

/** The branches and tags of a repository: what a copy of it has. */
export async function refsToCopy(directory: string): Promise<Ref[]> {
  const refs = new RefReader(directory);
  return [...(await refs.list('refs/heads/')), ...(await refs.list('refs/tags/'))];
}

export interface CopyOptions {
  /** The branch that HEAD stands for; that of the source if null. */
  defaultBranch: string | null;
  /** Milliseconds that looking for the objects and packing them may take. */
  timeout: number;
}

/**
 * Copies a repository with its branches and tags, and nothing that these do not lead to, to a place where nothing is yet. It
 * shares nothing with its source, and the caller moves it into place when it is complete. Of a damaged source,
 * only branches and tags with a complete history are copied. Throws MissingObject if there are none.
 */
export async function copyRepository(
  from: string,
  to: string,
  { defaultBranch, timeout }: CopyOptions,
): Promise<Ref[]> {
  const refs = await refsToCopy(from);
  const head = (await new RefReader(from).head())?.replace(/^refs\/heads\//, '') ?? 'master';
  await rm(to, { recursive: true, force: true });
  await initRepository(to, 'master');
  await setDefaultBranch(to, defaultBranch ?? head);
  const keepLock = await PackKeepLock.open(to);
  try {
    const whole = await copyWhole(from, to, refs, { keepLock, timeout });
    const lines = whole.map(({ name, target }) =>
      Buffer.concat([Buffer.from(`${target} `), encodeName(name), Buffer.from('\n')]),
    );
    await writeFile(path.join(to, 'packed-refs'), Buffer.concat([Buffer.from('# pack-refs with: \n'), ...lines]), {
      flush: true,
    });
    await syncDirectory(to);
    return whole;
  } finally {
    await keepLock?.release();
  }
}

/** Copies what refs lead to; returns those whose history is there. */
async function copyWhole(
  from: string,
  to: string,
  refs: Ref[],
  { keepLock, timeout }: { keepLock: PackKeepLock | undefined; timeout: number },
): Promise<Ref[]> {
  const targets = [...new Set(refs.map(({ target }) => target))];
  if (keepLock === undefined) {
    await copyInProcess(from, to, targets);
    return refs;
  }
  const copy = (part: readonly Oid[]) => {
    const changes = part.map((oid) => ({ name: oid, from: null, to: oid }));
    return secureObjects(keepLock, changes, { sources: [from], timeout });
  };
  if (await copy(targets)) return refs;
  const readable = new Set(await findReadable(targets, copy));
  const [broken = ''] = targets.filter((oid) => !readable.has(oid));
  if (readable.size === 0) throw new MissingObject(broken);
  return refs.filter(({ target }) => readable.has(target));
}
