import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type Change, difference } from '#src/domain/changes/change.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import {
  type IssueAttributes,
  type LabelSwap,
  permittedAttributes,
  permittedKind,
  permittedLock,
  permittedTimestamp,
  resolveAttributes,
  setLabels,
  swapIssueLabels,
  textErrors,
} from '#src/domain/tracking/issues/attributes.ts';
import type { IssueSeverity, IssueType } from '#src/domain/tracking/issues/filter.ts';
import { type ChangeableIssue, type LocatedIssue, locateIssue, maySee } from '#src/domain/tracking/issues/find.ts';
import { requireConvertible, writeParent } from '#src/domain/tracking/issues/hierarchy.ts';
import {
  type IssueRelations,
  lockRelated,
  permittedRelations,
  writeRelations,
} from '#src/domain/tracking/issues/relations.ts';
import { applyEffects, hasEffects } from '#src/domain/tracking/quick_actions/apply.ts';
import type { Target } from '#src/domain/tracking/quick_actions/interpret.ts';
import { readQuickActions } from '#src/domain/tracking/quick_actions/read.ts';
import { setAssignees } from '#src/domain/tracking/subjects/assignees.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

export interface IssueChanges extends IssueAttributes, IssueRelations {
  title?: string | null | undefined;
  description?: string | null | undefined;
  confidential?: boolean | null | undefined;
  /** Whether only members of the project can comment; for reporters. */
  discussionLocked?: boolean | null | undefined;
  /** For reporters: the type, and the severity of an incident. */
  type?: IssueType | null | undefined;
  severity?: IssueSeverity | null | undefined;
  /** For reporters: the IDs of a label to remove and one to add; others stay. Not together with `labels`. */
  swapLabels?: LabelSwap | undefined;
  stateEvent?: 'close' | 'reopen' | null | undefined;
  /** Makes the new description of the present one, which is locked; throws where it is not the one that the actor has seen. */
  rewrite?: ((description: string | null) => string) | undefined;
  updatedAt?: Date | null | undefined;
}

/**
 * Updates an issue, and applies the quick actions of a new description: unset means unchanged, null clears. `changed` is false if
 * all was so already. Throws NotFound, Forbidden, ValidationFailed.
 *
 * @param also runs in the same transaction
 */
export async function updateIssue(
  context: Context,
  ref: IdOrPath,
  iid: number,
  given: IssueChanges,
  also?: (tx: Transaction) => Promise<void>,
): Promise<ChangedRecord & { changed: boolean }> {
  const actor = requireActor(context);
  const located = await locateIssue(context, ref, iid);
  const { project, issue } = located;
  if (!mayUpdate(actor, project, issue)) throw new Forbidden();
  const read = await readQuickActions(context, actor, given.description, () => targetOf(context, actor, located));
  const changes: IssueChanges = { ...given, ...read.changes, description: read.text };
  const attributes = permittedAttributes(actor, project, changes);
  const { columns, assigneeIds } = await resolveAttributes(
    context,
    project,
    attributes,
    textErrors(changes.title, changes.description),
  );
  const { swapLabels } = changes;
  if (swapLabels) authorize(actor, 'admin_issue', project);
  const { updatedAt: at, ignoreForbidden } = changes;
  const discussionLocked = permittedLock(actor, project, changes);
  const updatedAt = permittedTimestamp(actor, project, 'updatedAt', { at, ignoreForbidden });
  const { parentId } = changes;
  const relations = await permittedRelations(context, actor, project, changes);
  const data = {
    ...columns,
    ...permittedKind(actor, project, changes, false),
    ...(changes.title == null ? {} : { title: changes.title }),
    ...(changes.description === undefined ? {} : { description: changes.description }),
    ...(discussionLocked == null ? {} : { discussionLocked }),
    ...(changes.confidential == null ? {} : { confidential: changes.confidential }),
  };
  const changed = await context.db.$transaction(async (tx) => {
    const own = { ...issue, type: 'Issue' as const, project };
    if (relations) await lockRelated(tx, own, relations);
    const before = await lockIssue(tx, issue.id);
    const assigned = assigneeIds ? await setAssignees(tx, { type: 'Issue', id: issue.id }, assigneeIds) : [];
    const written = changes.rewrite ? { ...data, description: changes.rewrite(before.description) } : data;
    const type = data.type ?? before.type;
    const child = { subject: own, type };
    const parted = parentId === null ? await writeParent(tx, context, child, null) : [];
    if (type !== before.type) await requireConvertible(tx, issue.id, type);
    await tx.issue.update({ where: { id: issue.id }, data: { ...written, updatedAt: updatedAt ?? new Date() } });
    const related = relations && (await writeRelations(tx, context, child, relations));
    const told = [...differences(before, written), ...assigned, ...parted, ...(related?.changes ?? [])];
    const relabelled = await setLabels(tx, project.id, { type: 'Issue', id: issue.id }, attributes);
    if (relabelled.added.length + relabelled.removed.length > 0) told.push({ kind: 'labels', ...relabelled });
    if (swapLabels) {
      const change = await swapIssueLabels(tx, project.id, issue.id, swapLabels);
      if (change.added.length + change.removed.length > 0) told.push({ kind: 'labels', ...change });
    }
    const state = changes.stateEvent ? STATES[changes.stateEvent] : undefined;
    if (state && (await changeState(tx, issue.id, state))) {
      told.push({ kind: state === 'closed' ? 'closed' : 'reopened' });
    }
    const { id, iid } = issue;
    const subject = { type: 'Issue', id, iid, title: changes.title ?? before.title, project } as const;
    await recordSubjectChanges(tx, context, actor, subject, told);
    await applyEffects(tx, context, actor, subject, read.effects);
    await also?.(tx);
    return told.length > 0 || related?.isChanged === true || updatedAt !== null || hasEffects(read.effects);
  });
  return { project, id: issue.id, changed };
}

/** An issue as target of quick actions. */
export async function targetOf(context: Context, actor: Actor, { project, issue }: LocatedIssue): Promise<Target> {
  const labels = await context.db.label.findMany({
    where: { issues: { some: { issueId: issue.id } } },
    select: { title: true },
  });
  return {
    type: 'Issue',
    project,
    title: issue.title,
    labels: labels.map(({ title }) => title),
    assigneeIds: issue.assigneeIds,
    authorId: issue.authorId,
    mayUpdate: mayUpdate(actor, project, issue),
    mayAdmin: can(actor, 'admin_issue', project),
    mayLock: can(actor, 'admin_issue', project),
  };
}

/** The columns whose old and new values are recorded. */
interface Told {
  title: string;
  description: string | null;
  confidential: boolean;
  milestoneId: number | null;
  dueDate: Date | null;
  discussionLocked: boolean | null;
  type: IssueType;
  severity: IssueSeverity;
}

/** Locks the issue and returns it as it was before the change. Throws NotFound if it is gone. */
async function lockIssue(tx: Transaction, id: number): Promise<Told> {
  const [issue] = await tx.$queryRaw<Told[]>`
    SELECT title, description, confidential, milestone_id AS "milestoneId", due_date AS "dueDate",
      discussion_locked AS "discussionLocked", type, severity
    FROM issues WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`;
  if (!issue) throw new NotFound('Issue');
  return issue;
}

function differences(before: Told, after: Partial<Told>): Change[] {
  const { confidential } = after;
  const changed = confidential !== undefined && confidential !== before.confidential;
  return [
    ...difference('title', before.title, after.title),
    ...difference('description', before.description, after.description),
    ...difference('milestone', before.milestoneId, after.milestoneId),
    ...difference('issueType', before.type, after.type),
    ...difference('severity', before.severity, after.severity),
    ...difference('discussionLocked', before.discussionLocked, after.discussionLocked),
    ...difference('dueDate', day(before.dueDate), after.dueDate === undefined ? undefined : day(after.dueDate)),
    ...(changed ? [{ kind: 'confidential', to: confidential } as const] : []),
  ];
}

function day(date: Date | null): string | null {
  return date === null ? null : date.toISOString().slice(0, 10);
}

const STATES = { close: 'closed', reopen: 'opened' } as const;

/** Changes the state and returns whether it was different: of two requests that close it, one does. */
export async function changeState(tx: Transaction, id: number, state: 'opened' | 'closed'): Promise<boolean> {
  const { count } = await tx.issue.updateMany({ where: { id, state: { not: state } }, data: { state } });
  return count > 0;
}

/** Whether the actor may update the issue: reporters, the author and the assignees may. */
export function mayUpdate(
  actor: Actor,
  project: ProjectRow,
  issue: Pick<ChangeableIssue, 'confidential' | 'authorId' | 'assigneeIds'>,
): boolean {
  if (!maySee(actor, project, issue)) return false;
  return can(actor, 'update_issue', project) || issue.authorId === actor.id || issue.assigneeIds.includes(actor.id);
}
