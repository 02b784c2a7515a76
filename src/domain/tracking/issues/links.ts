import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Change, Subject } from '#src/domain/changes/change.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { AlreadyExists, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** What an issue is to the other one of a link. */
export type LinkType = 'relates_to' | 'blocks' | 'is_blocked_by';

/** Maximum number of links of an issue. */
export const MAX_LINKS = 100;

/** What the other issue of a link is to this one. */
const INVERSE = { relates_to: 'relates_to', blocks: 'is_blocked_by', is_blocked_by: 'blocks' } as const;

/** The links between two issues, in whichever direction. */
export const linkBetween = (one: number, another: number) => [
  { sourceId: one, targetId: another },
  { sourceId: another, targetId: one },
];

/**
 * Links an issue with others, in the transaction that holds the locks of all of them, and records that of each. Throws AlreadyExists if it
 * is linked with one of them, ValidationFailed beyond the limit.
 */
export async function writeLinks(
  tx: Transaction,
  context: Context,
  issue: Subject,
  others: readonly Subject[],
  how: LinkType,
): Promise<Awaited<ReturnType<Transaction['issueLink']['createManyAndReturn']>>> {
  if (others.length === 0) return [];
  const actor = requireActor(context);
  await requireUnlinked(tx, issue, others);
  await requireRoom(tx, issue, others);
  const [type, isFromOther] = [how === 'relates_to' ? how : 'blocks', how === 'is_blocked_by'] as const;
  const data = others.map(({ id }) => ({
    sourceId: isFromOther ? id : issue.id,
    targetId: isFromOther ? issue.id : id,
    type,
  }));
  const links = await tx.issueLink.createManyAndReturn({ data });
  const told = others.map((other) => changeOfLink('linked', other, how));
  await recordSubjectChanges(tx, context, actor, issue, told);
  for (const other of others) {
    await recordSubjectChanges(tx, context, actor, other, [changeOfLink('linked', issue, INVERSE[how])]);
  }
  return links;
}

/** What changes of an issue that is linked with another one, or is not any more. */
export function changeOfLink(kind: 'linked' | 'unlinked', { id, iid, project }: Subject, how?: LinkType): Change {
  return { kind, other: { id, iid, project }, how: how === 'relates_to' ? undefined : how };
}

/** The error for an issue that cannot be linked: it is not there, not for the actor, or the same. */
export function noMatch(
  message = 'No matching issue found. Make sure that you are adding a valid issue URL.',
): NotFound {
  return new NotFound('TargetIssue', message);
}

async function requireUnlinked(tx: Transaction, issue: Subject, others: readonly Subject[]): Promise<void> {
  const where = { OR: others.flatMap(({ id }) => linkBetween(issue.id, id)) };
  const found = await tx.issueLink.findFirst({ where, select: { id: true } });
  if (found) throw new AlreadyExists('Issue(s) already assigned', { type: 'IssueLink', where: { id: found.id } });
}

async function requireRoom(tx: Transaction, issue: Subject, others: readonly Subject[]): Promise<void> {
  const ids = [issue, ...others].map(({ id }) => id);
  const counts = await tx.$queryRaw<{ id: number; count: number }[]>`
    SELECT e.id, (SELECT count(*)::int FROM issue_links l WHERE l.source_id = e.id OR l.target_id = e.id) AS count
    FROM unnest(${ids}::int[]) AS e(id)`;
  const isFull = counts.some(({ id, count }) => count + (id === issue.id ? others.length : 1) > MAX_LINKS);
  if (isFull) throw new ValidationFailed({ links: [`are too many (maximum is ${MAX_LINKS})`] }).as('limitReached');
}
