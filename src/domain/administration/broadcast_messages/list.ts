import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage, readRow, readRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const message = alias('BroadcastMessage', 'bm');

/** All messages, newest first, also those whose time is over or to come; also for anonymous callers, as pages show them to everyone. */
export function listBroadcastMessages<R>(
  { db, actor }: Context,
  page: PageRequest,
  selection: Selection<'BroadcastMessage', R>,
): Promise<Page<R>> {
  requireApiScope(actor);
  return readPage(
    db,
    selection,
    { rows: message, where: sql`TRUE`, order: order('BroadcastMessage', ['id'], 'desc') },
    page,
  );
}

/** The message with that ID. Throws NotFound. */
export async function findBroadcastMessage<R>(
  { db, actor }: Context,
  id: number,
  selection: Selection<'BroadcastMessage', R>,
): Promise<R> {
  requireApiScope(actor);
  const found = await readRow(db, selection, { rows: message, where: sql`${message.id} = ${id}` });
  if (!found) throw new NotFound('BroadcastMessage');
  return found;
}

/** The messages with these IDs. */
export async function findBroadcastMessagesByIds<R>(
  { db, actor }: Context,
  ids: readonly number[],
  selection: Selection<'BroadcastMessage', R>,
): Promise<R[]> {
  requireApiScope(actor);
  return readRows(db, selection, { rows: message, where: sql`${message.id} = ANY(${[...ids]}::int[])` });
}
