import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { BulkImportStatus } from '#src/generated/prisma/client.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage, readRow, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

export type { BulkImportStatus };

const { sql } = Prisma;
const [bulkImport, entity] = [alias('BulkImport', 'b'), alias('BulkImportEntity', 'e')] as const;

/** Which imports, or parts of imports, a list has, and its order, by ID. */
export interface BulkImportFilter {
  sort: 'asc' | 'desc';
  status?: BulkImportStatus | null | undefined;
}

/** The actor's own imports. */
export async function listBulkImports<R>(
  context: Context,
  { sort, status }: BulkImportFilter,
  page: PageRequest,
  selection: Selection<'BulkImport', R>,
): Promise<Page<R>> {
  const where = all([
    sql`${bulkImport.userId} = ${requireActor(context).id}`,
    ...(status == null ? [] : [sql`${bulkImport.status}::text = ${status}`]),
  ]);
  return readPage(context.db, selection, { rows: bulkImport, where, order: order('BulkImport', ['id'], sort) }, page);
}

/** One of the actor's own imports. Throws NotFound. */
export async function findBulkImport<R>(
  context: Context,
  id: number,
  selection: Selection<'BulkImport', R>,
): Promise<R> {
  const where = sql`${bulkImport.id} = ${id} AND ${bulkImport.userId} = ${requireActor(context).id}`;
  const found = await readRow(context.db, selection, { rows: bulkImport, where });
  if (!found) throw new NotFound('BulkImport');
  return found;
}

/** The actor's own imports with these IDs, in one statement. */
export function findBulkImportsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'BulkImport', R>,
): Promise<(R & { id: number })[]> {
  const where = sql`${bulkImport.id} = ANY(${[...ids]}::int[]) AND ${bulkImport.userId} = ${requireActor(context).id}`;
  return readRows(context.db, selection.with(select('BulkImport', { id: true })), { rows: bulkImport, where });
}

/** An import, without permission checks: for reading back what was changed. Throws NotFound. */
export async function readBulkImport<R>(
  { db }: Pick<Context, 'db'>,
  id: number,
  selection: Selection<'BulkImport', R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows: bulkImport, where: sql`${bulkImport.id} = ${id}` });
  if (!found) throw new NotFound('BulkImport');
  return found;
}

/** The groups and projects of one of the actor's own imports, or of all of them. Throws NotFound for the import. */
export async function listEntities<R>(
  context: Context,
  { sort, status, bulkImportId }: BulkImportFilter & { bulkImportId?: number | null | undefined },
  page: PageRequest,
  selection: Selection<'BulkImportEntity', R>,
): Promise<Page<R>> {
  if (bulkImportId != null) await findBulkImport(context, bulkImportId, select('BulkImport', { id: true }));
  const where = all([
    bulkImportId == null
      ? sql`${entity.userId} = ${requireActor(context).id}`
      : sql`${entity.bulkImportId} = ${bulkImportId}`,
    ...(status == null ? [] : [sql`${entity.status}::text = ${status}`]),
  ]);
  const sorted = order('BulkImportEntity', ['id'], sort);
  return readPage(context.db, selection, { rows: entity, where, order: sorted }, page);
}

/** A group or project of one of the actor's own imports; of a certain one where that is named. Throws NotFound. */
export async function findEntity<R>(
  context: Context,
  { id, bulkImportId }: { id: number; bulkImportId?: number | null | undefined },
  selection: Selection<'BulkImportEntity', R>,
): Promise<R> {
  const where = all([
    sql`${entity.id} = ${id} AND ${entity.userId} = ${requireActor(context).id}`,
    ...(bulkImportId == null ? [] : [sql`${entity.bulkImportId} = ${bulkImportId}`]),
  ]);
  const found = await readRow(context.db, selection, { rows: entity, where });
  if (!found) throw new NotFound('BulkImportEntity');
  return found;
}

/** Those with these IDs, of the actor's own imports, in one statement. */
export function findEntitiesByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'BulkImportEntity', R>,
): Promise<(R & { id: number })[]> {
  const where = sql`${entity.id} = ANY(${[...ids]}::int[]) AND ${entity.userId} = ${requireActor(context).id}`;
  return readRows(context.db, selection.with(select('BulkImportEntity', { id: true })), { rows: entity, where });
}
