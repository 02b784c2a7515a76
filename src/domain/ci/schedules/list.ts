import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { GivenVariable } from '#src/domain/ci/pipelines/given_variables.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const schedule = alias('PipelineSchedule', 's');
const pipeline = alias('Pipeline', 'p');

const schedules = projectScoped({ ability: 'read_pipeline', rows: schedule });

/** A schedule of a project that the actor may read, or has changed. */
export const { find: findSchedule, changed: changedSchedule, findByIds: findSchedulesByIds } = schedules;

/** The schedules of each project, oldest first; only active or inactive ones if that is asked for. */
export function listSchedules<R>(
  context: Context,
  projects: readonly ProjectRow[],
  isActive: boolean | null,
  page: PageRequest,
  selection: Selection<'PipelineSchedule', R>,
): Promise<(Page<R> | Error)[]> {
  const conditions = isActive === null ? [] : [sql`${schedule.active} = ${isActive}`];
  return schedules.list(context, projects, page, selection, conditions);
}

/** A schedule, with its project. */
export interface SchedulesParent {
  project: ProjectRow;
  scheduleId: number;
}

/** Which pipelines of a schedule are listed, and how. */
export interface SchedulePipelines {
  scope?: 'running' | 'pending' | 'finished' | null | undefined;
  status?: JobStatus | null | undefined;
  sort?: Direction | null | undefined;
}

/** The pipelines that each schedule has started, in the order of their IDs. */
export async function listSchedulePipelines<R>(
  context: Context,
  parents: readonly SchedulesParent[],
  { scope, status, sort }: SchedulePipelines,
  page: PageRequest,
  selection: Selection<'Pipeline', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = (asked: Asked<{ schedule: number }>) => {
    const where = all([
      sql`${pipeline.scheduleId} = ${asked.schedule}`,
      ...(scope === 'finished' ? [sql`${pipeline.status} IN ('success', 'failed', 'canceled', 'skipped')`] : []),
      ...(scope && scope !== 'finished' ? [sql`${pipeline.status} = ${scope}::job_status`] : []),
      ...(status ? [sql`${pipeline.status} = ${status}::job_status`] : []),
    ]);
    return pageOfRows(selection, { rows: pipeline, where, order: order('Pipeline', ['id'], sort ?? 'asc') }, page);
  };
  return forPermittedParents(
    parents,
    ({ project }) => authorize(actor, 'read_pipeline', project),
    (permitted) => {
      const asked = permitted.map(({ scheduleId }) => ({ schedule: scheduleId }));
      return readPages<R>(context.db, page, perParent(asked, { schedule: 'int' }, pageOf));
    },
  );
}

/** Whether the actor may know the variables of a schedule: its owner and masters may. */
export function mayReadVariables(
  context: Context,
  project: ProjectRow,
  { ownerId }: { ownerId: number | null },
): boolean {
  const actor = readerOf(context);
  return actor?.id === ownerId ? can(actor, 'read_pipeline', project) : can(actor, 'admin_variable', project);
}

/** The variables of each schedule in order of creation, in one statement, for those who may read them. */
export async function scheduleVariables(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  ids: readonly number[],
): Promise<GivenVariable[][]> {
  const rows = await db.pipelineScheduleVariable.findMany({
    where: { scheduleId: { in: [...ids] } },
    orderBy: { id: 'asc' },
  });
  const byId = Map.groupBy(rows, ({ scheduleId }) => scheduleId);
  return ids.map((id) =>
    (byId.get(id) ?? []).map(({ key, valueEncrypted, isFile, raw }) => ({
      ...{ key, isFile, raw },
      value: decrypt(valueEncrypted, secret),
    })),
  );
}

/** One of the variables. Throws NotFound. */
export async function findScheduleVariable(
  context: Pick<Context, 'db' | 'secret'>,
  id: number,
  key: string,
): Promise<GivenVariable> {
  const [variables = []] = await scheduleVariables(context, [id]);
  const found = variables.find((variable) => variable.key === key);
  if (!found) throw new NotFound('PipelineScheduleVariable');
  return found;
}
