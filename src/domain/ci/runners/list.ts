import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { RunnerType } from '#src/domain/ci/runners/create.ts';
import {
  administeredRunners,
  fullyVisible,
  projectsOfReadableJobs,
  REASONS,
} from '#src/domain/ci/runners/visibility.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { listProjectsOf } from '#src/domain/projects/list.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readPage, readPermitted, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/ci/runners/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [runner, job, manager] = [alias('Runner', 'r'), alias('Job', 'j'), alias('RunnerManager', 'rm')];

/** Which runners a list contains. `online` ones requested a job within the last two hours. */
export type RunnerScope = 'active' | 'paused' | 'online' | 'specific' | 'shared';

export const RUNNER_STATUSES = ['online', 'offline', 'stale', 'never_contacted'] as const;
export type RunnerStatus = (typeof RUNNER_STATUSES)[number];

/** Which runners a list contains; all must hold. */
export interface RunnerFilter {
  scope?: RunnerScope | null | undefined;
  type?: RunnerType | null | undefined;
  status?: RunnerStatus | 'active' | 'paused' | null | undefined;
  paused?: boolean | null | undefined;
  /** All of these must be among its tags. */
  tagList?: readonly string[] | null | undefined;
  versionPrefix?: string | null | undefined;
}

interface ServerFilter extends RunnerFilter {
  /** All runners of the server, for administrators; else those of the projects that the actor administers. */
  all: boolean;
}

/** Runners in order of registration. Throws Unauthenticated, Forbidden. */
export function listRunners<R>(
  context: Context,
  { all: isAll, ...filter }: ServerFilter,
  page: PageRequest,
  selection: Selection<'Runner', R>,
): Promise<Page<R>> {
  const actor = isAll ? requireAdmin(context) : requireActor(context);
  const where = all([...(isAll ? [] : [sql`${runner.id} IN (${administeredRunners(actor)})`]), ...matching(filter)]);
  return readPage(context.db, selection, { rows: runner, where, order: byKey('Runner') }, page);
}

/** The runners of each project and of its groups, and the shared ones, for its administrators. */
export function listProjectRunners<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: RunnerFilter,
  page: PageRequest,
  selection: Selection<'Runner', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ project }: Asked<{ project: number }>) => {
    const own = sql`(${runner.isShared} OR ${runner.groupId} = ANY(ARRAY(SELECT unnest(pn.lineage) FROM namespaces pn
        JOIN projects pp ON pp.namespace_id = pn.id WHERE pp.id = ${project} AND pp.group_runners_enabled)) OR ${runner.id} IN (
      SELECT rp.runner_id FROM runner_projects rp WHERE rp.project_id = ${project}))`;
    return pageOfRows(
      selection,
      { rows: runner, where: all([own, ...matching(filter)]), order: byKey('Runner') },
      page,
    );
  };
  return forPermittedParents(
    projects,
    (project) => authorize(actor, 'admin_runner', project),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ project: id }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
    },
  );
}

/** The runners of each group and of its parents, and the shared ones, for its owners. */
export function listGroupRunners<R>(
  context: Context,
  groups: readonly GroupRow[],
  filter: RunnerFilter,
  page: PageRequest,
  selection: Selection<'Runner', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ parent }: Asked<{ parent: number }>) => {
    const own = sql`(${runner.isShared} OR ${runner.groupId} = ANY(ARRAY(
      SELECT unnest(gn.lineage) FROM namespaces gn WHERE gn.id = ${parent})))`;
    return pageOfRows(
      selection,
      { rows: runner, where: all([own, ...matching(filter)]), order: byKey('Runner') },
      page,
    );
  };
  return forPermittedParents(
    groups,
    (group) => authorize(actor, 'admin_group_runner', group),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ parent: id }));
      return readPages<R>(context.db, page, perParent(parents, { parent: 'int' }, pageOf));
    },
  );
}

/** The machines of each runner, for those who see it in full, oldest first. */
export async function listRunnerManagers<R>(
  context: Context,
  runners: readonly { id: number; isShared: boolean }[],
  page: PageRequest,
  selection: Selection<'RunnerManager', R>,
): Promise<(Page<R> | Error)[]> {
  const seen = await fullyVisible(context, runners);
  const pageOf = ({ parent }: Asked<{ parent: number }>) =>
    pageOfRows(
      selection,
      { rows: manager, where: sql`${manager.runnerId} = ${parent}`, order: order('RunnerManager', ['id']) },
      page,
    );
  return forPermittedParents(
    runners,
    ({ id }) => {
      if (!seen[runners.findIndex((one) => one.id === id)]) throw new Forbidden(REASONS.noAccess);
    },
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ parent: id }));
      return readPages<R>(context.db, page, perParent(parents, { parent: 'int' }, pageOf));
    },
  );
}

/** Which jobs of a runner are listed. */
export interface RunnerJobsFilter {
  status?: JobStatus | null | undefined;
  /** One of these. */
  statuses?: readonly JobStatus[] | null | undefined;
  sort?: 'asc' | 'desc' | null | undefined;
  /** Only those that ran on this machine. */
  systemId?: string | null | undefined;
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

/** The jobs of each runner that the actor may read, newest first unless it is said. */
export function listRunnerJobs<R>(
  context: Context,
  runners: readonly { id: number }[],
  { status, statuses, sort, systemId }: RunnerJobsFilter,
  page: PageRequest,
  selection: Selection<'Job', R>,
): Promise<Page<R>[]> {
  const actor = requireActor(context);
  const readable = sql`${job.projectId} IN (${projectsOfReadableJobs(actor)})`;
  const pageOf = ({ runner: id }: Asked<{ runner: number }>) => {
    const where = all([
      sql`${job.runnerId} = ${id}`,
      readable,
      ...(status ? [sql`${job.status} = ${status}::job_status`] : []),
      ...(statuses ? [sql`${job.status} = ANY(${[...statuses]}::job_status[])`] : []),
      ...(systemId == null
        ? []
        : [
            sql`${job.managerId} IN (SELECT m.id FROM runner_managers m WHERE m.runner_id = ${id} AND m.system_id = ${systemId})`,
          ]),
    ]);
    return pageOfRows(selection, { rows: job, where, order: order('Job', ['id'], sort ?? 'desc') }, page);
  };
  const parents = runners.map(({ id }) => ({ runner: id }));
  return readPages<R>(context.db, page, perParent(parents, { runner: 'int' }, pageOf));
}

const OF_RUNNER = select('RunnerManager', { id: true, runner: { id: true, isShared: true } });

/** The managers with these IDs of runners that the actor may read. */
export async function findRunnerManagersByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'RunnerManager', R>,
): Promise<(R & { id: number })[]> {
  const found = await readPermitted(context.db, selection, { rows: manager, ids, keys: OF_RUNNER }, () => true);
  const seen = await fullyVisible(
    context,
    found.map(({ runner: of }) => of),
  );
  return found.filter((_manager, index) => seen[index]);
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

/** When a runner counts as online, and how long until it counts as stale. */
const ONLINE = sql`interval '2 hours'`;
const STALE = sql`interval '7 days'`;

/** The conditions of each status, in the order in which they count. */
const STATUS_CONDITIONS: Record<RunnerStatus, Prisma.Sql> = {
  stale: sql`COALESCE(${runner.contactedAt}, ${runner.createdAt}) <= now() - ${STALE}`,
  never_contacted: sql`(${runner.contactedAt} IS NULL AND ${runner.createdAt} > now() - ${STALE})`,
  online: sql`${runner.contactedAt} > now() - ${ONLINE}`,
  offline: sql`(${runner.contactedAt} <= now() - ${ONLINE} AND ${runner.contactedAt} > now() - ${STALE})`,
};

const TYPE_CONDITIONS: Record<RunnerType, Prisma.Sql> = {
  instance_type: sql`${runner.isShared}`,
  group_type: sql`${runner.groupId} IS NOT NULL`,
  project_type: sql`(NOT ${runner.isShared} AND ${runner.groupId} IS NULL)`,
};

function matching({ scope, type, status, paused, tagList, versionPrefix }: RunnerFilter): Prisma.Sql[] {
  const conditions = inScope(scope);
  if (type) conditions.push(TYPE_CONDITIONS[type]);
  if (status === 'active' || status === 'paused') conditions.push(...inScope(status));
  else if (status) conditions.push(STATUS_CONDITIONS[status]);
  if (paused != null) conditions.push(sql`${runner.active} = ${!paused}`);
  if (tagList && tagList.length > 0) conditions.push(sql`${[...tagList]}::text[] <@ ${runner.tagList}`);
  if (versionPrefix) conditions.push(sql`starts_with(${runner.version}, ${versionPrefix})`);
  return conditions;
}

function inScope(scope: RunnerScope | null | undefined): Prisma.Sql[] {
  if (scope === 'active') return [sql`${runner.active}`];
  if (scope === 'paused') return [sql`NOT ${runner.active}`];
  if (scope === 'online') return [sql`${runner.contactedAt} > now() - ${ONLINE}`];
  if (scope === 'shared') return [sql`${runner.isShared}`];
  if (scope === 'specific') return [TYPE_CONDITIONS.project_type];
  return [];
}
