import type { Actor } from '#src/access/permissions/actor.ts';
import { within } from '#src/access/permissions/places.ts';
import { assignedTo } from '#src/access/permissions/visibility.ts';
import type { IssueFilter } from '#src/domain/tracking/issues/filter.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');
const counter = alias('ProjectCounters', 'c');

/** The count maintained by a trigger; those who cannot see confidential issues get the public ones and their own. */
export function countFromCounters(
  actor: Actor | null,
  projectId: number | Prisma.Sql,
  filter: IssueFilter,
  seesAll: boolean | Prisma.Sql,
): Prisma.Sql {
  const { everything, confidential } = counters(filter);
  const own = ownConfidential(actor, filter, sql`${issue.projectId} = ${projectId}`);
  const seen = sql`${everything} - (${confidential}) + ${own}`;
  const count = typeof seesAll === 'object' ? sql`CASE WHEN ${seesAll} THEN ${everything} ELSE ${seen} END` : null;
  return sql`(SELECT ${count ?? (seesAll ? everything : seen)} FROM ${table(counter)} WHERE ${counter.projectId} = ${projectId})`;
}

/** Like countFromCounters, for all of `places`. Of more than `countUpTo` it says that there are more, without those that are the actor's own. */
export function countFromPlaces(
  actor: Actor | null,
  filter: IssueFilter,
  { countUpTo }: Pick<PageRequest, 'countUpTo'> = {},
): Prisma.Sql {
  const { everything, confidential } = counters(filter);
  const { projectId } = issue;
  const own = ownConfidential(actor, filter, sql`${within(projectId)} AND NOT ${within(projectId, 'confidential')}`);
  const open = sql`COALESCE(sum(${everything} - CASE WHEN v.confidential THEN 0 ELSE ${confidential} END), 0)`;
  const count =
    countUpTo === undefined
      ? sql`${open} + ${own}`
      : sql`CASE WHEN ${open} > ${countUpTo} THEN ${open} ELSE ${open} + ${own} END`;
  return sql`(SELECT ${count} FROM places v JOIN ${table(counter)} ON ${counter.projectId} = v.id)`;
}

function statesOf({ state }: IssueFilter): ('opened' | 'closed')[] {
  return state && state !== 'all' ? [state] : ['opened', 'closed'];
}

/** How many issues in these states a project has, and how many of them are confidential. */
function counters(filter: IssueFilter): { everything: Prisma.Sql; confidential: Prisma.Sql } {
  const states = statesOf(filter);
  const hidden = { opened: counter.openedConfidential, closed: counter.closedConfidential };
  return {
    everything: Prisma.join(
      states.map((state) => counter[state]),
      ' + ',
    ),
    confidential: sql`(${Prisma.join(
      states.map((state) => hidden[state]),
      ' + ',
    )})`,
  };
}

/** How many confidential issues the actor can see only as author or assignee. */
function ownConfidential(actor: Actor | null, filter: IssueFilter, where: Prisma.Sql): Prisma.Sql {
  if (!actor) return sql`0`;
  return sql`(SELECT count(*) FROM ${table(issue)} WHERE ${issue.confidential}
    AND (${issue.authorId} = ${actor.id} OR ${assignedTo('Issue', issue, actor.id)})
    AND ${issue.deletedAt} IS NULL AND ${issue.state}::text = ANY(${statesOf(filter)}::text[]) AND ${where})`;
}
