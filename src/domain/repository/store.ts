import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import { guardReader } from '#src/domain/repository/guard.ts';
import { DEFAULT_LIMITS, type RepositoryLimits } from '#src/domain/repository/limits.ts';
import type { Damaged } from '#src/git/base/errors.ts';
import { repositoryExists } from '#src/git/base/existence.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { Repositories } from '#src/git/repositories.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** The git repositories of projects. */
    readonly repositories: RepositoryStore;
  }
}

/** Of what a command gets, the database and the repositories: for work without an actor. */
export type WithRepositories = Pick<Context, 'db' | 'repositories'>;

/** What locates a repository: nothing of it changes with the name or namespace of its owner. */
export interface RepositoryPlace {
  /** ID of the owner. */
  id: number;
  repositoryStorage: string;
  /** Whether it is the repository of the wiki. */
  wiki?: boolean | undefined;
  /** What the ID is of, if not of a project. Groups have repositories of their wikis alone. */
  owner?: 'snippet' | 'group' | undefined;
}

/** The default branch of a new repository, unless another is given. */
const DEFAULT_BRANCH = 'master';

/** An entry of a storage. */
export interface StoredEntry {
  storage: string;
  /** Absolute path. */
  directory: string;
  /** `draft`: an unfinished repository, or leftovers of one. */
  kind: 'repository' | 'draft' | 'unknown';
  /** ID of the owner, if the name contains it. */
  id: number | null;
  /** Whether it is that of a wiki. */
  wiki: boolean;
  /** What the ID is of, if not of a project. */
  owner: RepositoryPlace['owner'];
}

/** The directory of a storage with the repositories of snippets, and that with those of the wikis of groups. */
const FOLDERS = { snippet: 'snippets', group: 'groups' } as const;
const OWNERS = [undefined, 'snippet', 'group'] as const;

/** The directory of job logs in a storage, next to the repositories. */
const TRACES = 'traces';

/** The directory of what imports have fetched in a storage, next to the repositories. */
const IMPORTS = 'imports';

/** The suffixes of a repository's drafts. */
const DRAFT = /^\.(copy|import|gone)-/;

export interface StoreOptions {
  /** As in RepositoryLimits. */
  maxInlineBytes?: number | undefined;
  /** Absent ones have their defaults. */
  limits?: Partial<RepositoryLimits> | undefined;
  /** Called with errors of damaged repositories, at a limited rate. */
  report?: ((error: unknown) => void) | undefined;
}

/** Each damage is reported once in ten minutes; how many are remembered. */
const REPORTED = { perSecond: 1 / 600, atOnce: 1 };
const REMEMBERED = 1_000;

/** The bare repositories of projects, snippets and wikis, in named storages, each of which is a directory. */
export class RepositoryStore {
  readonly #roots: ReadonlyMap<string, string>;
  readonly #readers = new Repositories();
  readonly limits: RepositoryLimits;
  readonly #report: StoreOptions['report'];
  readonly #reported = new LeakyBucket(REPORTED, REMEMBERED);

  /** @param roots absolute path of each storage by name */
  constructor(roots: Readonly<Record<string, string>>, { maxInlineBytes, limits, report }: StoreOptions = {}) {
    this.#report = report;
    this.#roots = new Map(Object.entries(roots));
    const inline = maxInlineBytes === undefined ? {} : { inlineBytes: maxInlineBytes };
    this.limits = { ...DEFAULT_LIMITS, ...limits, ...inline };
  }

  /** The largest content within a response, in bytes. */
  get maxInlineBytes(): number {
    return this.limits.inlineBytes;
  }

  /** Names of the storages. */
  get storages(): string[] {
    return [...this.#roots.keys()];
  }

  /** The directory of a storage; undefined if there is none of the name. */
  root(storage: string): string | undefined {
    return this.#roots.get(storage);
  }

  /**
   * The directory of a repository, existing or not: `<storage>/<last byte of the ID in hexadecimal>/<ID>.git`, of a wiki `<ID>.wiki.git`;
   * of a snippet below `<storage>/snippets`, of the wiki of a group below `<storage>/groups`.
   */
  directory(place: RepositoryPlace): string {
    const { repositoryStorage } = place;
    const root = this.#roots.get(repositoryStorage);
    if (root === undefined) throw new Error(`There is no storage "${repositoryStorage}"`);
    return path.join(root, `${this.pathInStorage(place)}.git`);
  }

  /** The path of a repository below its storage, without its ending. */
  pathInStorage({ id, wiki = false, owner }: RepositoryPlace): string {
    return `${owner === undefined ? '' : `${FOLDERS[owner]}/`}${(id % 256).toString(16).padStart(2, '0')}/${id}${wiki ? '.wiki' : ''}`;
  }

  /** The directory of a project's job logs, existing or not: `<storage>/traces/<last byte of its ID in hexadecimal>/<ID>`. */
  traces({ id, repositoryStorage }: RepositoryPlace): string {
    const folder = path.dirname(this.directory({ id, repositoryStorage }));
    return path.join(path.dirname(folder), TRACES, path.basename(folder), String(id));
  }

  /** The directory of what an import from another server has fetched for a project so far, existing or not: `<storage>/imports/<its ID>`. */
  staging({ id, repositoryStorage }: RepositoryPlace): string {
    const folder = path.dirname(this.directory({ id, repositoryStorage }));
    return path.join(path.dirname(folder), IMPORTS, String(id));
  }

  /** The directory of what an import has fetched of a group so far, by the ID of the import: `<storage>/imports/groups/<ID>`. */
  groupStaging({ id, storage }: { id: number; storage: string }): string {
    const root = this.#roots.get(storage);
    if (root === undefined) throw new Error(`There is no storage "${storage}"`);
    return path.join(root, IMPORTS, 'groups', String(id));
  }

  /** Removes what an import has fetched of a group. */
  async removeGroupStaging(place: { id: number; storage: string }): Promise<void> {
    await rm(this.groupStaging(place), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Removes what an import from another server has fetched for a project. */
  async removeStaging(place: RepositoryPlace): Promise<void> {
    await rm(this.staging(place), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Removes the job logs of a project. */
  async removeTraces(place: RepositoryPlace): Promise<void> {
    await rm(this.traces(place), { recursive: true, force: true, maxRetries: 3 });
  }

  /** The projects with a directory of job logs, and those directories. */
  async *traceDirectories(): AsyncGenerator<{ storage: string; directory: string; id: number }> {
    for (const [storage, root] of this.#roots) {
      for (const folder of await namesIn(path.join(root, TRACES))) {
        for (const name of await namesIn(path.join(root, TRACES, folder))) {
          const directory = path.join(root, TRACES, folder, name);
          if (/^\d+$/.test(name)) yield { storage, directory, id: Number(name) };
        }
      }
    }
  }

  /** The reader of a repository; null if it was never written to. */
  async open(place: RepositoryPlace): Promise<RepositoryReader | null> {
    const directory = this.directory(place);
    return (await repositoryExists(directory)) ? guardReader(await this.#readers.open(directory)) : null;
  }

  /** Like open, for writers: creates an empty repository if it is missing. */
  async ensure(place: RepositoryPlace, defaultBranch: string | null): Promise<RepositoryReader> {
    const directory = this.directory(place);
    try {
      if (!(await repositoryExists(directory)))
        return guardReader(await this.#readers.create(directory, defaultBranch ?? DEFAULT_BRANCH));
    } catch (error) {
      // It was created concurrently.
      if (!['EEXIST', 'ENOTEMPTY'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
    return guardReader(await this.#readers.open(directory));
  }

  /** Reopens a repository that was repacked or replaced. */
  async forget(place: RepositoryPlace): Promise<void> {
    await this.#readers.forget(this.directory(place));
  }

  /** Removes a repository and its drafts from the disk. It disappears immediately, whatever is still being read from it. */
  async remove(place: RepositoryPlace): Promise<void> {
    await this.forget(place);
    const directory = this.directory(place);
    await rename(directory, `${directory}.gone-${randomBytes(8).toString('hex')}`).then(
      // After a power cut it would be back, and what of it was not removed.
      () => syncDirectory(path.dirname(directory)),
      () => undefined,
    );
    const drafts = (await this.drafts(place)).map((name) => path.join(path.dirname(directory), name));
    for (const gone of [...drafts, directory]) await rm(gone, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Names of the drafts and leftovers next to a repository: `<its name>.copy-…`, `<its name>.import-…`, `<its name>.gone-…`. */
  async drafts(place: RepositoryPlace): Promise<string[]> {
    const directory = this.directory(place);
    const names = await readdir(path.dirname(directory)).catch(() => []);
    const start = path.basename(directory);
    return names.filter((name) => name.startsWith(start) && DRAFT.test(name.slice(start.length)));
  }

  /** All entries of the storages, one after another. */
  async *entries(): AsyncGenerator<StoredEntry> {
    for (const [storage, root] of this.#roots) {
      for (const owner of OWNERS) yield* entriesIn(storage, owner ? path.join(root, FOLDERS[owner]) : root, owner);
    }
  }

  /** Reports that a repository is damaged, with the ref involved if known. */
  reportDamage(error: Damaged, ref?: string): void {
    const text = ref === undefined ? error.message : `${ref} cannot be read: ${error.message}`;
    if (this.#reported.tryTake(text)) this.#report?.(new Error(text, { cause: error }));
  }

  /** Stops what readers keep running. */
  async close(): Promise<void> {
    await this.#readers.close();
  }
}

/** The entries of a directory with repositories of one kind of owner. */
async function* entriesIn(storage: string, root: string, owner: StoredEntry['owner']): AsyncGenerator<StoredEntry> {
  for (const folder of (await namesIn(root)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of await namesIn(path.join(root, folder))) {
      const [, id, wiki, rest = ''] = /^(\d+)(\.wiki)?\.git(.*)$/.exec(name) ?? [];
      const isDraft = name.startsWith('.init-') || (id !== undefined && DRAFT.test(rest));
      const kind = isDraft ? 'draft' : id !== undefined && rest === '' ? 'repository' : 'unknown';
      const directory = path.join(root, folder, name);
      yield { storage, directory, kind, id: id === undefined ? null : Number(id), wiki: wiki !== undefined, owner };
    }
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(() => [])).sort();
}
