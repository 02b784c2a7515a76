import { createHash, type Hash } from 'node:crypto';
import type { DumpedTable } from '#src/platform/database/load.ts';
import type { AppliedMigration, Sequence } from '#src/platform/database/snapshot.ts';

/** The format of backups that this version writes, and the latest that it can read. */
export const FORMAT = 2;

/** A reference to a backup that later ones build on. */
export interface Link {
  id: string;
  /** Its file name at that time. */
  name: string;
  createdAt: string;
}

/** The first member of a backup. */
export interface Head extends Link {
  format: number;
  /** Version of the program that made it. */
  version: string;
  /** The backups that contain the files left out here, latest first. */
  earlier: Link[];
  /** Names of the storages of its repositories. */
  storages: string[];
  /** A value that only the secret of the server decrypts, in Base64; null if there is none yet. */
  sample: string | null;
  /** Whether the backup contains the secret. */
  secret: boolean;
}

/** The checksum of a member of the archive, or of several small ones together, named by their common part. */
export interface Sum {
  path: string;
  /** In bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
  /** How many members it covers, if several. */
  members?: number;
  /** The last bytes of an immutable file (a pack), which identify it without reading it. */
  tag?: string;
}

/** A file that is in another backup. */
export interface Elsewhere extends Sum {
  in: string;
}

/** A file that is recorded in the database but was not found. */
export interface Missing {
  kind: 'repository' | 'upload' | 'trace' | 'artifacts' | 'package' | 'site' | 'lfs object' | 'container blob';
  /** 0 for what belongs to no project. */
  projectId: number;
  path: string;
  /** Whether the project was deleted while the backup was made. */
  gone: boolean;
}

/** The last member of a backup. */
export interface Manifest {
  id: string;
  sums: Sum[];
  elsewhere: Elsewhere[];
  missing: Missing[];
}

/** The description of the database in a backup. */
export interface DatabaseFacts {
  migrations: AppliedMigration[];
  sequences: Sequence[];
  tables: DumpedTable[];
}

/** The name of the manifest in the archive. */
export const MANIFEST = 'manifest.json';

/** Computes the checksums of an archive's members as they pass; writer and reader do the same. */
export class Summing {
  readonly #done: Sum[] = [];
  readonly #open = new Map<string, { hash: Hash; size: number; members: number; tag?: string }>();
  #area = '';

  /** Begins a member; returns the hash to update with its content. */
  begin(path: string, size: number, tag?: string): Hash {
    const area = areaOf(path);
    if (area !== this.#area) this.#close();
    this.#area = area;
    const group = groupOf(path) ?? path;
    const sum = this.#open.get(group) ?? { hash: createHash('sha256'), size: 0, members: 0 };
    this.#open.set(group, sum);
    sum.size += size;
    sum.members += 1;
    if (tag !== undefined) sum.tag = tag;
    if (group !== path) sum.hash.update(`${path} ${size}\n`);
    return sum.hash;
  }

  /** All checksums, in the order of their members. */
  end(): Sum[] {
    this.#close();
    return this.#done;
  }

  #close(): void {
    for (const [path, { hash, size, members, tag }] of this.#open) {
      const several = groupOf(`${path}/`) !== null ? { members } : {};
      this.#done.push({ path, size, sha256: hash.digest('hex'), ...several, ...(tag === undefined ? {} : { tag }) });
    }
    this.#open.clear();
  }
}

/** Members of one area follow each other. */
function areaOf(path: string): string {
  return /^(database\/[^/]+|repositories\/[^/]+\/[^/]+)\//.exec(path)?.[1] ?? path;
}

/** The common name under which parts of a table, or loose objects of a repository, are summed; null for other members. */
function groupOf(path: string): string | null {
  const [, table] = /^(database\/[^/]+)\/\d*(?:\.copy)?$/.exec(path) ?? [];
  if (table !== undefined) return table;
  const [, objects] = /^(repositories\/[^/]+\/[^/]+\/objects)\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|loose\/)$/.exec(path) ?? [];
  return objects === undefined ? null : `${objects}/loose`;
}
