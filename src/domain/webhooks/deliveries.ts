import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { HookPlace } from '#src/domain/webhooks/list.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const delivery = alias('HookDelivery', 'd');
const NEWEST_FIRST = order('HookDelivery', ['id'], 'desc');

/** The deliveries of hooks that the actor administers, as checked before, newest first; in one statement for several hooks. */
export async function listDeliveries<R>(
  context: Context,
  hooks: readonly Pick<HookPlace, 'id'>[],
  page: PageRequest,
  selection: Selection<'HookDelivery', R>,
): Promise<Page<R>[]> {
  requireActor(context);
  const pageOf = ({ hook }: Asked<{ hook: number }>) =>
    pageOfRows(selection, { rows: delivery, where: sql`${delivery.hookId} = ${hook}`, order: NEWEST_FIRST }, page);
  const parents = hooks.map(({ id }) => ({ hook: id }));
  return readPages<R>(context.db, page, perParent(parents, { hook: 'int' }, pageOf));
}

/** A delivery of a hook that the actor administers, as checked before. Throws NotFound. */
export async function readDelivery<R>(
  { db }: Context,
  { hookId, id }: { hookId: number; id: number },
  selection: Selection<'HookDelivery', R>,
): Promise<R> {
  const where = sql`${delivery.id} = ${id} AND ${delivery.hookId} = ${hookId}`;
  const found = await readRow(db, selection, { rows: delivery, where });
  if (!found) throw new NotFound('Hook event');
  return found;
}
