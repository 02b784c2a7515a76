import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { findIssueLinksByIds, type LinkRow } from '#src/domain/tracking/issue_links/list.ts';
import { findIssue, findIssueSubjects, type IssueSubject } from '#src/domain/tracking/issues/find.ts';
import { changeOfLink, type LinkType, linkBetween, noMatch, writeLinks } from '#src/domain/tracking/issues/links.ts';
import { lockIssues } from '#src/domain/tracking/issues/lock.ts';
import { requireFew } from '#src/domain/tracking/issues/relations.ts';
import { Forbidden, NotFound, nullIfNotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const END = select('Issue', { id: true, iid: true, title: true });

/** An issue by its number. */
interface Which {
  project: IdOrPath;
  iid: number;
}

/**
 * Links two issues. For reporters of both projects: for others, and if it does not exist, there is no other issue to link. Throws
 * NotFound, Conflict if they are linked, ValidationFailed beyond the limit.
 */
export async function createIssueLink(
  context: Context,
  which: Which,
  to: Which,
  how: LinkType = 'relates_to',
): Promise<LinkRow> {
  const actor = requireActor(context);
  const issue = await subjectOf(context, which);
  const other = await subjectOf(context, to).catch(nullIfNotFound);
  const isPermitted = other && [issue, other].every(({ project }) => can(actor, 'admin_issue', project));
  if (!isPermitted || other.id === issue.id) throw noMatch();
  const [created] = await link(context, issue, [other], how);
  return created as LinkRow;
}

/**
 * Links an issue with others by their IDs, all or none. For reporters of all projects. Throws as createIssueLink, and ValidationFailed for
 * too many issues.
 */
export async function createIssueLinks(
  context: Context,
  which: Which,
  otherIds: readonly number[],
  how: LinkType,
): Promise<LinkRow[]> {
  const actor = requireActor(context);
  requireFew(otherIds, 'issue_ids');
  const issue = await subjectOf(context, which);
  const found = await findIssueSubjects(context, otherIds, 'admin_issue');
  const others = [...new Set(otherIds)].map((id) => {
    const other = found.get(id);
    if (other && id !== issue.id && can(actor, 'admin_issue', issue.project)) return other;
    throw noMatch(`There is no issue that you can link at issueIds.${otherIds.indexOf(id)}`);
  });
  return link(context, issue, others, how);
}

async function link(
  context: Context,
  issue: IssueSubject,
  others: readonly IssueSubject[],
  how: LinkType,
): Promise<LinkRow[]> {
  const links = await context.db.$transaction(async (tx) => {
    await lockIssues(tx, [issue.id, ...others.map(({ id }) => id)]);
    return writeLinks(tx, context, issue, others, how);
  });
  return links.map(({ createdAt, updatedAt, ...own }) => ({
    ...own,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }));
}

/** A link by its ID, or by the ID of the other issue. */
export type WhichLink = { id: number } | { otherId: number };

/** Removes a link of an issue. For reporters of the issue’s project who can see the other issue. Throws NotFound, Forbidden. */
export async function deleteIssueLink(context: Context, which: Which, given: WhichLink): Promise<LinkRow> {
  requireActor(context);
  const issue = await subjectOf(context, which);
  const ids = 'id' in given ? [given.id] : await linksTo(context, issue.id, [given.otherId]);
  const [deleted] = await unlink(context, issue, ids);
  return deleted as LinkRow;
}

/** Removes the links of an issue to others by their IDs, all or none. Throws as deleteIssueLink, and ValidationFailed for too many issues. */
export async function deleteIssueLinks(
  context: Context,
  which: Which,
  otherIds: readonly number[],
): Promise<LinkRow[]> {
  requireActor(context);
  requireFew(otherIds, 'issue_ids');
  const issue = await subjectOf(context, which);
  return unlink(context, issue, await linksTo(context, issue.id, [...new Set(otherIds)]));
}

/** The IDs of the links of an issue to others; undefined for those that are not linked. */
async function linksTo({ db }: Context, id: number, otherIds: readonly number[]): Promise<(number | undefined)[]> {
  const where = { OR: otherIds.flatMap((other) => linkBetween(id, other)) };
  const found = await db.issueLink.findMany({ where, select: { id: true, sourceId: true, targetId: true } });
  return otherIds.map((other) => found.find(({ sourceId, targetId }) => [sourceId, targetId].includes(other))?.id);
}

async function unlink(context: Context, issue: IssueSubject, ids: readonly (number | undefined)[]): Promise<LinkRow[]> {
  const actor = requireActor(context);
  const projectOf = (id: number) => findProject(context, id).catch(nullIfNotFound);
  const known = ids.filter((id) => id !== undefined);
  const found = known.length === 0 ? [] : await findIssueLinksByIds(context, known, projectOf);
  const links = found.filter(({ sourceId, targetId }) => [sourceId, targetId].includes(issue.id));
  if (links.length < ids.length) throw new NotFound('IssueLink');
  if (!can(actor, 'admin_issue', issue.project)) throw new Forbidden();
  const otherIds = links.map(({ sourceId, targetId }) => (sourceId === issue.id ? targetId : sourceId));
  const others = [...(await findIssueSubjects(context, otherIds)).values()];
  await context.db.$transaction(async (tx) => {
    await lockIssues(tx, [issue.id, ...otherIds]);
    const { count } = await tx.issueLink.deleteMany({ where: { id: { in: known } } });
    if (count < known.length) throw new NotFound('IssueLink');
    const told = others.map((other) => changeOfLink('unlinked', other));
    await recordSubjectChanges(tx, context, actor, issue, told);
    for (const other of others) {
      await recordSubjectChanges(tx, context, actor, other, [changeOfLink('unlinked', issue)]);
    }
  });
  return links;
}

async function subjectOf(context: Context, { project: ref, iid }: Which): Promise<IssueSubject> {
  const project = await findProject(context, ref);
  return { type: 'Issue', ...(await findIssue(context, project, iid, END)), project };
}
