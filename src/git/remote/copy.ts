import { constants, copyFile, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MissingObject } from '../errors.ts';
import { initRepository } from '../init.ts';
import { encodeName } from '../names.ts';
import { absentObjects } from '../objects/presence.ts';
import { type Ref, RefReader } from '../refs/read.ts';
import { setDefaultBranch } from '../refs/update.ts';
import { syncDirectory } from '../write/sync.ts';

/** How many files are copied at a time. */
const AT_ONCE = 8;
/** How often to look again at a repository that is repacked meanwhile. */
const ATTEMPTS = 10;

/** The branches and tags of a repository: what a copy of it has. */
export async function refsToCopy(directory: string): Promise<Ref[]> {
  const refs = new RefReader(directory);
  return [...(await refs.list('refs/heads/')), ...(await refs.list('refs/tags/'))];
}

/**
 * Copies a repository with its branches and tags to a place where nothing is yet. It shares nothing with its source, and
 * whoever calls this puts it where it belongs when it is complete. Throws MissingObject if a ref went and its objects were
 * removed meanwhile.
 */
export async function copyRepository(from: string, to: string, defaultBranch: string | null): Promise<Ref[]> {
  const refs = await refsToCopy(from);
  const head = (await new RefReader(from).head())?.replace(/^refs\/heads\//, '') ?? 'master';
  await rm(to, { recursive: true, force: true });
  await initRepository(to, 'master');
  await setDefaultBranch(to, defaultBranch ?? head);
  await copyObjects(from, to);
  const targets = refs.map(({ target }) => target);
  const [absent] = await absentObjects(to, targets);
  if (absent !== undefined) throw new MissingObject(absent);
  const lines = refs.map(({ name, target }) =>
    Buffer.concat([Buffer.from(`${target} `), encodeName(name), Buffer.from('\n')]),
  );
  await writeFile(path.join(to, 'packed-refs'), Buffer.concat([Buffer.from('# pack-refs with: \n'), ...lines]), {
    flush: true,
  });
  await syncDirectory(to);
  return refs;
}

/**
 * Copies all objects of a repository that another one does not have; they are on disk when this returns. Refs of the source
 * have to be read before. It may be written to and repacked meanwhile.
 */
export async function copyObjects(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = (await packFiles(from)).join();
    // What is packed meanwhile is found in the pack: single objects first.
    let complete = await copyLoose(from, to);
    const packs = await packFiles(from);
    complete = (await copyAll(at(from, 'pack'), at(to, 'pack'), packs)) && complete;
    if (complete && packs.join() === before) return;
    if (attempt === ATTEMPTS) throw new Error(`${from} does not hold still`);
  }
}

async function copyLoose(from: string, to: string): Promise<boolean> {
  let complete = true;
  for (const fanOut of await readdir(at(from))) {
    if (!/^[0-9a-f]{2}$/.test(fanOut)) continue;
    const names = (await readdir(at(from, fanOut)).catch(absent)).filter((name) => /^[0-9a-f]{38}$/.test(name));
    if (names.length === 0) continue;
    await mkdir(at(to, fanOut), { recursive: true });
    complete = (await copyAll(at(from, fanOut), at(to, fanOut), names)) && complete;
  }
  await syncDirectory(at(to));
  return complete;
}

/** Files of packs, the index behind the pack: without it nobody looks at that. */
async function packFiles(directory: string): Promise<string[]> {
  const names = await readdir(at(directory, 'pack')).catch(absent);
  const ranks = ['.pack', '.rev', '.idx'];
  const rank = (name: string) => ranks.indexOf(path.extname(name));
  return names
    .filter((name) => /^pack-[0-9a-f]{40}\.(pack|rev|idx)$/.test(name))
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1));
}

/** Returns whether all of them were there. */
async function copyAll(from: string, to: string, names: readonly string[]): Promise<boolean> {
  const present = new Set(await readdir(to));
  const missing = names.filter((name) => !present.has(name));
  let complete = true;
  for (let start = 0; start < missing.length; start += AT_ONCE) {
    const group = missing.slice(start, start + AT_ONCE);
    const copied = await Promise.all(group.map((name) => copyOne(path.join(from, name), path.join(to, name))));
    complete = copied.every(Boolean) && complete;
  }
  if (missing.length > 0) await syncDirectory(to);
  return complete;
}

async function copyOne(from: string, to: string): Promise<boolean> {
  const draft = path.join(path.dirname(to), `tmp_copy_${path.basename(to)}`);
  try {
    await copyFile(from, draft, constants.COPYFILE_FICLONE);
    const handle = await open(draft, 'r');
    await handle.sync().finally(() => handle.close());
    await rename(draft, to);
    return true;
  } catch (error) {
    await rm(draft, { force: true });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function at(directory: string, ...parts: string[]): string {
  return path.join(directory, 'objects', ...parts);
}

function absent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
