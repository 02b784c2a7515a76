import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { LimitExceeded } from '../base/errors.ts';
import { EXECUTABLE, FILE, type Oid } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import type { Change } from '../base/side.ts';
import { pathFault } from './path.ts';

/** A file with attributes. */
export interface AttributeFile {
  /** In the tree. */
  path: string;
  content: Buffer;
}

/** In how many directories files with attributes are looked for. */
const MAX_DIRECTORIES = 20_000;

/** How large these files may be together, in bytes; git pushes none with longer lines than it reads. */
const MAX_BYTES = 1024 * 1024;

const NAME = '.gitattributes';

/**
 * The files that say how contents are merged that two sides changed, as a merge into `ours` heeds them: those of the directories
 * in which such contents lie, and of all above. Throws LimitExceeded.
 */
export async function mergeAttributes(
  reader: RepositoryReader,
  ours: Oid,
  sides: readonly [readonly Change[], readonly Change[]],
): Promise<AttributeFile[]> {
  const files: AttributeFile[] = [];
  let bytes = 0;
  let directories = 0;
  for (const directory of directoriesAbove(mergedPaths(sides))) {
    if (++directories > MAX_DIRECTORIES)
      throw new LimitExceeded('work', `more than ${MAX_DIRECTORIES} directories are merged`);
    await yieldToEventLoop();
    const path = directory + NAME;
    // Git does not follow links there, and files are to be written under these names.
    const entry = pathFault(path) === null ? await reader.entry(ours, path) : null;
    if (entry === null || ![FILE, EXECUTABLE].includes(entry.mode)) continue;
    bytes += (await reader.blobSize(entry.oid)) ?? 0;
    if (bytes > MAX_BYTES)
      throw new LimitExceeded('work', `the attributes of what is merged have more than ${MAX_BYTES} bytes`);
    const content = await reader.blob(entry.oid, MAX_BYTES);
    if (content !== null) files.push({ path, content });
  }
  return files;
}

/** The paths whose contents may have to be merged: changed by both, or one of them changed what the other one moved there. */
function mergedPaths([left, right]: readonly [readonly Change[], readonly Change[]]): string[] {
  const others = new Map(right.map((change) => [change.path, change]));
  const paths: string[] = [];
  let leftMoves = false;
  let rightMoves = false;
  for (const { path, now } of left) {
    const other = others.get(path);
    if (other === undefined) continue;
    paths.push(path);
    leftMoves ||= now === null;
    rightMoves ||= other.now === null;
  }
  const added = (changes: readonly Change[]) => changes.flatMap(({ path, old }) => (old === null ? [path] : []));
  return [...paths, ...(leftMoves ? added(left) : []), ...(rightMoves ? added(right) : [])];
}

/** The directories of these paths and all above them, with a slash at their end; the root is empty. */
function* directoriesAbove(paths: readonly string[]): Generator<string> {
  const seen = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end + 1);
      if (seen.has(directory)) break;
      seen.add(directory);
      yield directory;
      if (end <= 0) break;
    }
  }
}
