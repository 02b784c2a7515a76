import { can } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { recordEvent } from '#src/events/record.ts';
import type { Ref } from '#src/groups/find.ts';
import {
  checkTexts,
  type IssueAttributes,
  permittedAttributes,
  permittedTimestamp,
  resolveAttributes,
  setLabels,
} from '#src/issues/attributes.ts';
import { type ChangeableIssue, locateIssue, maySee } from '#src/issues/find.ts';
import type { Transaction } from '#src/platform/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import type { ChangedRecord } from '#src/projects/below.ts';
import type { ProjectRow } from '#src/projects/find.ts';

export interface IssueChanges extends IssueAttributes {
  title?: string | null | undefined;
  description?: string | null | undefined;
  confidential?: boolean | null | undefined;
  stateEvent?: 'close' | 'reopen' | null | undefined;
  updatedAt?: Date | null | undefined;
}

/** Changes an issue: unset means unchanged, null cleared. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateIssue(
  context: Context,
  ref: Ref,
  iid: number,
  changes: IssueChanges,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, issue } = await locateIssue(context, ref, iid);
  if (!mayUpdate(actor, project, issue)) throw new Forbidden();
  checkTexts(changes.title, changes.description);
  const attributes = permittedAttributes(actor, project, changes);
  const columns = await resolveAttributes(context, project, attributes);
  const { labels } = attributes;
  const { updatedAt: at, ignoreForbidden } = changes;
  const updatedAt = permittedTimestamp(actor, project, 'updatedAt', { at, ignoreForbidden });
  await context.db.$transaction(async (tx) => {
    const changed = await tx.issue.updateMany({
      where: { id: issue.id, deletedAt: null },
      data: {
        ...columns,
        ...(changes.title == null ? {} : { title: changes.title }),
        ...(changes.description === undefined ? {} : { description: changes.description }),
        ...(changes.confidential == null ? {} : { confidential: changes.confidential }),
        updatedAt: updatedAt ?? new Date(),
      },
    });
    if (changed.count === 0) throw new NotFound('Issue');
    if (labels !== undefined) await setLabels(tx, project.id, issue.id, labels ?? []);
    const state = changes.stateEvent ? STATES[changes.stateEvent] : undefined;
    if (state && (await changeState(tx, issue.id, state))) {
      const target = { type: 'Issue', id: issue.id, title: changes.title ?? issue.title } as const;
      await recordEvent(tx, { projectId: project.id, authorId: actor.id, action: state, target });
    }
  });
  return { project, id: issue.id };
}

const STATES = { close: 'closed', reopen: 'opened' } as const;

/** Whether the issue was in another state before: of two requests that close it, one does. */
export async function changeState(tx: Transaction, id: number, state: 'opened' | 'closed'): Promise<boolean> {
  const { count } = await tx.issue.updateMany({ where: { id, state: { not: state } }, data: { state } });
  return count > 0;
}

/** Whether the actor may change the issue: reporters, the author and the assignee may. */
export function mayUpdate(
  actor: Actor,
  project: ProjectRow,
  issue: Pick<ChangeableIssue, 'confidential' | 'authorId' | 'assigneeId'>,
): boolean {
  if (!maySee(actor, project, issue)) return false;
  return can(actor, 'update_issue', project) || issue.authorId === actor.id || issue.assigneeId === actor.id;
}
