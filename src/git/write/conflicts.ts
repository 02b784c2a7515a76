import { EXECUTABLE, FILE, type Mode, type Oid, SUBMODULE, SYMLINK } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import { type ConflictPart, conflictParts, isText, type ThreeContents } from './conflict_regions.ts';
import type { Stage } from './merge_by_program.ts';
import { mergeCommits } from './merge_trees.ts';
import { ObjectWriter } from './objects.ts';

/**
 * What is in conflict: the lines of a `text`; or what is not put together here: a file that one side `deleted`, or that was `moved`, or
 * whose place a directory takes, a `link`, a `submodule`, content that is `binary` or `tooLarge`, and `unread` for files behind the limits.
 */
export type ConflictKind = 'text' | 'deleted' | 'moved' | 'link' | 'submodule' | 'binary' | 'tooLarge' | 'unread';

export interface ConflictedFile {
  path: string;
  kind: ConflictKind;
  /** Of the merged file. */
  mode: Mode;
  /** The parts of a text; empty for others. */
  parts: ConflictPart[];
}

/** What two commits cannot both have, in the order of the bytes of its paths. */
export interface Conflicts {
  files: ConflictedFile[];
  /** What could be merged, with both sides in the files that have conflicts; null if nothing was, as contents are too large. */
  tree: Oid | null;
  /** The new objects of the tree. */
  objects: ObjectWriter;
  /** Whether it has to be checked as pushes are. */
  needsCheck: boolean;
}

/** The largest side of a file that is put together, in bytes. */
export const MAX_SIDE_BYTES = 256 * 1024;

/** Both sides of all files together, in bytes; later files are not read. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Files that are put together; later ones are not read. */
export const MAX_FILES = 100;

/** Files that are named. */
const MAX_NAMED_FILES = 1_000;

/** Regions of a file; one with more is too large. */
export const MAX_REGIONS = 200;

/**
 * The conflicts of a merge of `theirs` into `ours`; null where they have no common ancestor. Throws NothingChanged where ours has theirs
 * already, LimitExceeded, MissingObject.
 */
export async function findConflicts(
  reader: RepositoryReader,
  { ours, theirs }: { ours: Oid; theirs: Oid },
): Promise<Conflicts | null> {
  const objects = new ObjectWriter(reader.directory);
  const merge = await mergeCommits(reader, objects, { ours, theirs, keepsConflicts: true });
  if (merge === null) return null;
  const { conflicts, stages, tree, needsCheck } = merge;
  const paths = conflicts.slice(0, MAX_NAMED_FILES);
  const isWhole = stages !== null && paths.length === conflicts.length;
  const known = Map.groupBy(stages ?? [], ({ path }) => path);
  const read = new SideReader(reader, objects);
  const files: ConflictedFile[] = [];
  for (const path of paths) {
    files.push(
      stages === null ? unmerged(path, 'tooLarge') : await conflictOf(path, known.get(path) ?? [], read, files.length),
    );
  }
  const texts = files.filter(({ kind }) => kind === 'text');
  const parts = await conflictParts(
    reader.directory,
    texts.map(({ path }) => read.contentsOf(path)),
  );
  for (const [at, file] of texts.entries()) {
    file.parts = parts[at] ?? [];
    if (file.parts.length > 2 * MAX_REGIONS + 1) Object.assign(file, unmerged(file.path, 'tooLarge'));
  }
  return { files, tree: isWhole ? tree : null, objects, needsCheck };
}

function unmerged(path: string, kind: ConflictKind): ConflictedFile {
  return { path, kind, mode: FILE, parts: [] };
}

async function conflictOf(
  path: string,
  stages: readonly Stage[],
  read: SideReader,
  before: number,
): Promise<ConflictedFile> {
  const [base, ours, theirs] = [1, 2, 3].map((stage) => stages.find((one) => one.stage === stage));
  const modes = stages.map(({ mode }) => mode);
  if (modes.includes(SUBMODULE)) return unmerged(path, 'submodule');
  if (modes.includes(SYMLINK)) return unmerged(path, 'link');
  if (!ours || !theirs) return unmerged(path, base && (ours || theirs) ? 'deleted' : 'moved');
  // A file that was merged before it was moved here may have conflicts of its own.
  if (read.isNew(ours.oid) || read.isNew(theirs.oid)) return unmerged(path, 'moved');
  if (before >= MAX_FILES) return unmerged(path, 'unread');
  const kind = await read.take(path, [base?.oid ?? null, ours.oid, theirs.oid]);
  return { path, kind, mode: modeOf(base?.mode ?? null, ours.mode, theirs.mode), parts: [] };
}

/** Whichever side changed the mode has its way. */
function modeOf(base: Mode | null, ours: Mode, theirs: Mode): Mode {
  if (ours === base) return theirs;
  return base === null && theirs === EXECUTABLE ? theirs : ours;
}

/** Reads the sides of files, and keeps what is text. */
class SideReader {
  readonly #reader: RepositoryReader;
  readonly #made: ObjectWriter;
  readonly #contents = new Map<string, ThreeContents>();
  #bytes = 0;

  /** @param made what was merged, such as common ancestors of which there were several */
  constructor(reader: RepositoryReader, made: ObjectWriter) {
    this.#reader = reader;
    this.#made = made;
  }

  /** Whether the merge has made an object. */
  isNew(oid: Oid): boolean {
    return this.#made.peek(oid) !== null;
  }

  contentsOf(path: string): ThreeContents {
    const nothing = Buffer.alloc(0);
    return this.#contents.get(path) ?? { base: nothing, ours: nothing, theirs: nothing };
  }

  async take(path: string, [base, ours, theirs]: [Oid | null, Oid, Oid]): Promise<ConflictKind> {
    const sides: Buffer[] = [];
    for (const oid of [base, ours, theirs]) {
      const content = oid === null ? Buffer.alloc(0) : await this.#read(oid);
      if (content === null) return 'tooLarge';
      sides.push(content);
    }
    const [first, second, third] = sides as [Buffer, Buffer, Buffer];
    if (!sides.every(isText)) return 'binary';
    this.#bytes += second.length + third.length;
    if (this.#bytes > MAX_BYTES) return 'unread';
    this.#contents.set(path, { base: first, ours: second, theirs: third });
    return 'text';
  }

  /** Null for what is too large. */
  async #read(oid: Oid): Promise<Buffer | null> {
    const made = this.#made.peek(oid)?.content;
    if (made) return made.length > MAX_SIDE_BYTES ? null : made;
    const size = await this.#reader.blobSize(oid);
    return size === null || size > MAX_SIDE_BYTES ? null : this.#reader.blob(oid, MAX_SIDE_BYTES);
  }
}
