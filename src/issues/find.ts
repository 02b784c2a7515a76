import { can } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import type { Ref } from '#src/groups/find.ts';
import { type IssueRow, issueByIid } from '#src/issues/rows.ts';
import { NotFound } from '#src/platform/errors.ts';
import { findProject, type ProjectRow } from '#src/projects/find.ts';

/** An issue together with the project that it is in. */
export interface LocatedIssue {
  issue: IssueRow;
  project: ProjectRow;
}

/** The issue with that internal ID, when the actor may see it. Throws NotFound. */
export async function findIssue(context: Context, project: ProjectRow, iid: number): Promise<IssueRow> {
  const actor = requireActor(context);
  const issue = await findIssueUnseen(context, project, iid);
  if (!maySee(actor, project, issue)) throw new NotFound('Issue');
  return issue;
}

/** As findIssue, but finds confidential ones for everybody: for commands that refuse by ability (behaviour.md 6). */
export async function findIssueUnseen(context: Context, project: ProjectRow, iid: number): Promise<IssueRow> {
  const actor = requireActor(context);
  if (!can(actor, 'read_issue', project)) throw new NotFound('Issue');
  const issue = await issueByIid(context, project.id, iid);
  if (!issue) throw new NotFound('Issue');
  return issue;
}

/** Project and issue by their references. Throws NotFound for either. */
export async function locateIssue(context: Context, ref: Ref, iid: number): Promise<LocatedIssue> {
  requireActor(context);
  const project = await findProject(context, ref);
  return { project, issue: await findIssueUnseen(context, project, iid) };
}

/** Whether the actor, who sees the project, sees this issue in it. */
export function maySee(actor: Actor, project: ProjectRow, issue: IssueRow): boolean {
  if (!issue.confidential || can(actor, 'read_confidential_issue', project)) return true;
  return issue.author.id === actor.id || issue.assignee?.id === actor.id;
}
