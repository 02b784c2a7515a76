import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { decrypt } from '#src/platform/secrets.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** Starts pipelines from outside. Times are ISO 8601. */
export interface TriggerRow {
  id: number;
  projectId: number;
  /** What whoever starts a pipeline shows. */
  token: string;
  description: string;
  createdAt: string;
  updatedAt: string;
  lastUsedAt: string | null;
  /** As whom it starts pipelines; null when that user is gone, and then it starts none. */
  owner: UserRow | null;
}

type Stored = Omit<TriggerRow, 'token'> & { tokenEncrypted: string };

/** The triggers of a project, oldest first. Throws Forbidden, Unauthenticated. */
export async function listTriggers(
  context: Context,
  project: ProjectRow,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<TriggerRow>> {
  authorize(requireActor(context), 'admin_trigger', project);
  const source = sql`triggers WHERE project_id = ${project.id}`;
  const rows = sql`SELECT * FROM ${source} ORDER BY id LIMIT ${limit} OFFSET ${offset}`;
  const total = withTotal && sql`(SELECT count(*) FROM ${source})`;
  const page = await queryPage<Stored>(context.db, offset, triggerRows(rows), total);
  return { ...page, nodes: page.nodes.map((row) => shown(row, context)) };
}

/** One trigger of the project. Throws NotFound, Forbidden, Unauthenticated. */
export async function findTrigger(context: Context, project: ProjectRow, id: number): Promise<TriggerRow> {
  authorize(requireActor(context), 'admin_trigger', project);
  const rows = sql`SELECT * FROM triggers WHERE project_id = ${project.id} AND id = ${id}`;
  const [row] = await queryJson<Stored[]>(context.db, triggerRows(rows));
  if (!row) throw new NotFound('Trigger');
  return shown(row, context);
}

function shown({ tokenEncrypted, ...row }: Stored, { secret }: Context): TriggerRow {
  return { ...row, token: decrypt(Buffer.from(tokenEncrypted, 'hex'), secret) };
}

function triggerRows(rows: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', t.id, 'projectId', t.project_id,
      'tokenEncrypted', encode(t.token_encrypted, 'hex'), 'description', t.description, 'createdAt', t.created_at,
      'updatedAt', t.updated_at, 'lastUsedAt', t.last_used_at, 'owner', ${userJson('u')}) ORDER BY t.id), '[]')
    FROM (${rows}) t LEFT JOIN users u ON u.id = t.owner_id)`;
}
