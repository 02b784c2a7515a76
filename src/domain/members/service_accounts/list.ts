import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { type Source, sourceAt } from '#src/domain/members/source.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { all, containing, type Db, Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Direction, Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage, readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const user = alias('User', 'u');

/** Which service accounts are listed. */
export interface ServiceAccountFilter {
  /** Part of the name or username, in any case. */
  search?: string | null | undefined;
}

/** What service accounts are listed by. */
export interface ServiceAccountOrder {
  by: 'id' | 'username';
  direction: Direction;
}

const COLUMNS = { id: ['id'], username: ['username', 'id'] } as const;

/** Whoever may see a service account in these lists sees its address. */
const ADDRESS = select('User', { shownEmail: true });

/**
 * The service accounts of a project or group, for its owners; those of the server, for administrators, where none is named. Throws
 * Forbidden, NotFound.
 */
export async function listServiceAccounts<R>(
  context: Context,
  place: OwnerRef,
  { search, by, direction }: ServiceAccountFilter & ServiceAccountOrder,
  page: PageRequest,
  selection: Selection<'User', R>,
): Promise<Page<R>> {
  const source = await provisionerAt(context, place);
  const text = search ? containing(search) : null;
  const named = text === null ? [] : [sql`(${user.name} ILIKE ${text} OR ${user.username} ILIKE ${text})`];
  const list = { rows: user, where: all([isOf(source), ...named]), order: order('User', COLUMNS[by], direction) };
  return readPage(context.db, withAddress(selection), list, page);
}

/** A service account of a project, group or the server. Throws Forbidden, NotFound. */
export async function findServiceAccount<R>(
  context: Context,
  place: OwnerRef,
  id: number,
  selection: Selection<'User', R>,
): Promise<R> {
  return serviceAccountOf(context.db, await provisionerAt(context, place), id, selection);
}

/** The project or group that service accounts are made for, whose owner the actor is; null for the server. Throws Forbidden, NotFound. */
export async function provisionerAt(context: Context, place: OwnerRef): Promise<Source | null> {
  if (place.project == null && place.group == null) {
    requireAdmin(context);
    return null;
  }
  const actor = requireActor(context);
  const source = await sourceAt(context, place);
  authorizeServiceAccounts(actor, source);
  return source;
}

/** Throws Forbidden unless the actor owns the project or group. */
function authorizeServiceAccounts(actor: Actor, { kind, record }: Source): void {
  authorize(actor, kind === 'project' ? 'admin_service_account' : 'admin_group_service_account', record);
}

/** A service account of a project, group or, where that is null, the server. Throws NotFound. */
export async function serviceAccountOf<R>(
  db: Db,
  source: Source | null,
  id: number,
  selection: Selection<'User', R>,
): Promise<R> {
  const found = await readRow(db, withAddress(selection), {
    rows: user,
    where: sql`${user.id} = ${id} AND ${isOf(source)}`,
  });
  if (!found) throw new NotFound('User');
  return found;
}

function withAddress<R>(selection: Selection<'User', R>): Selection<'User', R> {
  return ADDRESS.with(selection) as Selection<'User', R>;
}

function isOf(source: Source | null): Prisma.Sql {
  if (source === null) return sql`${user.serviceAccount} = 'server'`;
  const { kind, record } = source;
  return kind === 'project'
    ? sql`${user.provisionedByProjectId} = ${record.id}`
    : sql`${user.provisionedByGroupId} = ${record.id}`;
}
