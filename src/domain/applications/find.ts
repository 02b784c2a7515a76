import { authorizeAccount } from '#src/access/permissions/account.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import '#src/domain/applications/computed_fields.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPage, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const application = alias('OAuthApplication', 'a');

/** All fields of an application. */
export const APPLICATION = select('OAuthApplication', {
  id: true,
  uid: true,
  name: true,
  redirectUris: true,
  scopes: true,
  confidential: true,
  ownerId: true,
  createdAt: true,
});

/** An application that users may authorize. */
export type ApplicationRow = typeof APPLICATION.row & {
  /** The secret itself, which is only known when it is created. */
  secret?: string;
};

/** An application of the actor, or any for administrators. Throws NotFound. */
export async function findApplication<R>(
  context: Context,
  id: number,
  selection: Selection<'OAuthApplication', R>,
): Promise<R> {
  const actor = requireActor(context);
  const where = sql`${application.id} = ${id} AND (${application.ownerId} = ${actor.id} OR ${actor.admin}::boolean)`;
  const found = await readRow(context.db, selection, { rows: application, where });
  if (!found) throw new NotFound('Application');
  return found;
}

/** The applications with these IDs that the actor may see: their own, for administrators all. */
export async function findApplicationsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'OAuthApplication', R>,
): Promise<R[]> {
  const actor = requireActor(context);
  const isOwn = sql`(${application.ownerId} = ${actor.id} OR ${actor.admin}::boolean)`;
  const where = sql`${application.id} = ANY(${[...ids]}::int[]) AND ${isOwn}`;
  return readRows(context.db, selection, { rows: application, where });
}

/** The applications registered by each user, oldest first, for the user and administrators; Forbidden in place of others'. */
export async function listApplications<R>(
  context: Context,
  ownerIds: readonly number[],
  page: PageRequest,
  selection: Selection<'OAuthApplication', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ owner }: Asked<{ owner: number }>) =>
    pageOfRows(selection, { ...oldestFirst, where: sql`${application.ownerId} = ${owner}` }, page);
  return forPermittedParents(
    ownerIds,
    (ownerId) => authorizeAccount(actor, ownerId),
    (permitted) => {
      const owners = permitted.map((owner) => ({ owner }));
      return readPages<R>(context.db, page, perParent(owners, { owner: 'int' }, pageOf));
    },
  );
}

/** All applications, oldest first, for administrators. Throws Forbidden. */
export async function listAllApplications<R>(
  context: Context,
  page: PageRequest,
  selection: Selection<'OAuthApplication', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  return readPage(context.db, selection, { ...oldestFirst, where: sql`TRUE` }, page);
}

const oldestFirst = { rows: application, order: order('OAuthApplication', ['id']) };
