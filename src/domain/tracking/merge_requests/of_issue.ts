import { setImmediate } from 'node:timers/promises';
import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import '#src/domain/tracking/merge_requests/computed_fields.ts';
import { closedIssues } from '#src/domain/tracking/references/closing.ts';
import { namesProject } from '#src/domain/tracking/references/resolve.ts';
import { Prisma, queryRows, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const mergeRequest = alias('MergeRequest', 'mr');

/** Maximum number of merge requests that close one issue, and of characters that are read of the description of each. */
const MAX_CLOSING_MERGE_REQUESTS = 100;
const MAX_CHARACTERS = 20_000;
/** Maximum number of characters that are read for all issues of a page; merge requests beyond count as not closing. */
const MAX_TOTAL_CHARACTERS = 1_000_000;

/**
 * The merge requests of all projects that mention each issue in their texts or notes, or that it mentions, by ID, as far as the
 * actor can see them, in one statement. The caller must have checked that the actor can see the issues.
 */
export async function listMergeRequestsAbout<R>(
  context: Context,
  issueIds: readonly number[],
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const parents = issueIds.map((id) => ({ id }));
  const pageOf = ({ id }: Asked<{ id: number }>) =>
    seenPage(actor, sql`IN (${relatedTo((column) => sql`${column} = ${id}`)})`, page, selection);
  const all = relatedTo((column) => sql`${column} = ANY(${[...issueIds]}::int[])`);
  return readPages<R>(context.db, page, perParent(parents, { id: 'int' }, pageOf, [placesOf(actor, sql`IN (${all})`)]));
}

/** A statement for the merge requests related to issues, from the notes that tell of the mentions. */
function relatedTo(isIssue: (column: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  return sql`SELECT rn.source_id FROM notes rn WHERE rn.subject_type = 'Issue' AND ${isIssue(sql`rn.subject_id`)}
      AND rn.mention IS NOT NULL AND rn.source_type = 'MergeRequest'
    UNION SELECT rn.subject_id FROM notes rn WHERE rn.source_type = 'Issue' AND ${isIssue(sql`rn.source_id`)}
      AND rn.mention IS NOT NULL AND rn.subject_type = 'MergeRequest'`;
}

/**
 * The merge requests in any state, of the project of each issue and into its default branch, whose title or description says that
 * they close it, by ID, as far as the actor can see them.
 */
export async function listClosingMergeRequests<R>(
  context: Context,
  issueIds: readonly number[],
  page: PageRequest,
  selection: Selection<'MergeRequest', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const closing = await closingIds(context, issueIds);
  const parents = closing.map((ids) => ({ ids: ids.map(String) }));
  const pageOf = ({ ids }: Asked<{ ids: readonly string[] }>) =>
    seenPage(actor, sql`= ANY(${ids}::text[]::int[])`, page, selection);
  const places = placesOf(actor, sql`= ANY(${closing.flat()}::int[])`);
  return readPages<R>(context.db, page, perParent(parents, { ids: 'text[]' }, pageOf, [places]));
}

/** How many merge requests close each issue, as listClosingMergeRequests lists them. */
export async function countClosingMergeRequests(context: Context, issueIds: readonly number[]): Promise<number[]> {
  return (await closingIds(context, issueIds)).map((ids) => ids.length);
}

interface Candidate {
  issueId: number;
  iid: number;
  projectFullPath: string;
  id: number;
  title: string;
  description: string | null;
}

/** Of all that mention an issue, which a text that closes it does, those that say that they close it. */
async function closingIds(context: Context, issueIds: readonly number[]): Promise<number[][]> {
  const actor = readerOf(context);
  const ids = [...issueIds];
  const places = seenPlaces(actor, sql`p.id IN (SELECT ci.project_id FROM issues ci WHERE ci.id = ANY(${ids}::int[]))`);
  const found = await queryRows<Candidate>(
    context.db,
    sql`WITH ${places} SELECT * FROM (
      SELECT i.id AS "issueId", i.iid, ns.full_path || '/' || pr.path AS "projectFullPath", c.*,
        sum(length(c.title) + COALESCE(length(c.description), 0)) OVER (ORDER BY c.id, i.id) AS characters
      FROM issues i JOIN projects pr ON pr.id = i.project_id JOIN namespaces ns ON ns.id = pr.namespace_id
      CROSS JOIN LATERAL (
        SELECT mr.id, mr.title, left(mr.description, ${MAX_CHARACTERS}) AS description
        FROM notes cn JOIN merge_requests mr ON mr.id = cn.source_id AND mr.target_project_id = i.project_id
          AND mr.target_branch = pr.default_branch
        WHERE cn.subject_type = 'Issue' AND cn.subject_id = i.id AND cn.mention IS NOT NULL AND cn.source_type = 'MergeRequest'
        ORDER BY mr.id LIMIT ${MAX_CLOSING_MERGE_REQUESTS}) c
      WHERE i.id = ANY(${ids}::int[]) AND ${within(sql`i.project_id`, 'merge_requests')}) c
      WHERE characters <= ${MAX_TOTAL_CHARACTERS}`,
  );
  const closing: Candidate[] = [];
  let read = 0;
  for (const candidate of found) {
    if (closes(candidate)) closing.push(candidate);
    read += candidate.title.length + (candidate.description?.length ?? 0);
    // Others have their turn every few milliseconds.
    if (read >= MAX_CHARACTERS) {
      read = 0;
      await setImmediate();
    }
  }
  return ids.map((id) => closing.filter(({ issueId }) => issueId === id).map((candidate) => candidate.id));
}

function closes({ iid, projectFullPath, title, description }: Candidate): boolean {
  return [title, description ?? ''].some((text) =>
    closedIssues(text).some(({ path, number }) => number === iid && namesProject(path, projectFullPath)),
  );
}

function seenPage(actor: Actor | null, isOne: Prisma.Sql, page: PageRequest, selection: Selection<'MergeRequest'>) {
  const where = sql`${mergeRequest.id} ${isOne} AND ${within(mergeRequest.targetProjectId, 'merge_requests')}`;
  return pageOfRows(selection, { rows: mergeRequest, where, order: byKey('MergeRequest'), params: { actor } }, page);
}

/** The subquery `places` with the projects of merge requests. */
function placesOf(actor: Actor | null, isOne: Prisma.Sql): Prisma.Sql {
  return seenPlaces(actor, sql`p.id IN (SELECT pm.target_project_id FROM merge_requests pm WHERE pm.id ${isOne})`);
}
