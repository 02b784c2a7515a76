import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import { firstOf, issuePage, orderOf } from '#src/domain/tracking/issues/page.ts';
import { holdsText } from '#src/domain/tracking/subjects/filter.ts';
import { EACH_HIT, FEW_HITS, searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { between } from '#src/platform/records/order.ts';
import { perParent } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

const NEWEST_FIRST = { by: 'created_at', direction: 'desc' } as const;

/** For a text with very many hits, only this many of the newest are found. */
const MAX_HITS = 1_000;

/**
 * The issues of the whole server with a text in title or description that the actor can see, newest first.
 *
 * @param text that trigram indexes can find (searchText)
 */
export async function searchIssues<R>(
  context: Context,
  text: string,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const first = firstOf(NEWEST_FIRST);
  const searched = { text, columns: ['title', 'description'], isIndexed: true } as const;
  const seen = all([
    sql`${issue.deletedAt} IS NULL`,
    within(issue.projectId, 'issues'),
    issueVisible(issue, actor, within(issue.projectId, 'confidential')),
  ]);
  // Each hit is looked up by its key. A very common text is soon found by walking back from the newest issue.
  const rare = sql`SELECT i.* FROM ${EACH_HIT} CROSS JOIN LATERAL (
    SELECT ${first} FROM ${table(issue)} WHERE ${issue.id} = h.id AND ${seen} OFFSET 0) i`;
  const common = sql`SELECT ${first} FROM ${table(issue)} WHERE NOT ${FEW_HITS} AND ${holdsText(issue, searched)} AND ${seen}
    ORDER BY ${issue.id} DESC LIMIT ${MAX_HITS}`;
  const source = sql`((${rare}) UNION ALL (${common})) i`;
  const paged = sql`${source} WHERE ${all(between(issue, orderOf(NEWEST_FIRST), page))}`;
  const list = { source, paged, total: null, params: { actor }, isPartial: true };
  const subqueries = [seenPlaces(actor), ...searchHits(searched)];
  const pages = perParent([{}], {}, () => issuePage(selection, list, NEWEST_FIRST, page), subqueries);
  const [found] = await readPages<R>(context.db, page, pages);
  return found ?? { nodes: [], offset: page.offset, total: 0 };
}
