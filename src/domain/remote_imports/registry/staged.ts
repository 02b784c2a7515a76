import type { LeftOut, Page, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';

/** A version of a package at its source, as it is staged. */
export interface StagedPackage {
  /** What names it there. */
  id: string;
  /** A kind of packages that Gantry has. */
  type: string;
  name: string;
  version: string;
  status: 'default' | 'hidden';
  created_at: string | null;
  /** Who published it there; null if that is not told. */
  user_id: number | null;
}

/** A file of a package at its source, as it is staged, with what is known of its package. */
export interface StagedPackageFile extends Omit<StagedPackage, 'id'> {
  /** What names the file there, and its package. */
  id: string;
  package_id: string;
  file_name: string;
  file_created_at: string | null;
  /** In bytes; null where the source does not tell. */
  size: number | null;
  /** As hexadecimal digits; null where the source does not tell. */
  md5: string | null;
  sha1: string | null;
  sha256: string | null;
  /** Where it is; null for what is made of the repository. */
  url: string | null;
  /** Of a version of an npm package, where its document is; null for others. */
  document: string | null;
  /** Of a chart, its channel; null for others. */
  channel: string | null;
}

/** A file of a package, with what is the same of all of them. */
export function stagedFile(own: StagedPackage, id: string, fileName: string) {
  return {
    ...own,
    id,
    package_id: own.id,
    file_name: fileName,
    file_created_at: own.created_at,
    document: null,
    channel: null,
  };
}

/** What stands for the files of a version that is made of a tag or branch of the repository. */
export function filesOfRepository(own: StagedPackage): FilesOfPackage {
  const nothing = { size: null, md5: null, sha1: null, sha256: null, url: null };
  const record = { ...stagedFile(own, `package ${own.id}`, ''), ...nothing } satisfies StagedPackageFile;
  return { records: [{ kind: 'package_files', record }], leftOut: [], next: null };
}

/** A tag of an image at its source, as it is staged. */
export interface StagedImageTag {
  /** The address of the registry, without final slash. */
  registry: string;
  /** The full name of the repository there. */
  repository: string;
  /** What stands behind the path of the project here; empty for the images of the project itself. */
  name: string;
  tag: string;
}

/** Packages, and files of them, of one import. */
const MAX_PACKAGES = 20_000;
export const MAX_PACKAGE_FILES = 50_000;
/** Lists that are read for a page of the staging. */
const LISTS = 20;

const lists = new WeakMap<PhaseContext, Map<string, Promise<readonly unknown[]>>>();

/** The staged records of a kind, each once, at most `most`: they are read once, so their phases must be over. */
export function stagedList<Staged>(
  context: PhaseContext,
  kind: string,
  most: number,
  keyOf: (staged: Staged) => string,
): Promise<readonly Staged[]> {
  const known = lists.get(context) ?? new Map<string, Promise<readonly unknown[]>>();
  lists.set(context, known);
  const read = async () => {
    const found = new Map<string, Staged>();
    for await (const record of context.staged(kind)) {
      const key = keyOf(record as unknown as Staged);
      if (found.size >= most && !found.has(key)) {
        const list = [...found.values()];
        cut.add(list);
        return list;
      }
      found.set(key, record as unknown as Staged);
    }
    return [...found.values()];
  };
  const list = known.get(kind) ?? read();
  known.set(kind, list);
  return list as Promise<readonly Staged[]>;
}

/** The lists that end before what was staged does. */
const cut = new WeakSet<readonly unknown[]>();

/** Says so where a list of `stagedList` ends before what was staged does. */
export function cutOff(list: readonly unknown[], kind: string): LeftOut[] {
  if (!cut.has(list)) return [];
  return [{ kind, name: null, message: `The source has more than ${list.length}: the others stay behind.` }];
}

/** The staged packages, in the order in which they came. */
export function stagedPackages(context: PhaseContext): Promise<readonly StagedPackage[]> {
  return stagedList<StagedPackage>(context, 'packages', MAX_PACKAGES, ({ id }) => id);
}

/** The files of one package. */
export interface FilesOfPackage {
  records: readonly StagedRecord[];
  leftOut: readonly LeftOut[];
  /** What the next page of them is got by; null after the last one. */
  next: string | null;
}

/** A phase that reads the list of files of each staged package; the cursors count packages, and have the place in the list. */
export function packageFilesPhase(
  read: (context: PhaseContext, own: StagedPackage, cursor: string | null) => Promise<FilesOfPackage>,
): Phase {
  return {
    name: 'package_files',
    part: 'packages',
    async page(context, cursor): Promise<Page> {
      const packages = await stagedPackages(context);
      const total = packages.length;
      const records: StagedRecord[] = [];
      const leftOut: LeftOut[] = [];
      let [at, place]: [number, string | null] = cursor === null ? [0, null] : JSON.parse(cursor);
      let seen = 0;
      for (let lists = 0; lists < LISTS; lists++) {
        const own = packages[at];
        if (own === undefined) break;
        const page = await read(context, own, place);
        records.push(...page.records);
        leftOut.push(...page.leftOut);
        place = page.next;
        if (place !== null) continue;
        at += 1;
        seen += 1;
      }
      if (at < total) return { records, leftOut, next: JSON.stringify([at, place]), seen, total };
      return { records, leftOut: [...leftOut, ...cutOff(packages, 'packages')], next: null, seen, total };
    },
  };
}

/** What a package is called in what was left out. */
export function packageLabel({ type, name, version }: Pick<StagedPackage, 'type' | 'name' | 'version'>): string {
  return `${type} ${name} ${version}`.slice(0, 500);
}
