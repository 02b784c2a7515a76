import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord, ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { Prisma, queryJson } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { readRows } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

const LOCATED = select('MergeRequest', { id: true, targetProjectId: true });

/** The columns of a merge request that commands use. */
const CHANGEABLE = select('MergeRequest', {
  id: true,
  iid: true,
  title: true,
  state: true,
  authorId: true,
  assigneeIds: true,
  sourceProjectId: true,
  sourceBranch: true,
  targetBranch: true,
  sha: true,
});

export type ChangeableMergeRequest = typeof CHANGEABLE.row;

/** A merge request with its target project. */
export interface LocatedMergeRequest {
  mergeRequest: ChangeableMergeRequest;
  project: ProjectRow;
}

/** The merge request of the project with that number. Throws NotFound, Forbidden. */
export async function findMergeRequest<R>(
  context: Context,
  project: ProjectRow,
  iid: number,
  selection: Selection<'MergeRequest', R>,
): Promise<R> {
  authorize(readerOf(context), 'read_merge_request', project);
  return one(context, project, sql`${mergeRequest.iid} = ${iid}`, selection);
}

/** Like findMergeRequest, by the ID over all projects. Throws NotFound, Forbidden. */
export async function findMergeRequestById<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'MergeRequest', R>,
): Promise<R> {
  authorize(readerOf(context), 'read_merge_request', project);
  return one(context, project, sql`${mergeRequest.id} = ${id}`, selection);
}

/**
 * The merge requests with these IDs that the actor may see, in no particular order, in one statement.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findMergeRequestsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'MergeRequest', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  const actor = readerOf(context);
  const where = sql`${mergeRequest.id} = ANY(${[...ids]}::int[])`;
  const found = await readRows(context.db, selection.with(LOCATED), { rows: mergeRequest, where, params: { actor } });
  const projects = await Promise.all(found.map(({ targetProjectId }) => projectOf(targetProjectId)));
  return found.filter((_one, index) => {
    const project = projects[index];
    return project != null && can(actor, 'read_merge_request', project);
  });
}

/** The merge request after a command has changed it and checked its visibility. Throws NotFound if it was deleted since. */
export async function changedMergeRequest<R>(
  context: Context,
  { project, id }: ChangedRecord,
  selection: Selection<'MergeRequest', R>,
): Promise<R> {
  return one(context, project, sql`${mergeRequest.id} = ${id}`, selection);
}

/** Target project and merge request of a reference, for commands that change it. Throws NotFound for either, Forbidden. */
export async function locateMergeRequest(context: Context, ref: IdOrPath, iid: number): Promise<LocatedMergeRequest> {
  readerOf(context);
  const project = await findProject(context, ref);
  return { project, mergeRequest: await findMergeRequest(context, project, iid, CHANGEABLE) };
}

/** Whether the actor may update it: developers, the author and the assignees may, unless the project is archived. */
export function mayUpdate(
  actor: Actor | null,
  project: ProjectRow,
  { authorId, assigneeIds }: Pick<ChangeableMergeRequest, 'authorId' | 'assigneeIds'>,
): boolean {
  if (!actor || !can(actor, 'read_merge_request', project) || project.archived) return false;
  return can(actor, 'update_merge_request', project) || authorId === actor.id || assigneeIds.includes(actor.id);
}

async function one<R>(
  { db, actor }: Context,
  project: ProjectRow,
  isIt: Prisma.Sql,
  selection: Selection<'MergeRequest', R>,
): Promise<R> {
  const from = sql`SELECT mr.* FROM ${table(mergeRequest)} WHERE ${mergeRequest.targetProjectId} = ${project.id} AND ${isIt}`;
  const params = { actor, projectPath: project.fullPath };
  const [found] = await queryJson<R[]>(db, rowsJson(selection, { from, order: ({ id }) => id, params }));
  if (!found) throw new NotFound('MergeRequest');
  return found;
}
