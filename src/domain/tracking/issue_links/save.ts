import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Change, Subject } from '#src/domain/changes/change.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { findIssueLinksByIds, type LinkRow } from '#src/domain/tracking/issue_links/list.ts';
import { findIssue, findIssueById } from '#src/domain/tracking/issues/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { AlreadyExists, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Maximum number of links of an issue. */
export const MAX_LINKS = 100;

const END = select('Issue', { id: true, iid: true, title: true, projectId: true });

/** An issue by its number. */
interface Which {
  project: IdOrPath;
  iid: number;
}

/**
 * Links two issues. For reporters of both projects: for others, and if it does not exist, there is no other issue to link. Throws
 * NotFound, Conflict if they are linked, ValidationFailed beyond the limit.
 */
export async function createIssueLink(context: Context, which: Which, to: Which): Promise<LinkRow> {
  const actor = requireActor(context);
  const project = await findProject(context, which.project);
  const source = subjectOf(project, await findIssue(context, project, which.iid, END));
  const target = await findTarget(context, actor, to);
  if (!target || !can(actor, 'admin_issue', project) || target.id === source.id) throw noMatch();
  return context.db.$transaction(async (tx) => {
    await lockEnds(tx, [source.id, target.id]);
    const where = { OR: ends(source.id, target.id) };
    const isLinked = await tx.issueLink.count({ where });
    if (isLinked > 0) throw new AlreadyExists('Issue(s) already assigned', { type: 'IssueLink', where });
    for (const { id } of [source, target]) {
      const count = await tx.issueLink.count({ where: { OR: [{ sourceId: id }, { targetId: id }] } });
      if (count >= MAX_LINKS)
        throw new ValidationFailed({ links: [`are too many (maximum is ${MAX_LINKS})`] }).as('limitReached');
    }
    const link = await tx.issueLink.create({ data: { sourceId: source.id, targetId: target.id } });
    await recordSubjectChanges(tx, context, actor, source, [change('linked', target)]);
    await recordSubjectChanges(tx, context, actor, target, [change('linked', source)]);
    return { ...link, createdAt: link.createdAt.toISOString(), updatedAt: link.updatedAt.toISOString() };
  });
}

/** Removes a link of an issue. For reporters of the issue’s project who can see the other issue. Throws NotFound, Forbidden. */
export async function deleteIssueLink(context: Context, which: Which, linkId: number): Promise<LinkRow> {
  const actor = requireActor(context);
  const project = await findProject(context, which.project);
  const issue = subjectOf(project, await findIssue(context, project, which.iid, END));
  const projectOf = (id: number) => findProject(context, id).catch(nullIfMissing);
  const [link] = await findIssueLinksByIds(context, [linkId], projectOf);
  if (!link || (link.sourceId !== issue.id && link.targetId !== issue.id)) throw new NotFound('IssueLink');
  if (!can(actor, 'admin_issue', project)) throw new Forbidden();
  const otherId = link.sourceId === issue.id ? link.targetId : link.sourceId;
  const { projectId } = await context.db.issue.findUniqueOrThrow({
    where: { id: otherId },
    select: { projectId: true },
  });
  const place = await findProject(context, projectId);
  const other = subjectOf(place, await findIssueById(context, place, otherId, END));
  await context.db.$transaction(async (tx) => {
    await lockEnds(tx, [issue.id, other.id]);
    const { count } = await tx.issueLink.deleteMany({ where: { id: linkId } });
    if (count === 0) throw new NotFound('IssueLink');
    await recordSubjectChanges(tx, context, actor, issue, [change('unlinked', other)]);
    await recordSubjectChanges(tx, context, actor, other, [change('unlinked', issue)]);
  });
  return link;
}

/** The issue to link to, if the actor may; null otherwise. */
async function findTarget(context: Context, actor: Actor, { project: ref, iid }: Which): Promise<Subject | null> {
  try {
    const project = await findProject(context, ref);
    if (!can(actor, 'admin_issue', project)) return null;
    return subjectOf(project, await findIssue(context, project, iid, END));
  } catch (error) {
    return nullIfMissing(error);
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

function subjectOf(project: ProjectRow, { id, iid, title }: typeof END.row): Subject {
  return { type: 'Issue', id, iid, title, project };
}

function change(kind: 'linked' | 'unlinked', { id, iid, project }: Subject): Change {
  return { kind, other: { id, iid, project } };
}

function noMatch(): NotFound {
  return new NotFound('TargetIssue', 'No matching issue found. Make sure that you are adding a valid issue URL.');
}

const ends = (one: number, another: number) => [
  { sourceId: one, targetId: another },
  { sourceId: another, targetId: one },
];

/** Locks both issues, always in the same order. Throws NotFound if one is gone. */
async function lockEnds(tx: Transaction, ids: number[]): Promise<void> {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT id FROM issues WHERE id = ANY(${ids}::int[]) AND deleted_at IS NULL ORDER BY id FOR UPDATE`;
  if (locked.length < ids.length) throw new NotFound('Issue');
}
