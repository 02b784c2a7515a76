import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { defaultBranch, findRevision } from '#src/domain/repository/revision.ts';
import { type ArchiveFormat, hasBzip2 } from '#src/git/archive.ts';
import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** All files of a commit, to be archived. */
export interface ArchiveRow {
  projectId: number;
  repository: RepositoryReader;
  commitOid: Oid;
  format: ArchiveFormat;
  /** The top directory in it: `<project>-<ref>-<hash>`. */
  prefix: string;
  /** The prefix with the suffix of the format. */
  fileName: string;
}

/** The archive of a revision, by default the default branch. Throws NotFound, BadRequest, Forbidden, Unauthenticated. */
export async function findArchive(
  context: Context,
  project: ProjectRow,
  ref: string | null | undefined,
  format: ArchiveFormat,
): Promise<ArchiveRow> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project, ref || null);
  if (!revision) throw new NotFound('File');
  if (format === 'tar.bz2' && !(await hasBzip2())) throw new BadRequest('tar.bz2 is not available on this server');
  const { repository, oid: commitOid } = revision;
  const name = (ref || (await defaultBranch(project, repository))) ?? commitOid;
  const prefix = [project.path, asFileName(name), commitOid].join('-');
  return { projectId: project.id, repository, commitOid, format, prefix, fileName: `${prefix}.${format}` };
}

/** Replaces characters that are unsuitable in file names by dashes, and truncates long refs. */
function asFileName(ref: string): string {
  return ref
    .toWellFormed()
    .replace(/[^\p{L}\p{N}._+@-]+/gu, '-')
    .slice(0, 60);
}
