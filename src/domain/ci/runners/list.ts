import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { administeredRunners, projectsOfReadableJobs, REASONS } from '#src/domain/ci/runners/visibility.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { listProjectsOf } from '#src/domain/projects/list.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, ofEach, ofPermitted } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readPage, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [runner, job] = [alias('Runner', 'r'), alias('Job', 'j')];

/** Which runners a list contains. `online` ones requested a job within the last hour. */
export type RunnerScope = 'active' | 'paused' | 'online' | 'specific' | 'shared';

export interface RunnerFilter {
  scope?: RunnerScope | null | undefined;
  /** All runners of the server, for administrators; else those of the projects that the actor administers. */
  all: boolean;
}

/** Runners in order of registration. Throws Unauthenticated, Forbidden. */
export function listRunners<R>(
  context: Context,
  { scope, all: isAll }: RunnerFilter,
  page: PageRequest,
  selection: Selection<'Runner', R>,
): Promise<Page<R>> {
  const actor = isAll ? requireAdmin(context) : requireActor(context);
  const where = all([...(isAll ? [] : [sql`${runner.id} IN (${administeredRunners(actor)})`]), ...inScope(scope)]);
  return readPage(context.db, selection, { rows: runner, where, order: byKey('Runner') }, page);
}

/** The runners of each project and the shared ones, for its administrators. */
export function listProjectRunners<R>(
  context: Context,
  projects: readonly ProjectRow[],
  scope: RunnerScope | null | undefined,
  page: PageRequest,
  selection: Selection<'Runner', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ project }: Asked<{ project: number }>) => {
    const own = sql`(${runner.isShared} OR ${runner.id} IN (
      SELECT rp.runner_id FROM runner_projects rp WHERE rp.project_id = ${project}))`;
    return pageOfRows(selection, { rows: runner, where: all([own, ...inScope(scope)]), order: byKey('Runner') }, page);
  };
  return ofPermitted(
    projects,
    (project) => authorize(actor, 'admin_runner', project),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ project: id }));
      return readPages<R>(context.db, page, ofEach(parents, { project: 'int' }, pageOf));
    },
  );
}

/** A runner: shared ones for every user, others for administrators of one of its projects. Throws NotFound, Forbidden. */
export async function findRunner<R>(context: Context, id: number, selection: Selection<'Runner', R>): Promise<R> {
  const actor = requireActor(context);
  const found = await readRow(context.db, selection, { rows: runner, where: seenBy(actor, [id]) });
  if (found) return found;
  if ((await context.db.runner.count({ where: { id } })) > 0) throw new Forbidden(REASONS.noAccess);
  throw new NotFound('Runner');
}

/** The runners with these IDs that the actor may see. Throws Unauthenticated. */
export function findRunnersByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Runner', R>,
): Promise<(R & { id: number })[]> {
  const where = seenBy(requireActor(context), ids);
  return readRows(context.db, selection.with(ID), { rows: runner, where });
}

/** Like findRunner, for one that the actor has just changed. Throws NotFound. */
export async function changedRunner<R>({ db }: Context, id: number, selection: Selection<'Runner', R>): Promise<R> {
  const found = await readRow(db, selection, { rows: runner, where: sql`${runner.id} = ${id}` });
  if (!found) throw new NotFound('Runner');
  return found;
}

/** The jobs of each runner that the actor may read, newest first. */
export function listRunnerJobs<R>(
  context: Context,
  runners: readonly { id: number }[],
  page: PageRequest,
  selection: Selection<'Job', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const readable = sql`${job.projectId} IN (${projectsOfReadableJobs(actor)})`;
  const pageOf = ({ runner: id }: Asked<{ runner: number }>) => {
    const where = all([sql`${job.runnerId} = ${id}`, readable]);
    return pageOfRows(selection, { rows: job, where, order: order('Job', ['id'], 'desc') }, page);
  };
  const parents = runners.map(({ id }) => ({ runner: id }));
  return readPages<R>(context.db, page, ofEach(parents, { runner: 'int' }, pageOf));
}

/** The projects of each runner that the actor sees, oldest first. */
export function listRunnerProjects<R>(
  context: Context,
  runners: readonly { id: number }[],
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  requireActor(context);
  const parents = runners.map(({ id }) => ({ runner: id }));
  const list = { filter: {}, order: { by: 'id', direction: 'asc' } } as const;
  return listProjectsOf(
    context,
    parents,
    { runner: 'int' },
    (project, { runner: id }) => [
      sql`${project.id} IN (SELECT rp.project_id FROM runner_projects rp WHERE rp.runner_id = ${id})`,
    ],
    list,
    page,
    selection,
  );
}

const ID = select('Runner', { id: true });

function seenBy(actor: Actor, ids: readonly number[]): Prisma.Sql {
  const isOne = sql`${runner.id} = ANY(${[...ids]}::int[])`;
  if (actor.admin) return isOne;
  return sql`${isOne} AND (${runner.isShared} OR ${runner.id} IN (${administeredRunners(actor)}))`;
}

function inScope(scope: RunnerScope | null | undefined): Prisma.Sql[] {
  if (scope === 'active') return [sql`${runner.active}`];
  if (scope === 'paused') return [sql`NOT ${runner.active}`];
  if (scope === 'online') return [sql`${runner.contactedAt} > now() - interval '1 hour'`];
  if (scope === 'shared') return [sql`${runner.isShared}`];
  if (scope === 'specific') return [sql`NOT ${runner.isShared}`];
  return [];
}
