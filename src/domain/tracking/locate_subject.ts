import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { findIssue } from '#src/domain/tracking/issues/find.ts';
import { mayUpdate } from '#src/domain/tracking/issues/update.ts';
import { findMergeRequest, mayUpdate as mayUpdateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** The types with time tracking and todos. */
export type SubjectType = Subject['type'];

/** An issue or merge request that the actor can see, with the project of its number. */
export interface Located extends Subject {
  project: ProjectRow;
  /** Whether the actor may update it. */
  mayUpdate: boolean;
}

const ISSUE = select('Issue', {
  id: true,
  iid: true,
  title: true,
  confidential: true,
  authorId: true,
  assigneeIds: true,
});

/** The issue or merge request of the project with that number. Throws NotFound, also for invisible ones. */
export async function locateSubject(context: Context, type: SubjectType, ref: IdOrPath, iid: number): Promise<Located> {
  const actor = readerOf(context);
  const project = await findProject(context, ref);
  if (type === 'MergeRequest') return locateMergeRequest(context, project, iid);
  const issue = await findIssue(context, project, iid, ISSUE);
  const { id, title } = issue;
  return { type, id, iid, title, project, mayUpdate: actor !== null && mayUpdate(actor, project, issue) };
}

/** Like locateSubject, for updates. Also throws Forbidden. */
export async function locateChangeable(
  context: Context,
  type: SubjectType,
  ref: IdOrPath,
  iid: number,
): Promise<Located> {
  const subject = await locateSubject(context, type, ref, iid);
  if (!subject.mayUpdate) throw new Forbidden();
  return subject;
}

async function locateMergeRequest(context: Context, project: ProjectRow, iid: number): Promise<Located> {
  const found = await findMergeRequest(context, project, iid, MERGE_REQUEST);
  const { id, title } = found;
  const actor = readerOf(context);
  return { type: 'MergeRequest', id, iid, title, project, mayUpdate: mayUpdateMergeRequest(actor, project, found) };
}

const MERGE_REQUEST = select('MergeRequest', { id: true, title: true, authorId: true, assigneeIds: true });
