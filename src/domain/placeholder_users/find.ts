import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findNamespace } from '#src/domain/groups/find_namespace.ts';
import type { NamespaceRef } from '#src/domain/namespaces/find.ts';
import { managesPlaceholders } from '#src/domain/users/placeholders.ts';
import { all, containing, Prisma, queryRows } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/placeholder_users/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [source, namespace] = [alias('ImportSourceUser', 's'), alias('Namespace', 'n')] as const;

/** Which requests to take over placeholders a list has, and its order, by ID. */
export interface RequestFilter {
  sort: 'asc' | 'desc';
  /** A part of name or username, in any case. */
  search?: string | null | undefined;
  hostname?: string | null | undefined;
}

/** Which users of sources a list has. */
export interface SourceUserFilter extends RequestFilter {
  statuses?: readonly Columns['ImportSourceUser']['status'][] | null | undefined;
  /** What the order is by, and then by ID. */
  orderBy?: 'id' | 'sourceName' | null | undefined;
}

const PLACE = select('Namespace', { id: true, parentId: true });

function matching({ search, hostname }: RequestFilter): Prisma.Sql[] {
  const text = search?.trim();
  return [
    ...(hostname != null ? [sql`${source.sourceHostname} = ${hostname.toLowerCase()}`] : []),
    ...(text
      ? [sql`(${source.sourceName} ILIKE ${containing(text)} OR ${source.sourceUsername} ILIKE ${containing(text)})`]
      : []),
  ];
}

/**
 * The users of sources that imports into a top-level group or personal namespace had no account for. For its owners.
 * Throws NotFound, Forbidden, and ValidationFailed for a subgroup.
 */
export async function listSourceUsers<R>(
  context: Context,
  ref: NamespaceRef,
  filter: SourceUserFilter,
  page: PageRequest,
  selection: Selection<'ImportSourceUser', R>,
): Promise<Page<R>> {
  const id = await requirePlace(context, ref);
  const { statuses, sort, orderBy } = filter;
  const by = orderBy === 'sourceName' ? (['sourceName', 'id'] as const) : (['id'] as const);
  const where = all([
    sql`${source.namespaceId} = ${id}`,
    ...(statuses ? [sql`${source.status}::text = ANY(${[...statuses]}::text[])`] : []),
    ...matching(filter),
  ]);
  return readPage(context.db, selection, { rows: source, where, order: order('ImportSourceUser', by, sort) }, page);
}

/** The ID of a namespace whose placeholders the actor manages. Throws as listSourceUsers. */
export async function requirePlace(context: Context, ref: NamespaceRef): Promise<number> {
  const actor = requireActor(context);
  const { id, parentId } = await findNamespace(context, ref, PLACE);
  if (parentId !== null) {
    throw new ValidationFailed({ namespace: ['must be a top-level group or a personal namespace'] });
  }
  const rows = await queryRows(
    context.db,
    sql`SELECT 1 FROM ${table(namespace)} WHERE ${namespace.id} = ${id} AND ${managesPlaceholders(actor, namespace)}`,
  );
  if (rows.length === 0) throw new Forbidden();
  return id;
}

/** The requests to take over placeholders that wait for the actor's answer. */
export async function listRequests<R>(
  context: Context,
  filter: RequestFilter,
  page: PageRequest,
  selection: Selection<'ImportSourceUser', R>,
): Promise<Page<R>> {
  const { id } = requireActor(context);
  const where = all([
    sql`${source.reassignToUserId} = ${id} AND ${source.status} = 'awaiting_approval'`,
    ...matching(filter),
  ]);
  const sorted = order('ImportSourceUser', ['id'], filter.sort);
  return readPage(context.db, selection, { rows: source, where, order: sorted }, page);
}

/** Whether an actor sees a user of a source: who manages the namespace, and the account that is or was asked to take it over. */
function seen(actor: Pick<Actor, 'id' | 'admin' | 'place'>): Prisma.Sql {
  return sql`((${source.reassignToUserId} = ${actor.id} AND ${source.status} <> 'rejected') OR ${managed(actor)})`;
}

/** Whether an actor may say who a user of a source is. */
export function managed(actor: Pick<Actor, 'id' | 'admin' | 'place'>): Prisma.Sql {
  return sql`EXISTS (SELECT 1 FROM ${table(namespace)} WHERE ${namespace.id} = ${source.namespaceId}
    AND ${namespace.deletedAt} IS NULL AND ${managesPlaceholders(actor, namespace)})`;
}

/** A user of a source, for those who see it (`seen`). Throws NotFound. */
export async function findSourceUser<R>(
  context: Context,
  id: number,
  selection: Selection<'ImportSourceUser', R>,
): Promise<R> {
  const where = sql`${source.id} = ${id} AND ${seen(requireActor(context))}`;
  const found = await readRow(context.db, selection, { rows: source, where });
  if (!found) throw new NotFound('ImportSourceUser');
  return found;
}

/** Those with these IDs that the actor sees, in one statement. */
export function findSourceUsersByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'ImportSourceUser', R>,
): Promise<(R & { id: number })[]> {
  const where = sql`${source.id} = ANY(${[...ids]}::int[]) AND ${seen(requireActor(context))}`;
  return readRows(context.db, selection.with(select('ImportSourceUser', { id: true })), { rows: source, where });
}

/** A user of a source, without permission checks: for reading back what was changed. Throws NotFound. */
export async function readSourceUser<R>(
  { db }: Pick<Context, 'db'>,
  id: number,
  selection: Selection<'ImportSourceUser', R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows: source, where: sql`${source.id} = ${id}` });
  if (!found) throw new NotFound('ImportSourceUser');
  return found;
}
