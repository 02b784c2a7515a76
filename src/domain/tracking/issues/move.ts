import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Change } from '#src/domain/changes/change.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { type ChangeableIssue, type LocatedIssue, locateIssue, maySee } from '#src/domain/tracking/issues/find.ts';
import { moveInTree } from '#src/domain/tracking/issues/hierarchy.ts';
import { copyFiles } from '#src/domain/tracking/issues/move_files.ts';
import { changeState } from '#src/domain/tracking/issues/update.ts';
import { labelsTitled } from '#src/domain/tracking/labels/ensure.ts';
import { milestoneTitled } from '#src/domain/tracking/milestones/list.ts';
import { addFurtherAssignees, assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { BadRequest } from '#src/platform/errors.ts';

/**
 * Moves an issue to another project: creates a copy there with labels and milestone of the same titles, notes, awards, times,
 * subscriptions and files; labels of groups that the project does not have are created in it; the original is closed and cannot be moved again. Returns the copy. Throws NotFound, BadRequest.
 */
export async function moveIssue(context: Context, ref: IdOrPath, iid: number, to: IdOrPath): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, issue } = await locateIssue(context, ref, iid);
  const target = await requireMovable(context, { project, issue }, to);
  const files = await copyFiles(context, issue.id, project, target);
  const move = async (tx: Transaction) => {
    await lockCounters(tx, [project.id, target.id]);
    const copy = await copyIssue(tx, issue, target);
    await copyTrail(tx, issue.id, copy.id, target);
    await files.record(tx, copy.id);
    await moveInTree(tx, issue.id, copy.id, target.id);
    const moved = await tx.issue.updateMany({
      where: { id: issue.id, movedToId: null, deletedAt: null },
      data: { movedToId: copy.id, updatedAt: new Date() },
    });
    if (moved.count === 0) throw new BadRequest('Cannot move issue due to insufficient permissions!');
    const left: Change[] = [{ kind: 'movedTo', to: { ...copy, project: target } }];
    if (await changeState(tx, issue.id, 'closed')) left.push({ kind: 'closed' });
    await recordSubjectChanges(tx, context, actor, { ...issue, type: 'Issue', project }, left);
    const { assigneeIds, description } = copy;
    await recordSubjectChanges(tx, context, actor, { ...copy, type: 'Issue', title: issue.title, project: target }, [
      { kind: 'opened', assigneeIds, description },
      { kind: 'movedFrom', from: { ...issue, project } },
    ]);
    return copy.id;
  };
  try {
    return { project: target, id: await context.db.$transaction(move) };
  } catch (error) {
    if (!mayBeCommitted(error)) await files.remove();
    throw error;
  }
}

/** The project that the actor may move the issue to. Throws NotFound, BadRequest. */
export async function requireMovable(
  context: Context,
  { project, issue }: LocatedIssue,
  to: IdOrPath,
): Promise<ProjectRow> {
  const actor = requireActor(context);
  const target = await findProject(context, to);
  const permitted =
    can(actor, 'move_issue', project) && can(actor, 'move_issue', target) && maySee(actor, project, issue);
  if (!permitted || issue.movedToId !== null)
    throw new BadRequest('Cannot move issue due to insufficient permissions!');
  if (target.id === project.id)
    throw new BadRequest('Cannot move issue to project it originates from!', 'to').asWrongState();
  return target;
}

/** Both projects' counters are updated: always in the same order, so that opposite moves do not deadlock. */
async function lockCounters(tx: Transaction, projectIds: number[]): Promise<void> {
  await tx.$queryRaw`
    SELECT project_id FROM project_counters WHERE project_id = ANY(${projectIds}::int[]) ORDER BY project_id FOR UPDATE`;
}

interface Copy {
  id: number;
  iid: number;
  description: string | null;
  assigneeIds: number[];
}

async function copyIssue(tx: Transaction, issue: ChangeableIssue, target: ProjectRow): Promise<Copy> {
  const [moved] = await tx.$queryRaw<[Omit<Copy, 'assigneeIds'>]>`
    WITH counter AS (
      UPDATE project_counters SET last_issue_iid = last_issue_iid + 1 WHERE project_id = ${target.id} RETURNING last_issue_iid)
    INSERT INTO issues (iid, project_id, author_id, assignee_id, title, description, state, confidential, type, severity, due_date,
      time_estimate, milestone_id, external_author, created_at, updated_at)
    SELECT c.last_issue_iid, ${target.id}, i.author_id, i.assignee_id, i.title, i.description, i.state, i.confidential,
      i.type, i.severity, i.due_date, i.time_estimate, (${milestoneTitled(target.id, Prisma.sql`(SELECT s.title FROM milestones s WHERE s.id = i.milestone_id)`)}),
      i.external_author, i.created_at, now()
    FROM counter c, issues i WHERE i.id = ${issue.id} RETURNING id, iid, description`;
  const [{ assigneeIds }] = await tx.$queryRaw<[{ assigneeIds: number[] }]>`
    SELECT ${assigneesOf('Issue', issue.id)} AS "assigneeIds"`;
  const copy = { ...moved, assigneeIds };
  await addFurtherAssignees(tx, { type: 'Issue', id: copy.id }, assigneeIds);
  await tx.$executeRaw`
    WITH source AS MATERIALIZED (SELECT s.* FROM issue_labels il JOIN labels s ON s.id = il.label_id WHERE il.issue_id = ${issue.id}),
    known AS MATERIALIZED (${labelsTitled(target.id, Prisma.sql`ARRAY(SELECT title FROM source)`)}),
    made AS (INSERT INTO labels (project_id, title, color, description, archived)
      SELECT ${target.id}, title, color, description, archived FROM source s
      WHERE s.group_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM known k WHERE k.title = s.title)
      ON CONFLICT (project_id, title) DO UPDATE SET updated_at = labels.updated_at RETURNING id)
    INSERT INTO issue_labels (issue_id, label_id) SELECT ${copy.id}, id FROM (SELECT id FROM made UNION SELECT id FROM known) l`;
  return copy;
}

/** Copies notes, awards, time spent and explicit subscriptions. Links go with the copy. */
async function copyTrail(tx: Transaction, from: number, to: number, { id: projectId }: ProjectRow): Promise<void> {
  // Copies get their IDs before they are written, to map replies to threads, and awards to notes.
  await tx.$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT n.*, nextval(pg_get_serial_sequence('notes', 'id'))::int AS new_id FROM (
        SELECT * FROM notes WHERE subject_type = 'Issue' AND subject_id = ${from} ORDER BY id) n),
    threads AS (SELECT old.*, first_value(new_id) OVER (PARTITION BY COALESCE(discussion_id, id) ORDER BY id) AS first_id FROM old),
    copied AS (INSERT INTO notes (id, subject_type, subject_id, author_id, body, system, source_type, source_id, source_project_id,
        mention, discussion_id, starts_thread, external_author, created_at, updated_at, last_edited_at)
      SELECT new_id, 'Issue', ${to}, author_id, body, system, source_type, source_id,
        CASE WHEN source_type = ${INTERNAL} THEN ${projectId} ELSE source_project_id END, mention,
        NULLIF(first_id, new_id), starts_thread, external_author, created_at, updated_at, last_edited_at
      FROM threads ORDER BY new_id)
    INSERT INTO award_emoji (subject_type, subject_id, user_id, name, created_at, updated_at)
    SELECT 'Note', old.new_id, a.user_id, a.name, a.created_at, a.updated_at FROM old
      JOIN award_emoji a ON a.subject_type = 'Note' AND a.subject_id = old.id ORDER BY a.id`;
  await tx.$executeRaw`
    INSERT INTO award_emoji (subject_type, subject_id, user_id, name, created_at, updated_at)
    SELECT 'Issue', ${to}, user_id, name, created_at, updated_at FROM award_emoji
    WHERE subject_type = 'Issue' AND subject_id = ${from} ORDER BY id`;
  // Who takes part by mail goes on with the copy: there are no comments on the original any more.
  await tx.issueEmailParticipant.updateMany({ where: { issueId: from }, data: { issueId: to } });
  await tx.$executeRaw`
    UPDATE issue_links SET source_id = CASE source_id WHEN ${from} THEN ${to} ELSE source_id END,
      target_id = CASE target_id WHEN ${from} THEN ${to} ELSE target_id END
    WHERE source_id = ${from} OR target_id = ${from}`;
  await tx.$executeRaw`
    INSERT INTO timelogs (issue_id, user_id, seconds, summary, created_at)
    SELECT ${to}, user_id, seconds, summary, created_at FROM timelogs WHERE issue_id = ${from} ORDER BY id`;
  await tx.$executeRaw`
    INSERT INTO subscriptions (user_id, subject_type, subject_id, subscribed)
    SELECT user_id, 'Issue', ${to}, subscribed FROM subscriptions WHERE subject_type = 'Issue' AND subject_id = ${from}`;
}
