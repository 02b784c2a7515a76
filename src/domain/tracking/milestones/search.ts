import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import '#src/domain/tracking/milestones/computed_fields.ts';
import { all, containing, hasTrigrams, holds, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [milestone, group] = [alias('Milestone', 'm'), alias('Namespace', 'g')];
const NEWEST_FIRST = order('Milestone', ['id'], 'desc');

/** Maximum number of milestones with the text that are read. */
const MAX_HITS = 5_000;

/** Where to search, and for what. */
export interface MilestoneSearch {
  /** By trigram indexes, if they can find it. */
  text: string;
  /** Only those of this group, of the groups inside, and of projects in any of them. */
  group?: { id: number };
  /** Not those of archived projects. */
  nonArchived?: boolean;
}

/** The milestones of the server, or of a group, with a text in title or description that the actor can see, newest first. */
export async function searchMilestones<R>(
  context: Context,
  { text, group: inside, nonArchived = false }: MilestoneSearch,
  page: PageRequest,
  selection: Selection<'Milestone', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const pattern = containing(text);
  const found = hasTrigrams(text)
    ? sql`SELECT f.id FROM milestones f WHERE f.title ILIKE ${pattern} UNION SELECT f.id FROM milestones f WHERE f.description ILIKE ${pattern}`
    : sql`SELECT f.id FROM milestones f WHERE ${holds(sql`f.title`, pattern)} OR ${holds(sql`f.description`, pattern)} ORDER BY f.id DESC`;
  const lineage = inside ? [sql`ARRAY[${inside.id}]::int[]`] : [];
  const groups = all([groupVisible(actor, group), ...lineage.map((of) => sql`${group.lineage} @> ${of}`)]);
  const projects = all([
    sql`TRUE`,
    ...lineage.map((of) => sql`n.lineage @> ${of}`),
    ...(nonArchived ? [sql`NOT p.archived`] : []),
  ]);
  const seen = sql`(${within(milestone.projectId, 'planning')} OR ${milestone.groupId} IN (SELECT g.id FROM ${table(group)} WHERE ${groups}))`;
  const where = sql`${milestone.id} = ANY(ARRAY(${found} LIMIT ${MAX_HITS})) AND ${seen}`;
  const list = () => pageOfRows(selection, { rows: milestone, where, order: NEWEST_FIRST }, page);
  const [read] = await readPages<R>(context.db, page, perParent([{}], {}, list, [seenPlaces(actor, projects)]));
  return read ?? { nodes: [], offset: page.offset, total: 0 };
}
