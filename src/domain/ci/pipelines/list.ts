import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { PipelineSource } from '#src/domain/ci/pipelines/config/base/origin.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { timestamp } from '#src/platform/database/timestamp.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [pipeline, latest] = [alias('Pipeline', 'p'), alias('Pipeline', 'l')];

/** Filter and order of a list of pipelines. */
export interface PipelineFilter {
  /** In that state; `finished` is success, failed or canceled; or the latest one of each existing branch or tag. */
  scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags' | null | undefined;
  status?: JobStatus | null | undefined;
  ref?: string | null | undefined;
  sha?: string | null | undefined;
  /** Child pipelines are left out unless they are asked for. */
  source?: PipelineSource | 'external' | null | undefined;
  /** Whether its file was invalid. */
  yamlErrors?: boolean | null | undefined;
  /** Name of the user who started it. */
  name?: string | null | undefined;
  username?: string | null | undefined;
  /** Inclusive. */
  updatedAfter?: Date | null | undefined;
  updatedBefore?: Date | null | undefined;
  orderBy?: keyof typeof ORDERS | null | undefined;
  sort?: Direction | null | undefined;
}

type AskedProject = {
  project: number;
  /** The existing branches or tags, for lists of their latest pipelines. */
  refs: readonly string[];
};

/** A page of each project's pipelines, newest first; Forbidden in place of those that are unreadable. Throws Unauthenticated. */
export async function listPipelines<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: PipelineFilter,
  page: PageRequest,
  selection: Selection<'Pipeline', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const { scope } = filter;
  const refs = new Map<ProjectRow, string[]>();
  const inOrder = orderOf(filter);
  const pageOf = (parent: Asked<AskedProject>) =>
    pageOfRows(selection, { rows: pipeline, where: conditionOf(parent, filter), order: inOrder }, page);
  const check = async (project: ProjectRow) => {
    authorize(actor, 'read_pipeline', project);
    if (scope === 'branches' || scope === 'tags') refs.set(project, await refsOf(context, project, scope));
  };
  return forPermittedParents(projects, check, (permitted) => {
    const parents = permitted.map((project) => ({ project: project.id, refs: refs.get(project) ?? [] }));
    return readPages<R>(context.db, page, perParent(parents, { project: 'int', refs: 'text[]' }, pageOf));
  });
}

/** A commit of a project. */
interface CommitParent {
  project: ProjectRow;
  sha: string;
}

/** A page of each commit's pipelines, newest first; Forbidden in place of those that are unreadable. Throws Unauthenticated. */
export async function listPipelinesOfCommits<R>(
  context: Context,
  commits: readonly CommitParent[],
  { ref, status, sort }: Pick<PipelineFilter, 'ref' | 'status' | 'sort'>,
  page: PageRequest,
  selection: Selection<'Pipeline', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const pageOf = ({ project, sha }: Asked<{ project: number; sha: string }>) => {
    const isOfCommit = sql`${pipeline.sha} = ${sha}`;
    const where = all([conditionOf({ project, refs: [] }, { ref, status }), isOfCommit]);
    return pageOfRows(selection, { rows: pipeline, where, order: orderOf({ sort }) }, page);
  };
  return forPermittedParents(
    commits,
    ({ project }) => authorize(actor, 'read_pipeline', project),
    (permitted) => {
      const parents = permitted.map(({ project, sha }) => ({ project: project.id, sha }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int', sha: 'text' }, pageOf));
    },
  );
}

async function refsOf({ repositories }: Context, project: ProjectRow, kind: 'branches' | 'tags'): Promise<string[]> {
  const repository = await repositories.open(project);
  const refs = (await repository?.[kind]()) ?? [];
  return refs.map(({ name }) => name).filter((name) => name.isWellFormed());
}

function conditionOf({ project, refs }: Asked<AskedProject>, filter: PipelineFilter): Prisma.Sql {
  const { scope, status, ref, sha, source, yamlErrors, name, username, updatedAfter, updatedBefore } = filter;
  const { userId, updatedAt } = pipeline;
  return all([
    sql`${pipeline.projectId} = ${project}`,
    ...(scope ? [scopeOf(scope, project, refs)] : []),
    ...(status ? [sql`${pipeline.status} = ${status}::job_status`] : []),
    ...(ref ? [sql`${pipeline.ref} = ${ref}`] : []),
    ...(sha ? [sql`${pipeline.sha} = ${sha}`] : []),
    source ? ofSource(source) : sql`${pipeline.source} <> 'parent_pipeline'`,
    ...(yamlErrors == null ? [] : [sql`(${pipeline.yamlErrors} IS NOT NULL) = ${yamlErrors}`]),
    ...(name ? [sql`${userId} IN (SELECT id FROM users WHERE name = ${name})`] : []),
    ...(username ? [sql`${userId} IN (SELECT id FROM users WHERE lower(username) = lower(${username}))`] : []),
    ...(updatedAfter ? [sql`${updatedAt} >= ${timestamp(updatedAfter)}`] : []),
    ...(updatedBefore ? [sql`${updatedAt} <= ${timestamp(updatedBefore)}`] : []),
  ]);
}

/** Pipelines of merge requests are kept as those of the API. */
function ofSource(source: PipelineSource | 'external'): Prisma.Sql {
  const isKept = sql`${pipeline.source}::text = ${source === 'merge_request_event' ? 'api' : source}`;
  if (source === 'merge_request_event') return sql`${isKept} AND ${pipeline.mergeRequestId} IS NOT NULL`;
  return source === 'api' ? sql`${isKept} AND ${pipeline.mergeRequestId} IS NULL` : isKept;
}

function scopeOf(
  scope: NonNullable<PipelineFilter['scope']>,
  project: Asked<AskedProject>['project'],
  refs: Asked<AskedProject>['refs'],
): Prisma.Sql {
  if (scope === 'finished') return sql`${pipeline.status} IN ('success', 'failed', 'canceled')`;
  if (scope !== 'branches' && scope !== 'tags') return sql`${pipeline.status} = ${scope}::job_status`;
  return sql`${pipeline.id} IN (SELECT max(${latest.id}) FROM ${table(latest)} WHERE ${latest.projectId} = ${project}
    AND ${latest.tag} = ${scope === 'tags'} AND ${latest.source} <> 'parent_pipeline'
    AND ${latest.ref} = ANY(${refs}::text[]) GROUP BY ${latest.ref})`;
}

const ORDERS = { id: null, status: 'status', ref: 'ref', user_id: 'userId' } as const;

function orderOf({ orderBy, sort }: PipelineFilter): Order<'Pipeline'> {
  const direction = sort === 'asc' ? 'asc' : 'desc';
  const column = ORDERS[orderBy ?? 'id'];
  return order('Pipeline', column === null ? ['id'] : [column, 'id'], direction, {
    nulls: column === 'userId' ? 'above' : undefined,
  });
}
