import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The formats of archives of projects that can be made. */
export const EXPORT_FORMATS = ['gantry', 'gitlab'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What the records of an archive are read from, and where they are written to. */
export interface ExportSource {
  context: Context;
  /** Shows everything as it was at one moment. */
  tx: Transaction;
  /** Whose archive it is: it holds what this user may read. */
  actor: Actor;
  project: ProjectRow;
  /** What the archive says of the project; its own description where this is null. */
  description: string | null;
  /** Of this server; undefined where it does not know its address. */
  host: string | undefined;
  directory: string;
  signal: AbortSignal;
}

/** A snippet whose repository comes along. */
export interface ArchivedSnippet {
  id: number;
  repositoryStorage: string;
  /** The name of the bundle of its repository. */
  bundle: string;
}

/** What an archive is made of: the names of its files, and what its records look like. */
export interface ArchiveLayout {
  /** The bundles of the repository and the wiki. */
  repository: string;
  wiki: string;
  /** Whether the bundles say which branch is the default one. */
  bundlesHaveHead: boolean;
  /** The picture of the project, by the ending of its name. */
  avatar(ending: string): string;
  /** An object of Git LFS, by its hash. */
  lfsObject(oid: string): string;
  /**
   * Writes the records to files of the directory.
   *
   * @returns the names of these files in the order in which the archive has them, before all others, and the snippets with a repository
   */
  writeRecords(source: ExportSource): Promise<{ files: readonly string[]; snippets: readonly ArchivedSnippet[] }>;
}
