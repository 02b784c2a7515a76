import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { type PipelineRow, pipelineRows } from '#src/pipelines/rows.ts';
import type { JobStatus } from '#src/pipelines/status.ts';
import { all, Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;

/** Which pipelines a list holds, and in which order. */
export interface PipelineFilter {
  /** In that state; `finished` is success, failed or canceled; or the latest one of each branch or tag that is there. */
  scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags' | null | undefined;
  status?: JobStatus | null | undefined;
  ref?: string | null | undefined;
  /** Whether its file was invalid. */
  yamlErrors?: boolean | null | undefined;
  /** Name of who started it. */
  name?: string | null | undefined;
  username?: string | null | undefined;
  orderBy?: 'id' | 'status' | 'ref' | 'user_id' | null | undefined;
  sort?: Direction | null | undefined;
}

/** The pipelines of a project, newest first. Throws Forbidden, Unauthenticated. */
export async function listPipelines(
  context: Context,
  project: ProjectRow,
  filter: PipelineFilter,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<PipelineRow>> {
  authorize(requireActor(context), 'read_pipeline', project);
  const condition = await conditionOf(context, project, filter);
  const order = orderOf(filter.orderBy ?? 'id', filter.sort ?? 'desc');
  const ids = sql`SELECT p.id FROM pipelines p WHERE ${condition} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;
  const total = withTotal && sql`(SELECT count(*) FROM pipelines p WHERE ${condition})`;
  return queryPage(context.db, offset, pipelineRows(ids), total);
}

/** One pipeline of the project. Throws NotFound, Forbidden, Unauthenticated. */
export async function findPipeline(context: Context, project: ProjectRow, id: number): Promise<PipelineRow> {
  authorize(requireActor(context), 'read_pipeline', project);
  return pipelineById(context, project, id);
}

/** As findPipeline, for reading back after a change. */
export async function pipelineById({ db }: Context, project: ProjectRow, id: number): Promise<PipelineRow> {
  const ids = sql`SELECT id FROM pipelines WHERE project_id = ${project.id} AND id = ${id}`;
  const [row] = await queryJson<PipelineRow[]>(db, pipelineRows(ids));
  if (!row) throw new NotFound('Pipeline');
  return row;
}

async function conditionOf(context: Context, project: ProjectRow, filter: PipelineFilter): Promise<Prisma.Sql> {
  const { scope, status, ref, yamlErrors, name, username } = filter;
  const conditions = [sql`p.project_id = ${project.id}`];
  if (scope === 'branches' || scope === 'tags') conditions.push(await latestOf(context, project, scope));
  else if (scope === 'finished') conditions.push(sql`p.status IN ('success', 'failed', 'canceled')`);
  else if (scope) conditions.push(sql`p.status = ${scope}::job_status`);
  if (status) conditions.push(sql`p.status = ${status}::job_status`);
  if (ref) conditions.push(sql`p.ref = ${ref}`);
  if (yamlErrors != null) conditions.push(sql`(p.yaml_errors IS NOT NULL) = ${yamlErrors}`);
  if (name) conditions.push(sql`p.user_id IN (SELECT id FROM users WHERE name = ${name})`);
  if (username) conditions.push(sql`p.user_id IN (SELECT id FROM users WHERE lower(username) = lower(${username}))`);
  return all(conditions);
}

/** The latest pipeline of each branch, or tag, that is in the repository. */
async function latestOf(
  { repositories }: Context,
  project: ProjectRow,
  scope: 'branches' | 'tags',
): Promise<Prisma.Sql> {
  const repository = await repositories.open(project);
  const refs = (await repository?.[scope]()) ?? [];
  const names = refs.map(({ name }) => name).filter((name) => name.isWellFormed());
  return sql`p.id IN (SELECT max(l.id) FROM pipelines l WHERE l.project_id = ${project.id}
    AND l.tag = ${scope === 'tags'} AND l.ref = ANY(${names}::text[]) GROUP BY l.ref)`;
}

function orderOf(by: 'id' | 'status' | 'ref' | 'user_id', sort: Direction): Prisma.Sql {
  const direction = Prisma.raw(sort === 'asc' ? 'ASC' : 'DESC');
  if (by === 'id') return sql`p.id ${direction}`;
  return sql`p.${Prisma.raw(by)} ${direction}, p.id ${direction}`;
}
