import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import type { SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readRows } from '#src/platform/records/read.ts';
import { Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const timelog = alias('Timelog', 'tl');

/**
 * The time log of each issue, or of each merge request, oldest first, in one statement. The caller must have checked that the
 * actor can see the records.
 */
export async function listTimelogsOf<R>(
  context: Context,
  kind: SubjectType,
  ids: readonly number[],
  page: PageRequest,
  selection: Selection<'Timelog', R>,
): Promise<Page<R>[]> {
  readerOf(context);
  const column = kind === 'Issue' ? timelog.issueId : timelog.mergeRequestId;
  const pageOf = ({ subject }: Asked<{ subject: number }>) =>
    pageOfRows(selection, { rows: timelog, where: sql`${column} = ${subject}`, order: byKey('Timelog') }, page);
  const subjects = ids.map((subject) => ({ subject }));
  return readPages<R>(context.db, page, perParent(subjects, { subject: 'int' }, pageOf));
}

const SUBJECTS = new Selection('Timelog', new Map(['id', 'issueId', 'mergeRequestId'].map((name) => [name, null])));
const ID = { id: true } as const;

/**
 * The entries with these IDs, of issues and merge requests that the actor can see.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findTimelogsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Timelog', R>,
  projectOf: ProjectOf,
): Promise<(R & { id: number })[]> {
  readerOf(context);
  const where = sql`${timelog.id} = ANY(${[...ids]}::int[])`;
  const found = (await readRows(context.db, selection.with(SUBJECTS), { rows: timelog, where })) as (R & {
    id: number;
    issueId: number | null;
    mergeRequestId: number | null;
  })[];
  const [issues, mergeRequests] = await Promise.all([
    findIssuesByIds(
      context,
      found.flatMap(({ issueId }) => issueId ?? []),
      select('Issue', ID),
      projectOf,
    ),
    findMergeRequestsByIds(
      context,
      found.flatMap(({ mergeRequestId }) => mergeRequestId ?? []),
      select('MergeRequest', ID),
      projectOf,
    ),
  ]);
  const seen = {
    issues: new Set(issues.map(({ id }) => id)),
    mergeRequests: new Set(mergeRequests.map(({ id }) => id)),
  };
  return found.filter(({ issueId, mergeRequestId }) =>
    issueId === null ? mergeRequestId !== null && seen.mergeRequests.has(mergeRequestId) : seen.issues.has(issueId),
  );
}
