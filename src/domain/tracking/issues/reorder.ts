import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { locateIssue } from '#src/domain/tracking/issues/find.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

/** The distance between positions as they are given out, so that others fit between them. */
const GAP = 1024;

/** The IDs of the issues between which an issue is placed; with one of them, it is placed right beside that. */
export interface Neighbours {
  /** The issue that comes right before it. */
  after?: number | null | undefined;
  /** The issue that comes right after it. */
  before?: number | null | undefined;
}

/**
 * Places an issue after, before, or between others of its project, in the order `relative_position`; it is no change of the issue
 * otherwise. Throws NotFound, Forbidden, BadRequest.
 */
export async function reorderIssue(
  context: Context,
  ref: IdOrPath,
  iid: number,
  { after, before }: Neighbours,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, issue: moved } = await locateIssue(context, ref, iid);
  authorize(actor, 'admin_issue', project);
  if (after == null && before == null) throw new BadRequest('Name an issue that comes before or after it', 'afterId');
  await context.db.$transaction(async (tx) => {
    await lockOrder(tx, project.id);
    await placeIssue(tx, { projectId: project.id, movedId: moved.id }, { after, before });
  });
  return { project, id: moved.id };
}

/** Locks the order of the issues of a project: before any of the issues themselves. */
export async function lockOrder(tx: Transaction, projectId: number): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM project_counters c WHERE c.project_id = ${projectId} FOR NO KEY UPDATE`;
}

/** Places an issue beside others, in the transaction that holds the lock of the order. Throws BadRequest. */
export async function placeIssue(tx: Transaction, order: Order, { after, before }: Neighbours): Promise<void> {
  await placeUpTo(
    tx,
    order,
    [after, before].filter((id) => id != null),
  );
  const position =
    (await positionFor(tx, order, { after, before })) ?? (await afterRenumbering(tx, order, { after, before }));
  await tx.issue.update({ where: { id: order.movedId }, data: { relativePosition: position } });
}

/** The issues of a project, of which one is moved. */
interface Order {
  projectId: number;
  movedId: number;
}

/** The other issues of the project. */
const others = ({ projectId, movedId }: Order) =>
  sql`${issue.projectId} = ${projectId} AND ${issue.id} <> ${movedId} AND ${issue.deletedAt} IS NULL`;

/** Gives positions to neighbours without one, and to those that come before them. Throws BadRequest if one is no such issue. */
async function placeUpTo(tx: Transaction, order: Order, ids: readonly number[]): Promise<void> {
  const found = await tx.$queryRaw<{ id: number; isPlaced: boolean }[]>`
    SELECT ${issue.id}, ${issue.relativePosition} IS NOT NULL AS "isPlaced" FROM ${table(issue)}
    WHERE ${issue.id} = ANY(${[...ids]}::int[]) AND ${others(order)}`;
  if (found.length < new Set(ids).size)
    throw new BadRequest('An issue can only be placed next to issues of its own project', 'afterId', 'notBesideIssue');
  const unplaced = found.filter(({ isPlaced }) => !isPlaced).map(({ id }) => id);
  if (unplaced.length === 0) return;
  await tx.$executeRaw`
    WITH placed AS (SELECT COALESCE(max(${issue.relativePosition}), 0) AS last FROM ${table(issue)} WHERE ${others(order)})
    UPDATE issues u SET relative_position = placed.last + ${GAP}::int * n.number
    FROM placed, (SELECT ${issue.id}, row_number() OVER (ORDER BY ${issue.id})::int AS number FROM ${table(issue)}
      WHERE ${others(order)} AND ${issue.relativePosition} IS NULL AND ${issue.id} <= ${Math.max(...unplaced)}) n
    WHERE u.id = n.id`;
}

/** The position between two neighbours, or between the one that is named and the next; null if there is no room. */
async function positionFor(tx: Transaction, order: Order, { after, before }: Neighbours): Promise<number | null> {
  const of = (id: number | null | undefined) =>
    sql`(SELECT ${issue.relativePosition} FROM ${table(issue)} WHERE ${issue.id} = ${id ?? null}::int)`;
  const [found] = await tx.$queryRaw<{ low: number | null; high: number | null }[]>`
    SELECT CASE WHEN given.after IS NOT NULL THEN LEAST(given.after, given.before) ELSE (SELECT max(${issue.relativePosition})
        FROM ${table(issue)} WHERE ${others(order)} AND ${issue.relativePosition} < given.before) END AS low,
      CASE WHEN given.before IS NOT NULL THEN GREATEST(given.after, given.before) ELSE (SELECT min(${issue.relativePosition})
        FROM ${table(issue)} WHERE ${others(order)} AND ${issue.relativePosition} > given.after) END AS high
    FROM (SELECT ${of(after)} AS after, ${of(before)} AS before) given`;
  const { low = null, high = null } = found ?? {};
  if (low === null) return high === null ? GAP : inRange(high - GAP);
  if (high === null) return inRange(low + GAP);
  return high - low < 2 ? null : low + Math.floor((high - low) / 2);
}

/** A position that the column can hold; null for others. */
function inRange(position: number): number | null {
  return Math.abs(position) < 2 ** 31 ? position : null;
}

/** Gives the issues their positions anew, and finds the one that is wanted. */
async function afterRenumbering(tx: Transaction, order: Order, neighbours: Neighbours): Promise<number> {
  await tx.$executeRaw`
    UPDATE issues u SET relative_position = ${GAP}::int * n.number
    FROM (SELECT ${issue.id}, row_number() OVER (ORDER BY ${issue.relativePosition}, ${issue.id})::int AS number FROM ${table(issue)}
      WHERE ${others(order)} AND ${issue.relativePosition} IS NOT NULL) n
    WHERE u.id = n.id`;
  const position = await positionFor(tx, order, neighbours);
  if (position === null)
    throw new BadRequest('An issue can only be placed next to issues of its own project', 'afterId', 'notBesideIssue');
  return position;
}
