import { authorizeAccount } from '#src/access/account.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/actor.ts';
import { Prisma, queryJson, queryPage } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

const { sql } = Prisma;

/** A program that users may let act for them. */
export interface ApplicationRow {
  id: number;
  /** The application ID: what OAuth calls client_id. */
  uid: string;
  name: string;
  redirectUris: string[];
  scopes: string[];
  /** Whether it has a secret; programs on the machines of users cannot keep one. */
  confidential: boolean;
  ownerId: number;
  /** ISO 8601. */
  createdAt: string;
  /** The secret itself, which nobody knows any more once its making was answered. */
  secret?: string;
}

/** One's own application, or for administrators any. Throws NotFound. */
export async function findApplication(context: Context, id: number): Promise<ApplicationRow> {
  const { id: userId, admin } = requireActor(context);
  const condition = sql`a.id = ${id} AND (a.owner_id = ${userId} OR ${admin}::boolean)`;
  const [application] = await queryJson<ApplicationRow[]>(context.db, rows(condition, sql`LIMIT 1`));
  if (!application) throw new NotFound('Application');
  return application;
}

/** The applications that a user registered, oldest first, for the user and administrators. Throws Forbidden. */
export async function listApplications(
  context: Context,
  ownerId: number,
  page: PageRequest,
): Promise<Page<ApplicationRow>> {
  authorizeAccount(requireActor(context), ownerId);
  return list(context, sql`a.owner_id = ${ownerId}`, page);
}

/** All applications, oldest first, for administrators. Throws Forbidden. */
export async function listAllApplications(context: Context, page: PageRequest): Promise<Page<ApplicationRow>> {
  requireAdmin(context);
  return list(context, sql`TRUE`, page);
}

async function list({ db }: Context, condition: Prisma.Sql, { limit, offset, withTotal }: PageRequest) {
  const total = withTotal && sql`(SELECT count(*) FROM oauth_applications a WHERE ${condition})`;
  return queryPage<ApplicationRow>(db, offset, rows(condition, sql`LIMIT ${limit} OFFSET ${offset}`), total);
}

function rows(condition: Prisma.Sql, slice: Prisma.Sql): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(json_build_object('id', a.id, 'uid', a.uid, 'name', a.name,
    'redirectUris', a.redirect_uris, 'scopes', a.scopes, 'confidential', a.secret_hash IS NOT NULL,
    'ownerId', a.owner_id, 'createdAt', a.created_at) ORDER BY a.id), '[]')
    FROM (SELECT * FROM oauth_applications a WHERE ${condition} ORDER BY a.id ${slice}) a)`;
}
