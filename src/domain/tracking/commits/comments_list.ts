import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const comment = alias('CommitComment', 'c');

/** The comments on commits with these IDs that the actor may read. */
export const { findByIds: findCommitCommentsByIds } = projectScoped({ ability: 'read_commit', rows: comment });

/** The comments on each commit, oldest first, in one statement; Forbidden or Unauthenticated in place of unreadable ones. */
export function listCommitComments<R>(
  context: Context,
  commits: readonly CommitRow[],
  page: PageRequest,
  selection: Selection<'CommitComment', R>,
): Promise<(Page<R> | Error)[]> {
  const pageOf = ({ project, sha }: Asked<{ project: number; sha: string }>) => {
    const where = sql`${comment.projectId} = ${project} AND ${comment.sha} = ${sha}`;
    return pageOfRows(selection, { rows: comment, where, order: order('CommitComment', ['id']) }, page);
  };
  return forPermittedParents(
    commits,
    ({ project }) => authorize(context.actor, 'read_commit', project),
    (permitted) => {
      const parents = permitted.map(({ project, oid }) => ({ project: project.id, sha: oid }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int', sha: 'text' }, pageOf));
    },
  );
}

/** The new comment. Throws NotFound if it was deleted since, with its project. */
export async function madeComment<R>(
  { db }: Context,
  id: number,
  selection: Selection<'CommitComment', R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows: comment, where: sql`${comment.id} = ${id}` });
  if (!found) throw new NotFound('Project');
  return found;
}

/** The sides of a diff that a line can be on. */
export const LINE_TYPES = ['new', 'old'] as const;
export type LineType = (typeof LINE_TYPES)[number];
