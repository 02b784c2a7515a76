import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { defaultBranch, findRevision } from '#src/domain/repository/revision.ts';
import { trimSlashes } from '#src/domain/repository/tree.ts';
import { type ArchiveFormat, hasBzip2 } from '#src/git/archive.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { pathFault } from '#src/git/write/path.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** All files of a commit, to be archived. */
export interface ArchiveRow {
  projectId: number;
  repository: RepositoryReader;
  commitOid: Oid;
  format: ArchiveFormat;
  /** A directory or file, whose path and what is below it are all that is in it; empty for everything. */
  path: string;
  /** Paths of files and directories that are left out. */
  excludePaths: string[];
  /** Whether files that are kept with Git LFS have their content in it. */
  lfsObjects: boolean;
  /** The top directory in it: `<project>-<ref>-<hash>`, and behind it the path. */
  prefix: string;
  /** The prefix with the suffix of the format. */
  fileName: string;
}

/** What an archive is asked to be. */
export interface ArchiveInput {
  ref?: string | null | undefined;
  format: ArchiveFormat;
  /** Only this directory or file. */
  path?: string | null | undefined;
  /** Files and directories to leave out. */
  excludePaths?: readonly string[] | null | undefined;
  /** Whether files that are kept with Git LFS have their content in it, as they do when absent. */
  lfsObjects?: boolean;
}

/** Paths that may be left out of an archive. */
const MAX_EXCLUDED_PATHS = 100;

/** The archive of a revision, by default the default branch. Throws NotFound, BadRequest, Forbidden, Unauthenticated. */
export async function findArchive(
  context: Context,
  project: ProjectRow,
  { ref, format, lfsObjects = true, ...part }: ArchiveInput,
): Promise<ArchiveRow> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project, ref || null);
  if (!revision) throw new NotFound('File');
  if (format === 'tar.bz2' && !(await hasBzip2())) throw new BadRequest('tar.bz2 is not available on this server');
  const { repository, oid: commitOid } = revision;
  const name = (ref || (await defaultBranch(project, repository))) ?? commitOid;
  const path = trimSlashes(part.path ?? '');
  const excludePaths = (part.excludePaths ?? []).map(trimSlashes).filter((one) => one !== '');
  if (excludePaths.length > MAX_EXCLUDED_PATHS) {
    throw new BadRequest(`exclude_paths has more than ${MAX_EXCLUDED_PATHS} paths`, 'exclude_paths');
  }
  for (const one of [path, ...excludePaths]) if (one !== '' && pathFault(one) !== null) throw new NotFound('File');
  if (path !== '' && (await repository.entry(commitOid, path)) === null) throw new NotFound('File');
  const parts = [project.path, asFileName(name), commitOid, ...(path === '' ? [] : [asFileName(path)])];
  const prefix = parts.join('-');
  const found = { projectId: project.id, repository, commitOid, format, path, excludePaths, lfsObjects };
  return { ...found, prefix, fileName: `${prefix}.${format}` };
}

/** Replaces characters that are unsuitable in file names by dashes, and truncates long refs. */
function asFileName(ref: string): string {
  return ref
    .toWellFormed()
    .replace(/[^\p{L}\p{N}._+@-]+/gu, '-')
    .slice(0, 60);
}
