import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import type { Change, Subject } from '#src/domain/changes/change.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import { type IssueFilter, type IssueType, issueConditions } from '#src/domain/tracking/issues/filter.ts';
import { findIssueSubjects, type IssueSubject } from '#src/domain/tracking/issues/find.ts';
import { type IssueOrder, issuePage } from '#src/domain/tracking/issues/page.ts';
import { where } from '#src/domain/tracking/issues/sources.ts';
import { ofLabelsThere, searchOf } from '#src/domain/tracking/subjects/filter.ts';
import { searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { Prisma, readPages, type Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [issue, link] = [alias('Issue', 'i'), alias('IssueParent', 'ip')];

/** Maximum number of tasks of an issue. */
export const MAX_CHILDREN = 100;

/** Why an issue cannot become a part of another one, as said of that, and of a task in a list. */
const MISFITS = {
  unknown: ['is not an issue to which you can add tasks', 'is not a task that you can give a parent'],
  noTask: ['can only be set for tasks', 'is not a task'],
  belowTask: ['cannot be a task: tasks have no tasks', 'cannot be part of a task: tasks have no tasks'],
  moved: ['was moved to another project', 'cannot be part of an issue that was moved to another project'],
  otherTree: ['is in another tree of groups', 'is in another tree of groups'],
  tooMany: [
    `has too many tasks (maximum is ${MAX_CHILDREN})`,
    `would be one task too many (maximum is ${MAX_CHILDREN})`,
  ],
} as const;

type Misfit = keyof typeof MISFITS;

/**
 * The issue that is to get a task, by its ID over all projects, for reporters of its project. For others, and if there is none, there is
 * no such issue: throws ValidationFailed.
 */
export async function permittedParent(context: Context, id: number): Promise<IssueSubject> {
  const found = (await findIssueSubjects(context, [id], 'admin_issue')).get(id);
  if (!found) throw parentRefused('unknown');
  return found;
}

/** Like permittedParent, of the tasks that an issue is to get. */
export async function permittedChildren(context: Context, ids: readonly number[]): Promise<IssueSubject[]> {
  const found = await findIssueSubjects(context, ids, 'admin_issue');
  return ids.map((id, index) => {
    const child = found.get(id);
    if (!child) throw childRefused('unknown', index);
    return child;
  });
}

/** What is known of an issue, which is locked, when its parent is changed. */
interface Child {
  subject: IssueSubject;
  type: IssueType;
}

/**
 * Makes a task a part of an issue or incident in the same tree of groups, or of none for null, in the transaction that holds the lock
 * of the task. Returns what changed for the task; what changed for the parents is recorded. Throws ValidationFailed, NotFound.
 */
export async function writeParent(
  tx: Transaction,
  context: Context,
  { subject, type }: Child,
  parent: Subject | null,
  refused: (misfit: Misfit) => ValidationFailed = parentRefused,
): Promise<Change[]> {
  const actor = requireActor(context);
  const before = await parentOf(tx, subject.id);
  if ((before?.id ?? null) === (parent?.id ?? null)) return [];
  const misfit = parent && (await misfitOf(tx, { subject, type }, parent));
  if (misfit) throw refused(misfit);
  await tx.issueParent.deleteMany({ where: { issueId: subject.id } });
  if (parent) await tx.issueParent.create({ data: { issueId: subject.id, parentId: parent.id } });
  const other = elsewhere(subject);
  if (before) await recordSubjectChanges(tx, context, actor, before, [{ kind: 'childRemoved', other }]);
  if (parent) await recordSubjectChanges(tx, context, actor, parent, [{ kind: 'childAdded', other }]);
  return [
    ...(before ? [{ kind: 'parentRemoved', other: elsewhere(before) } as const] : []),
    ...(parent ? [{ kind: 'parentAdded', other: elsewhere(parent) } as const] : []),
  ];
}

/**
 * Makes tasks parts of an issue, as writeParent does, in the transaction that holds the locks of all, and records that of each. Returns
 * whether that changed anything. Throws ValidationFailed, which names the place of the task in the list.
 */
export async function writeChildren(
  tx: Transaction,
  context: Context,
  parent: Subject,
  children: readonly Child[],
): Promise<boolean> {
  let isChanged = false;
  for (const [index, child] of children.entries()) {
    const { subject } = child;
    const changes = await writeParent(tx, context, child, parent, (misfit) => childRefused(misfit, index));
    if (changes.length === 0) continue;
    await tx.issue.update({ where: { id: subject.id }, data: { updatedAt: new Date() } });
    await recordSubjectChanges(tx, context, requireActor(context), subject, changes);
    isChanged = true;
  }
  return isChanged;
}

/** Why the issue cannot be a part of the other: tasks have parents, and other issues have tasks, so the tree has two levels and no circles. */
async function misfitOf(tx: Transaction, { subject, type }: Child, parent: Subject): Promise<Misfit | null> {
  if (type !== 'task') return 'noTask';
  const [found] = await tx.$queryRaw<{ type: IssueType; movedToId: number | null }[]>`
    SELECT type, moved_to_id AS "movedToId" FROM issues WHERE id = ${parent.id} AND deleted_at IS NULL FOR UPDATE`;
  if (!found) return 'unknown';
  if (found.type === 'task') return 'belowTask';
  if (found.movedToId !== null) return 'moved';
  const [{ isInTree, count } = { isInTree: false, count: 0 }] = await tx.$queryRaw<
    { isInTree: boolean; count: number }[]
  >`
    SELECT ${treeOf(sql`${subject.project.id}`)} = ${treeOf(sql`${parent.project.id}`)} AS "isInTree",
      (SELECT count(*)::int FROM issue_parents ip JOIN issues c ON c.id = ip.issue_id
        WHERE ip.parent_id = ${parent.id} AND c.deleted_at IS NULL) AS count`;
  if (!isInTree) return 'otherTree';
  return count >= MAX_CHILDREN ? 'tooMany' : null;
}

function parentRefused(misfit: Misfit): ValidationFailed {
  return new ValidationFailed({ parent_id: [MISFITS[misfit][0]] });
}

/** @param index of the task in `add_child_ids` */
function childRefused(misfit: Misfit, index: number): ValidationFailed {
  return new ValidationFailed({ [`add_child_ids.${index}`]: [MISFITS[misfit][1]] });
}

/** The topmost namespace around a project. */
const treeOf = (projectId: Prisma.Sql) =>
  sql`(SELECT tn.lineage[1] FROM projects tp JOIN namespaces tn ON tn.id = tp.namespace_id WHERE tp.id = ${projectId})`;

/** The parent of an issue; null without one. */
async function parentOf(tx: Transaction, issueId: number): Promise<Subject | null> {
  const [found] = await tx.$queryRaw<{ id: number; iid: number; title: string; projectId: number; fullPath: string }[]>`
    SELECT i.id, i.iid, i.title, p.id AS "projectId", n.full_path || '/' || p.path AS "fullPath"
    FROM issue_parents ip JOIN issues i ON i.id = ip.parent_id JOIN projects p ON p.id = i.project_id
      JOIN namespaces n ON n.id = p.namespace_id
    WHERE ip.issue_id = ${issueId}`;
  if (!found) return null;
  const { projectId, fullPath, ...own } = found;
  return { type: 'Issue', ...own, project: { id: projectId, fullPath } };
}

/**
 * Checks that an issue, which is locked, may become one of another type: it has no tasks then, or has no parent. Throws
 * ValidationFailed.
 */
export async function requireConvertible(tx: Transaction, id: number, to: IssueType): Promise<void> {
  const [{ children, parents } = { children: 0, parents: 0 }] = await tx.$queryRaw<
    { children: number; parents: number }[]
  >`
    SELECT (SELECT count(*)::int FROM issue_parents ip JOIN issues c ON c.id = ip.issue_id
        WHERE ip.parent_id = ${id} AND c.deleted_at IS NULL) AS children,
      (SELECT count(*)::int FROM issue_parents WHERE issue_id = ${id}) AS parents`;
  if (to === 'task' && children > 0) throw new ValidationFailed({ type: ['cannot be task while the issue has tasks'] });
  if (to !== 'task' && parents > 0) throw new ValidationFailed({ type: ['must be task while the task has a parent'] });
}

/** Removes an issue that is deleted from the tree: its tasks stay, without a parent. */
export async function leaveTree(tx: Transaction, id: number): Promise<void> {
  await tx.issueParent.deleteMany({ where: { OR: [{ issueId: id }, { parentId: id }] } });
}

/** Puts the copy of a moved issue in its place in the tree: as far as both are in the same tree of groups. */
export async function moveInTree(tx: Transaction, from: number, to: number, projectId: number): Promise<void> {
  const isInTree = (other: Prisma.Sql) =>
    sql`${treeOf(sql`(SELECT o.project_id FROM issues o WHERE o.id = ${other})`)} = ${treeOf(sql`${projectId}`)}`;
  await tx.$executeRaw`
    INSERT INTO issue_parents (issue_id, parent_id, created_at)
    SELECT ${to}, ip.parent_id, ip.created_at FROM issue_parents ip WHERE ip.issue_id = ${from} AND ${isInTree(sql`ip.parent_id`)}`;
  await tx.$executeRaw`
    UPDATE issue_parents ip SET parent_id = ${to} WHERE ip.parent_id = ${from} AND ${isInTree(sql`ip.issue_id`)}`;
  await leaveTree(tx, from);
}

/** Parts the issues of a project that was moved from those of other trees of groups. */
export async function leaveOtherTrees(tx: Transaction, projectId: number): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM issue_parents ip USING issues c, issues p
    WHERE c.id = ip.issue_id AND p.id = ip.parent_id AND (c.project_id = ${projectId} OR p.project_id = ${projectId})
      AND c.project_id <> p.project_id AND ${treeOf(sql`c.project_id`)} <> ${treeOf(sql`p.project_id`)}`;
}

/**
 * The tasks of each issue that the actor can see, in one statement. The caller must have checked that the actor can see the issues.
 */
export async function listChildren<R>(
  context: Context,
  issueIds: readonly number[],
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const ids = [...issueIds];
  const pageOf = ({ parent }: Asked<{ parent: number }>) => {
    const conditions = [
      sql`${issue.id} IN (SELECT ${link.issueId} FROM ${table(link)} WHERE ${link.parentId} = ${parent})`,
      within(issue.projectId, 'issues'),
      issueVisible(issue, actor, within(issue.projectId, 'confidential')),
      ...issueConditions(issue, filter, actor, ofLabelsThere),
    ];
    return issuePage(selection, { ...where(conditions, order, page), total: null, params: { actor } }, order, page);
  };
  const places = seenPlaces(
    actor,
    sql`p.id IN (SELECT ci.project_id FROM issue_parents cp JOIN issues ci ON ci.id = cp.issue_id
      WHERE cp.parent_id = ANY(${ids}::int[]))`,
  );
  const parents = ids.map((parent) => ({ parent }));
  const common = [places, ...searchHits(searchOf(filter))];
  return readPages<R>(context.db, page, perParent(parents, { parent: 'int' }, pageOf, common));
}

function elsewhere({ id, iid, project }: Subject) {
  return { id, iid, project: { id: project.id, fullPath: project.fullPath } };
}
