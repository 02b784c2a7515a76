import { access, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { RepositoryReader } from '#src/git/reader.ts';
import { Repositories } from '#src/git/repositories.ts';
import { DEFAULT_LIMITS, type RepositoryLimits } from '#src/repository/limits.ts';

/** What tells where the repository of a project lies: neither changes with its name or namespace. */
export interface RepositoryPlace {
  id: number;
  repositoryStorage: string;
}

/** The branch of a new repository when nothing else is said. */
const DEFAULT_BRANCH = 'master';

export interface StoreOptions {
  /** As in RepositoryLimits. */
  maxInlineBytes?: number | undefined;
  /** Those that are absent have their defaults. */
  limits?: Partial<RepositoryLimits> | undefined;
}

/** The bare repositories of all projects, in named storages, each a directory. */
export class RepositoryStore {
  readonly #roots: ReadonlyMap<string, string>;
  readonly #readers = new Repositories();
  readonly limits: RepositoryLimits;

  /** @param roots absolute path of each storage by its name */
  constructor(roots: Readonly<Record<string, string>>, { maxInlineBytes, limits }: StoreOptions = {}) {
    this.#roots = new Map(Object.entries(roots));
    const inline = maxInlineBytes === undefined ? {} : { inlineBytes: maxInlineBytes };
    this.limits = { ...DEFAULT_LIMITS, ...limits, ...inline };
  }

  /** The largest content that is given within an answer, in bytes. */
  get maxInlineBytes(): number {
    return this.limits.inlineBytes;
  }

  /** Names of the storages. */
  get storages(): string[] {
    return [...this.#roots.keys()];
  }

  /** Where a repository lies, or will: `<storage>/<last byte of the ID in hexadecimal>/<ID>.git`. */
  directory({ id, repositoryStorage }: RepositoryPlace): string {
    const root = this.#roots.get(repositoryStorage);
    if (root === undefined) throw new Error(`There is no storage "${repositoryStorage}"`);
    return path.join(root, (id % 256).toString(16).padStart(2, '0'), `${id}.git`);
  }

  /** The reader of a repository; null as long as nothing was ever written to it. */
  async open(place: RepositoryPlace): Promise<RepositoryReader | null> {
    const directory = this.directory(place);
    return (await exists(directory)) ? this.#readers.open(directory) : null;
  }

  /** As open, for what is to write: creates the empty repository if it is not there. */
  async ensure(place: RepositoryPlace, defaultBranch: string | null): Promise<RepositoryReader> {
    const directory = this.directory(place);
    try {
      if (!(await exists(directory))) return await this.#readers.create(directory, defaultBranch ?? DEFAULT_BRANCH);
    } catch (error) {
      // Somebody else created it at the same moment.
      if (!['EEXIST', 'ENOTEMPTY'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
    return this.#readers.open(directory);
  }

  /** Has a repository read anew that was repacked or replaced. */
  async forget(place: RepositoryPlace): Promise<void> {
    await this.#readers.forget(this.directory(place));
  }

  /** Removes a repository from the disk, with what was to become it. */
  async remove(place: RepositoryPlace): Promise<void> {
    await this.forget(place);
    const directory = this.directory(place);
    const drafts = (await this.drafts(place)).map((name) => path.join(path.dirname(directory), name));
    for (const gone of [...drafts, directory]) await rm(gone, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Names of directories beside that of a repository that were to become it: `<its name>.copy-…`, `<its name>.import-…`. */
  async drafts(place: RepositoryPlace): Promise<string[]> {
    const directory = this.directory(place);
    const names = await readdir(path.dirname(directory)).catch(() => []);
    return names.filter(
      (name) =>
        /^\.(copy|import)-/.test(name.slice(path.basename(directory).length)) &&
        name.startsWith(path.basename(directory)),
    );
  }

  /** Ends what readers keep running. */
  async close(): Promise<void> {
    await this.#readers.close();
  }
}

function exists(directory: string): Promise<boolean> {
  return access(path.join(directory, 'HEAD')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // Any other error says nothing about what is there: too many files may be open.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    },
  );
}
