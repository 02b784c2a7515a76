import type { Actor } from '#src/access/permissions/actor.ts';
import { callerIn, type SubjectFilter, type UserMatch, userOf } from '#src/domain/tracking/subjects/filter.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [reviewer, approval] = [alias('MergeRequestReviewer', 'fr'), alias('MergeRequestApproval', 'fa')];

interface Reviewers {
  reviewerId?: UserMatch | null | undefined;
  /** Case-insensitive; `None` and `Any` say whether there is one. */
  reviewerUsername?: string | null | undefined;
}

/** The filters by those who review and approve merge requests. */
export interface PeopleFilter extends Reviewers {
  /** Only those that somebody approved, or only others; both when absent. */
  approved?: boolean | null | undefined;
  not?: (SubjectFilter['not'] & Reviewers) | null | undefined;
}

/** The conditions of the filters by reviewers and approvals, and of `reviews_for_me`. */
export function peopleConditions(
  { id }: Pick<Alias<'MergeRequest'>, 'id'>,
  filter: PeopleFilter & Pick<SubjectFilter, 'scope'>,
  actor: Actor | null,
): Prisma.Sql[] {
  const conditions = reviewerConditions(id, filter);
  if (filter.scope === 'reviews_for_me') conditions.push(reviewedBy(id, callerIn(actor).id));
  if (filter.approved != null) {
    const isApproved = sql`EXISTS (SELECT 1 FROM ${table(approval)} WHERE ${approval.mergeRequestId} = ${id})`;
    conditions.push(filter.approved ? isApproved : sql`NOT ${isApproved}`);
  }
  const leftOut = filter.not ? reviewerConditions(id, filter.not) : [];
  return [...conditions, ...leftOut.map((condition) => sql`NOT ${condition}`)];
}

function reviewerConditions(id: Prisma.Sql, { reviewerId, reviewerUsername }: Reviewers): Prisma.Sql[] {
  const word = reviewerUsername?.toLowerCase();
  const isWord = word === 'none' || word === 'any';
  return [
    ...(reviewerId == null ? [] : [matches(id, reviewerId)]),
    ...(isWord ? [matches(id, word)] : reviewerUsername ? [reviewedBy(id, userOf(reviewerUsername))] : []),
  ];
}

function matches(id: Prisma.Sql, match: UserMatch): Prisma.Sql {
  if (typeof match === 'number') return reviewedBy(id, match);
  const any = sql`EXISTS (SELECT 1 FROM ${table(reviewer)} WHERE ${reviewer.mergeRequestId} = ${id})`;
  return match === 'any' ? any : sql`(NOT ${any})`;
}

/** By the merge requests of the reviewer, which are few. */
function reviewedBy(id: Prisma.Sql, userId: Prisma.Sql | number): Prisma.Sql {
  return sql`(${id} IN (SELECT ${reviewer.mergeRequestId} FROM ${table(reviewer)} WHERE ${reviewer.userId} = ${userId}))`;
}
