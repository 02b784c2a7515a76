import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import '#src/domain/groups/computed_fields.ts';
import { namespaceFormerlyAt } from '#src/domain/namespaces/redirects.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import { readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const group = alias('Namespace', 'n');

/** A numeric ID, or a full path. */
export type IdOrPath = number | string;

/** What is always loaded of a group: what permissions depend on, and its paths. */
export const GROUP_BASE = {
  id: true,
  kind: true,
  name: true,
  path: true,
  fullName: true,
  fullPath: true,
  description: true,
  visibility: true,
  lfsEnabled: true,
  wikiAccessLevel: true,
  wikiStorage: true,
  requestAccessEnabled: true,
  shareWithGroupLock: true,
  preventSharingGroupsOutsideHierarchy: true,
  projectCreationLevel: true,
  subgroupCreationLevel: true,
  parentId: true,
  lineage: true,
  accessLevel: true,
} as const;

const BASE = select('Namespace', GROUP_BASE);

/** A group as the actor sees it. */
export type GroupRow = typeof BASE.row;

/**
 * The group with the selected fields, if the actor may see it. Throws Unauthenticated, and NotFound, whose `movedTo` holds the
 * new path of a moved group.
 */
export async function findGroup<R = unknown>(
  context: Context,
  ref: IdOrPath,
  selection?: Selection<'Namespace', R>,
): Promise<GroupRow & R> {
  const [found] = await read(context, wanted(ref), selection);
  if (found) return found;
  const former = typeof ref === 'string' ? await namespaceFormerlyAt(context.db, ref) : null;
  const [moved] = former === null ? [] : await read(context, wanted(former));
  throw new NotFound('Group', undefined, moved?.fullPath);
}

/** The groups with these IDs that the actor may see, in no particular order: for dataloaders. Throws Unauthenticated. */
export async function findGroupsByIds<R = unknown>(
  context: Context,
  ids: readonly number[],
  selection?: Selection<'Namespace', R>,
): Promise<(GroupRow & R)[]> {
  return read(context, sql`${group.id} = ANY(${[...ids]}::int[])`, selection);
}

async function read<R = unknown>(
  context: Context,
  condition: Prisma.Sql,
  selection?: Selection<'Namespace', R>,
): Promise<(GroupRow & R)[]> {
  const actor = readerOf(context);
  const base = (selection ? BASE.with(selection) : BASE) as Selection<'Namespace', GroupRow & R>;
  const where = sql`${isGroup(group)} AND ${condition} AND ${groupVisible(actor, group)}`;
  return readRows(context.db, base, { rows: group, where, params: { actor } });
}

/** Whether a namespace is a group that is not deleted; matches the condition of the indexes on names and paths of groups. */
export function isGroup({ kind, deletedAt }: Alias<'Namespace'>): Prisma.Sql {
  return sql`${kind} = 'group' AND ${deletedAt} IS NULL`;
}

/** The condition for one group. */
function wanted(ref: IdOrPath): Prisma.Sql {
  return typeof ref === 'number' ? sql`${group.id} = ${ref}` : sql`lower(${group.fullPath}) = lower(${ref})`;
}
