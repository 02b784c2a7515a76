import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;

/** A place to which a project is deployed. Times are ISO 8601. */
export interface EnvironmentRow {
  id: number;
  projectId: number;
  name: string;
  slug: string;
  externalUrl: string | null;
  state: 'available' | 'stopped';
  createdAt: string;
  updatedAt: string;
}

/** The environments of a project, oldest first. Throws Forbidden, Unauthenticated. */
export async function listEnvironments(
  context: Context,
  project: ProjectRow,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<EnvironmentRow>> {
  authorize(requireActor(context), 'read_environment', project);
  const source = sql`environments WHERE project_id = ${project.id}`;
  const rows = sql`SELECT * FROM ${source} ORDER BY id LIMIT ${limit} OFFSET ${offset}`;
  return queryPage(context.db, offset, environmentRows(rows), withTotal && sql`(SELECT count(*) FROM ${source})`);
}

/** One environment of the project. Throws NotFound, Forbidden, Unauthenticated. */
export async function findEnvironment(context: Context, project: ProjectRow, id: number): Promise<EnvironmentRow> {
  authorize(requireActor(context), 'read_environment', project);
  const rows = sql`SELECT * FROM environments WHERE project_id = ${project.id} AND id = ${id}`;
  const [row] = await queryJson<EnvironmentRow[]>(context.db, environmentRows(rows));
  if (!row) throw new NotFound('Environment');
  return row;
}

/** An EnvironmentRow as JSON from the row under an alias. */
export function environmentJson(alias: string): Prisma.Sql {
  const e = Prisma.raw(alias);
  return sql`json_build_object('id', ${e}.id, 'projectId', ${e}.project_id, 'name', ${e}.name, 'slug', ${e}.slug,
    'externalUrl', ${e}.external_url, 'state', ${e}.state, 'createdAt', ${e}.created_at, 'updatedAt', ${e}.updated_at)`;
}

function environmentRows(rows: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(${environmentJson('e')} ORDER BY e.id), '[]') FROM (${rows}) e)`;
}
