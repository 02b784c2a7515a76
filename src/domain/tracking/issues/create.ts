import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { issueEvent } from '#src/domain/activity/record_event.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import {
  assigneesGiven,
  type IssueAttributes,
  labelsGiven,
  permittedAttributes,
  permittedKind,
  permittedLock,
  permittedTimestamp,
  refuse,
  resolveAttributes,
  setLabels,
  textErrors,
} from '#src/domain/tracking/issues/attributes.ts';
import type { IssueSeverity, IssueType } from '#src/domain/tracking/issues/filter.ts';
import { type IssueRelations, permittedRelations, relateNew } from '#src/domain/tracking/issues/relations.ts';
import { applyEffects, hasEffects } from '#src/domain/tracking/quick_actions/apply.ts';
import type { WantedChanges } from '#src/domain/tracking/quick_actions/interpret.ts';
import { readQuickActions } from '#src/domain/tracking/quick_actions/read.ts';
import { mayMention } from '#src/domain/tracking/references/mentions.ts';
import { addFurtherAssignees } from '#src/domain/tracking/subjects/assignees.ts';
import { Prisma, type Transaction, violates } from '#src/platform/database/db.ts';
import { AlreadyExists, BadRequest } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

export interface NewIssue extends IssueAttributes, IssueRelations {
  project: IdOrPath;
  /** If absent, what the issue continues must provide one. */
  title?: string | null | undefined;
  description?: string | null | undefined;
  confidential?: boolean | null | undefined;
  /** Whether only members of the project can comment; for reporters. */
  discussionLocked?: boolean | null | undefined;
  /** Of an incident; for reporters. */
  severity?: IssueSeverity | null | undefined;
  /** An issue when absent; incidents are for reporters. */
  type?: IssueType | null | undefined;
  /** Accepted from administrators and owners of the personal namespace. */
  createdAt?: Date | null | undefined;
  /** The next one of the project if absent. Accepted from administrators and owners of the project. */
  iid?: number | null | undefined;
}

interface Opened {
  id: number;
  iid: number;
}

/** What a new issue continues: its default texts, and what becomes of that when the issue is opened, in the same transaction. */
export interface Continued {
  title: string;
  description: string;
  openIn(tx: Transaction, open: () => Promise<Opened>): Promise<Opened>;
}

/** Highest number that can be chosen: the project goes on counting from there. */
const HIGHEST_IID = 1_000_000_000;

/**
 * Opens an issue, and applies the quick actions of its description. Throws NotFound, Forbidden, BadRequest, ValidationFailed, Conflict.
 *
 * @param continuedBy finds what the issue continues; null for nothing
 */
export async function createIssue(
  context: Context,
  given: NewIssue,
  continuedBy?: (actor: Actor, project: ProjectRow) => Promise<Continued | null>,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, given.project);
  authorize(actor, 'create_issue', project);
  const continued = (await continuedBy?.(actor, project)) ?? null;
  const { text, changes, effects } = await readQuickActions(context, actor, given.description, () => {
    const mayAdmin = can(actor, 'admin_issue', project);
    const title = given.title ?? continued?.title ?? '';
    return {
      type: 'Issue',
      project,
      title,
      labels: labelsGiven(given),
      assigneeIds: assigneesGiven(given),
      authorId: null,
      mayUpdate: true,
      mayAdmin,
      mayLock: mayAdmin,
    };
  });
  const input: NewIssue = { ...given, ...attributesIn(changes), description: text };
  const title = input.title ?? continued?.title ?? '';
  const description = input.description ?? continued?.description ?? null;
  const attributes = permittedAttributes(actor, project, withoutNulls(input));
  const { columns, assigneeIds = [] } = await resolveAttributes(
    context,
    project,
    attributes,
    textErrors(title, description),
  );
  const { createdAt: at, ignoreForbidden } = input;
  const discussionLocked = permittedLock(actor, project, input);
  const createdAt = permittedTimestamp(actor, project, 'createdAt', { at, ignoreForbidden }) ?? new Date();
  const wanted = permittedNumber(actor, project, input);
  const { type = null, severity = null } = permittedKind(actor, project, input, true);
  const { parentId } = input;
  const relations = await permittedRelations(context, actor, project, { ...input, parentId: parentId ?? undefined });
  const insert = async (db: Pick<Transaction, '$queryRaw'>, event: Prisma.Sql = Prisma.empty) => {
    const inserted = db.$queryRaw<[Opened]>`
      WITH counter AS (
        UPDATE project_counters SET last_issue_iid = GREATEST(last_issue_iid, COALESCE(${wanted}::int, last_issue_iid + 1))
        WHERE project_id = ${project.id} RETURNING COALESCE(${wanted}::int, last_issue_iid) AS iid),
      issue AS (
        INSERT INTO issues (iid, project_id, author_id, title, description, confidential, assignee_id, milestone_id, due_date,
          discussion_locked, type, severity, created_at, updated_at)
        SELECT counter.iid, ${project.id}, ${actor.id}, ${title}, ${description},
          ${input.confidential ?? false}, ${columns.assigneeId ?? null}::int, ${columns.milestoneId ?? null}::int,
          ${columns.dueDate ?? null}::date, ${discussionLocked}::boolean,
          COALESCE(${type}::issue_type, 'issue'), COALESCE(${severity}::issue_severity, 'unknown'), ${createdAt}::timestamptz, ${createdAt}::timestamptz
        FROM counter RETURNING id, iid, title)${event}
      SELECT id, iid FROM issue`;
    const [issue] = await inserted.catch((error) => {
      throw wanted !== null && violates(error, 'iid')
        ? new AlreadyExists(
            'iid has already been taken',
            { type: 'Issue', where: { projectId: project.id, iid: wanted } },
            'iid',
          )
        : error;
    });
    return issue;
  };
  const labels = labelsGiven(attributes);
  const isPlain =
    !continued &&
    !relations &&
    labels.length === 0 &&
    assigneeIds.length === 0 &&
    columns.milestoneId == null &&
    !hasEffects(effects);
  const concernsNobody = !mayMention(title, description) && !sendsMail(context.db);
  if (isPlain && concernsNobody && !(await hookSubscriptions(context.db)).issue) {
    // One statement, and so atomic by itself.
    const opened = issueEvent({ projectId: project.id, authorId: actor.id, action: 'opened' });
    const { id } = await insert(context.db, Prisma.sql`, event AS (${opened})`);
    return { project, id };
  }
  const id = await context.db.$transaction(async (tx) => {
    const { id, iid } = await (continued ? continued.openIn(tx, () => insert(tx)) : insert(tx));
    if (labels.length > 0) await setLabels(tx, project.id, { type: 'Issue', id }, { labels });
    const subject = { type: 'Issue', id, iid, title, project } as const;
    await addFurtherAssignees(tx, subject, assigneeIds);
    await recordSubjectChanges(tx, context, actor, subject, [{ kind: 'opened', description, assigneeIds }]);
    if (relations) await relateNew(tx, context, { subject, type: type ?? 'issue' }, relations);
    await applyEffects(tx, context, actor, subject, effects);
    return id;
  });
  return { project, id };
}

/** The number that is chosen for the issue, if the actor may. Throws BadRequest, and Forbidden unless it is to be skipped. */
function permittedNumber(actor: Actor, project: ProjectRow, { iid, ignoreForbidden }: NewIssue): number | null {
  if (iid == null) return null;
  if (!can(actor, 'number_issue', project)) {
    refuse(['iid'], 'administrators and owners of the project', ignoreForbidden);
    return null;
  }
  if (iid < 1 || iid > HIGHEST_IID) throw new BadRequest(`iid must be between 1 and ${HIGHEST_IID}`, 'iid');
  return iid;
}

/** The attributes set by quick actions on a new issue, which is open. */
function attributesIn({ stateEvent: _state, targetBranch: _branch, ...attributes }: WantedChanges) {
  return attributes;
}

/** A new issue has nothing to clear. */
function withoutNulls(input: NewIssue): IssueAttributes {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
