import { createHash, type Hash } from 'node:crypto';
import type { DumpedTable } from '#src/platform/database/load.ts';
import type { AppliedMigration, Sequence } from '#src/platform/database/snapshot.ts';

/** The format of backups that this version writes, and the latest that it reads. */
export const FORMAT = 2;

/** A backup that others are made on top of. */
export interface Link {
  id: string;
  /** Of its file when it was used. */
  name: string;
  createdAt: string;
}

/** What a backup begins with. */
export interface Head extends Link {
  format: number;
  /** Of the program that made it. */
  version: string;
  /** The backups that hold what this one leaves out, the latest first. */
  earlier: Link[];
  /** Names of the storages of its repositories. */
  storages: string[];
  /** Something that only the secret of the server opens, in Base64; null where there is nothing yet. */
  sample: string | null;
  /** Whether the secret is in it. */
  secret: boolean;
}

/** A member of the archive, or several small ones that belong together, named by what they have in common. */
export interface Sum {
  path: string;
  /** In bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
  /** How many members it is the sum of, where it is of several. */
  members?: number;
  /** The end of a file that never changes, by which it is known without being read; of packs. */
  tag?: string;
}

/** A file that another backup holds. */
export interface Elsewhere extends Sum {
  in: string;
}

/** What was in the database and was not found as a file. */
export interface Missing {
  kind: 'repository' | 'upload' | 'trace' | 'artifacts';
  projectId: number;
  path: string;
  /** Whether the project was deleted while the backup was made. */
  gone: boolean;
}

/** What a backup ends with. */
export interface Manifest {
  id: string;
  sums: Sum[];
  elsewhere: Elsewhere[];
  missing: Missing[];
}

/** What a backup says of the database in it. */
export interface DatabaseFacts {
  migrations: AppliedMigration[];
  sequences: Sequence[];
  tables: DumpedTable[];
}

/** The name of the manifest in the archive. */
export const MANIFEST = 'manifest.json';

/** Adds up the members of an archive as they come; who reads it adds up the same. */
export class Summing {
  readonly #done: Sum[] = [];
  readonly #open = new Map<string, { hash: Hash; size: number; members: number; tag?: string }>();
  #area = '';

  /** Begins with a member; what it holds is given to the hash that comes back. */
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

  /** All sums, in the order in which their members came. */
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

/** What parts of a table, and single objects of a repository, are added up as; null for what stands for itself. */
function groupOf(path: string): string | null {
  const [, table] = /^(database\/[^/]+)\/\d*(?:\.copy)?$/.exec(path) ?? [];
  if (table !== undefined) return table;
  const [, objects] = /^(repositories\/[^/]+\/[^/]+\/objects)\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|loose\/)$/.exec(path) ?? [];
  return objects === undefined ? null : `${objects}/loose`;
}
