import type { Subject } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { groupAccessLevel, groupVisible } from '#src/access/visibility.ts';
import { PLACE, Prisma } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Order, placeJson, sorted } from '#src/platform/records/order.ts';
import { namespaceFormerlyAt } from '#src/redirects/paths.ts';

const { sql } = Prisma;
const namespace = alias('Namespace', 'n');

/** A numeric ID, or a full path. */
export type Ref = number | string;

export interface GroupRow extends Subject {
  id: number;
  name: string;
  path: string;
  fullName: string;
  fullPath: string;
  description: string;
  lfsEnabled: boolean;
  requestAccessEnabled: boolean;
  parentId: number | null;
  lineage: number[];
}

/** The group, when the actor may see it. Throws NotFound, which tells where the group went that had that path before. */
export async function findGroup(context: Context, ref: Ref): Promise<GroupRow> {
  const group = await selectGroup(context, ref);
  if (group) return group;
  const former = typeof ref === 'string' ? await namespaceFormerlyAt(context.db, ref) : null;
  const moved = former === null ? undefined : await selectGroup(context, former);
  throw new NotFound('Group', undefined, moved?.fullPath);
}

async function selectGroup(context: Context, ref: Ref): Promise<GroupRow | undefined> {
  const actor = requireActor(context);
  const wanted = typeof ref === 'number' ? sql`n.id = ${ref}` : sql`lower(n.full_path) = lower(${ref})`;
  const [group] = await context.db.$queryRaw<GroupRow[]>`
    SELECT ${columns(actor)} FROM namespaces n
    WHERE n.kind = 'group' AND ${wanted} AND n.deleted_at IS NULL AND ${groupVisible(actor, namespace)}`;
  return group;
}

/**
 * A statement for a JSON array of GroupRow: those whose IDs the statement `ids` gives, in that order, as the actor has them.
 * The caller has made sure that the actor may see them.
 */
export function groupRows(actor: Actor, ids: Prisma.Sql, order: Order<'Namespace'>): Prisma.Sql {
  return sql`(SELECT COALESCE(json_agg(row_to_json(t)), '[]') FROM (
    SELECT ${columns(actor)}, ${placeJson(namespace, order)} AS ${Prisma.raw(`"${PLACE}"`)}
    FROM unnest(ARRAY(${ids})) AS page (id) JOIN namespaces n ON n.id = page.id ORDER BY ${sorted(namespace, order)}) t)`;
}

/** The columns of a GroupRow from alias `n`. */
function columns(actor: Actor): Prisma.Sql {
  return sql`n.id, n.name, n.path, n.full_name AS "fullName", n.full_path AS "fullPath", n.description,
    n.visibility::text AS visibility, n.lfs_enabled AS "lfsEnabled", n.request_access_enabled AS "requestAccessEnabled",
    n.parent_id AS "parentId", n.lineage, ${groupAccessLevel(actor, namespace)}::int AS "accessLevel"`;
}
