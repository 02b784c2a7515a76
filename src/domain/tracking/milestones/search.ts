import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import '#src/domain/tracking/milestones/computed_fields.ts';
import { containing, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { ofEach } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [milestone, group] = [alias('Milestone', 'm'), alias('Namespace', 'g')];
const NEWEST_FIRST = order('Milestone', ['id'], 'desc');

/** Maximum number of milestones with the text that are read. */
const MOST_HITS = 5_000;

/**
 * The milestones of the whole server with a text in title or description that the actor can see, newest first.
 *
 * @param text that trigram indexes can find (searchText)
 */
export async function searchMilestones<R>(
  context: Context,
  text: string,
  page: PageRequest,
  selection: Selection<'Milestone', R>,
): Promise<Page<R>> {
  const actor = requireActor(context);
  const pattern = containing(text);
  const hits = sql`ARRAY(SELECT f.id FROM milestones f WHERE f.title ILIKE ${pattern}
    UNION SELECT f.id FROM milestones f WHERE f.description ILIKE ${pattern} LIMIT ${MOST_HITS})`;
  const seen = sql`(${within(milestone.projectId)} OR ${milestone.groupId} IN (SELECT g.id FROM ${table(group)} WHERE ${groupVisible(actor, group)}))`;
  const where = sql`${milestone.id} = ANY(${hits}) AND ${seen}`;
  const list = () => pageOfRows(selection, { rows: milestone, where, order: NEWEST_FIRST }, page);
  const [found] = await readPages<R>(context.db, page, ofEach([{}], {}, list, [seenPlaces(actor)]));
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}
