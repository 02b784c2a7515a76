import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { memberNamespaces } from '#src/access/permissions/visibility.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import '#src/domain/groups/computed_fields.ts';
import { isGroup } from '#src/domain/groups/find.ts';
import type { NamespaceRef } from '#src/domain/namespaces/find.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound, RateLimited } from '#src/platform/errors.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';
import { alias } from '#src/platform/records/alias.ts';
import { readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const namespace = alias('Namespace', 'n');

/**
 * A namespace by ID or full path: the actor's own, or a group with a membership, direct or inherited; for administrators any. Digits
 * are an ID, and a path if nothing has that ID. Throws Unauthenticated, NotFound.
 */
export async function findNamespace<R>(
  context: Context,
  ref: NamespaceRef,
  selection: Selection<'Namespace', R>,
): Promise<R> {
  const actor = requireActor(context);
  const right = shown(actor);
  const read = async (wanted: Prisma.Sql) => {
    const where = sql`${wanted} AND ${namespace.deletedAt} IS NULL AND ${right}`;
    const [found] = await readRows(context.db, selection, { rows: namespace, where, params: { actor } });
    return found;
  };
  const found = await ways(ref).reduce<Promise<R | undefined>>(
    async (earlier, wanted) => (await earlier) ?? read(wanted),
    Promise.resolve(undefined),
  );
  if (found === undefined) throw new NotFound('Namespace');
  return found;
}

/** Namespaces that the actor may see as such. */
function shown(actor: Actor): Prisma.Sql {
  if (actor.admin) return sql`TRUE`;
  return sql`(${namespace.ownerId} = ${actor.id} OR ${namespace.lineage} && ${memberNamespaces(actor)})`;
}

/** The personal namespaces with these IDs that findNamespace finds, in one statement. Throws Unauthenticated. */
export async function findPersonalNamespaces<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Namespace', R>,
): Promise<(R & { id: number })[]> {
  const actor = requireActor(context);
  const isOne = sql`${namespace.id} = ANY(${[...ids]}::int[]) AND ${namespace.kind} = 'user'`;
  const where = sql`${isOne} AND ${namespace.deletedAt} IS NULL AND ${shown(actor)}`;
  return readRows(context.db, selection.with(select('Namespace', { id: true })), {
    rows: namespace,
    where,
    params: { actor },
  });
}

function ways(ref: NamespaceRef): Prisma.Sql[] {
  if (typeof ref === 'number') return [sql`${namespace.id} = ${ref}`];
  if (typeof ref !== 'string') return [sql`${namespace.ownerId} = ${ref.userId}`];
  const byPath = sql`lower(${namespace.fullPath}) = lower(${ref})`;
  return /^\d{1,9}$/.test(ref) ? [sql`${namespace.id} = ${Number(ref)}`, byPath] : [byPath];
}

/** Whether a path is in use, and if so one that is free. */
export interface PathUse {
  exists: boolean;
  suggests: string[];
}

/** It tells of private names: how often a user may ask. */
const RATE = { perSecond: 1, atOnce: 30 };
const askedOn = ofEachDatabase(() => new LeakyBucket(RATE, 10_000));

/** Numbers that are tried for a free path. */
const MAX_TRIED_NUMBERS = 1_000;

/**
 * Whether a user, or a group at the top or directly in a parent group, has a path, in any case; with the path and the smallest number
 * that is free. Throws Unauthenticated, RateLimited.
 */
export async function pathInUse(context: Context, path: string, parentId: number | null): Promise<PathUse> {
  const { id } = requireActor(context);
  const asked = askedOn(context.db);
  if (!asked.tryTake(id)) throw new RateLimited(Math.ceil(asked.wait(id) / 1_000));
  const parent = parentId === null ? sql`${namespace.parentId} IS NULL` : sql`${namespace.parentId} = ${parentId}`;
  const [found] = await context.db.$queryRaw<{ exists: boolean; free: string | null }[]>`
    SELECT ${inUse(sql`${path}::text`, parent)} AS exists,
      (SELECT ${path}::text || t.number FROM generate_series(1, ${MAX_TRIED_NUMBERS}) t(number)
        WHERE NOT ${inUse(sql`${path}::text || t.number`, parent)} ORDER BY t.number LIMIT 1) AS free`;
  const exists = found?.exists ?? false;
  return { exists, suggests: exists && found?.free ? [found.free] : [] };
}

function inUse(path: Prisma.Sql, parent: Prisma.Sql): Prisma.Sql {
  return sql`(EXISTS (SELECT 1 FROM namespaces n WHERE lower(${namespace.fullPath}) = lower(${path}) AND ${namespace.kind} = 'user')
    OR EXISTS (SELECT 1 FROM namespaces n WHERE lower(${namespace.path}) = lower(${path}) AND ${parent} AND ${isGroup(namespace)}))`;
}
