import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Change } from '#src/domain/changes/change.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { IssueType } from '#src/domain/tracking/issues/filter.ts';
import { findIssueSubjects, type IssueSubject } from '#src/domain/tracking/issues/find.ts';
import {
  permittedChildren,
  permittedParent,
  writeChildren,
  writeParent,
} from '#src/domain/tracking/issues/hierarchy.ts';
import { type LinkType, noMatch, writeLinks } from '#src/domain/tracking/issues/links.ts';
import { lockIssues } from '#src/domain/tracking/issues/lock.ts';
import { lockOrder, type Neighbours, placeIssue } from '#src/domain/tracking/issues/reorder.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** Maximum number of other issues that one command links an issue with, or gives it as tasks. */
export const MAX_AT_ONCE = 20;

/** What an issue is to have to do with others; for reporters of the projects of all of them. */
export interface IssueRelations {
  /** The ID of the issue that the task is a part of; null for none. */
  parentId?: number | null | undefined;
  /** The IDs of tasks that become parts of the issue. */
  addChildIds?: readonly number[] | null | undefined;
  /** The IDs of issues to link it with, and what it is to them. */
  links?: readonly { issueId: number; linkType: LinkType }[] | null | undefined;
  /** The IDs of issues of its project right behind and before which it is placed. */
  afterId?: number | null | undefined;
  beforeId?: number | null | undefined;
}

/** The other issues, of which it is known that the actor may. */
export interface PermittedRelations {
  readonly parent: IssueSubject | null;
  readonly children: readonly IssueSubject[];
  readonly links: readonly { other: IssueSubject; how: LinkType }[];
  readonly neighbours: Neighbours | null;
}

/** Looks up what an issue of a project is to be related to; null where nothing is given. Throws Forbidden, NotFound, ValidationFailed. */
export async function permittedRelations(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  { parentId, addChildIds, links, afterId, beforeId }: IssueRelations,
): Promise<PermittedRelations | null> {
  const neighbours = afterId == null && beforeId == null ? null : { after: afterId, before: beforeId };
  if (parentId === undefined && !addChildIds?.length && !links?.length && !neighbours) return null;
  authorize(actor, 'admin_issue', project);
  const childIds = [...new Set(addChildIds)];
  if (childIds.length > 0) requireFew(childIds, 'add_child_ids');
  return {
    parent: parentId == null ? null : await permittedParent(context, parentId),
    children: await permittedChildren(context, childIds),
    links: await permittedLinks(context, links ?? []),
    neighbours,
  };
}

async function permittedLinks(context: Context, links: NonNullable<IssueRelations['links']>) {
  if (links.length === 0) return [];
  const ids = links.map(({ issueId }) => issueId);
  requireFew(ids, 'links');
  const found = await findIssueSubjects(context, ids, 'admin_issue');
  return links.map(({ issueId, linkType: how }, index) => {
    const other = found.get(issueId);
    if (!other) throw noMatch(`There is no issue that you can link at links.${index}.issueId`);
    if (ids.indexOf(issueId) < index) throw new ValidationFailed({ [`links.${index}`]: ['names an issue once more'] });
    return { other, how };
  });
}

/** Locks an issue with all that it will be related to, in the order that all commands keep. Throws NotFound. */
export async function lockRelated(
  tx: Transaction,
  { id, project }: IssueSubject,
  { parent, children, links, neighbours }: PermittedRelations,
): Promise<void> {
  if (neighbours) await lockOrder(tx, project.id);
  const others = [...(parent ? [parent] : []), ...children, ...links.map(({ other }) => other)];
  if (others.length > 0) await lockIssues(tx, [id, ...others.map((other) => other.id)]);
}

/**
 * Relates an issue, which is locked, to the others. What changes for them, and for its links and tasks, is recorded. Returns what changed
 * of its parent, and whether anything changed. Throws AlreadyExists, BadRequest, NotFound, ValidationFailed.
 */
export async function writeRelations(
  tx: Transaction,
  context: Context,
  { subject, type }: { subject: IssueSubject; type: IssueType },
  { parent, children, links, neighbours }: PermittedRelations,
): Promise<{ changes: Change[]; isChanged: boolean }> {
  const changes = parent ? await writeParent(tx, context, { subject, type }, parent) : [];
  const isGrown = await addChildren(tx, context, subject, children);
  for (const how of ['relates_to', 'blocks', 'is_blocked_by'] as const) {
    const others = links.filter((link) => link.how === how).map(({ other }) => other);
    await writeLinks(tx, context, subject, others, how);
  }
  if (neighbours) await placeIssue(tx, { projectId: subject.project.id, movedId: subject.id }, neighbours);
  return { changes, isChanged: changes.length > 0 || isGrown || links.length > 0 || neighbours !== null };
}

/** The types of the tasks are those that they have once they are locked. */
async function addChildren(
  tx: Transaction,
  context: Context,
  parent: IssueSubject,
  children: readonly IssueSubject[],
): Promise<boolean> {
  if (children.length === 0) return false;
  const ids = children.map(({ id }) => id);
  const types = await lockIssues(tx, ids);
  const tasks = children.map((subject) => ({ subject, type: types.get(subject.id) ?? ('issue' as const) }));
  return writeChildren(tx, context, parent, tasks);
}

/** Relates a new issue, as writeRelations, and records what changed of its parent. */
export async function relateNew(
  tx: Transaction,
  context: Context,
  issue: { subject: IssueSubject; type: IssueType },
  relations: PermittedRelations,
): Promise<void> {
  await lockRelated(tx, issue.subject, relations);
  const { changes } = await writeRelations(tx, context, issue, relations);
  await recordSubjectChanges(tx, context, requireActor(context), issue.subject, changes);
}

/** Throws ValidationFailed unless one issue is named at least, and not too many. */
export function requireFew(ids: readonly number[], field: string): void {
  if (ids.length === 0) throw new ValidationFailed({ [field]: ["can't be blank"] });
  if (ids.length > MAX_AT_ONCE) {
    throw new ValidationFailed({ [field]: [`has too many issues (maximum is ${MAX_AT_ONCE})`] });
  }
}
