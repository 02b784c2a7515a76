import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { NoteableType } from '#src/domain/changes/change.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { findProjectSnippet } from '#src/domain/snippets/find.ts';
import { findIssue, findIssueById } from '#src/domain/tracking/issues/find.ts';
import { findMergeRequest, findMergeRequestById } from '#src/domain/tracking/merge_requests/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

export type { NoteableType };

export const NOTEABLE_TYPES = ['Issue', 'MergeRequest', 'Snippet'] as const satisfies readonly NoteableType[];

/** Identifies a record: by its number in its project, which for snippets is the ID; or by its ID. */
export type NoteableRef =
  | { type: NoteableType; project: IdOrPath; number: number }
  | { type: NoteableType; id: number };

/** A record that the actor can see, and may write notes on. */
export interface Noteable {
  type: NoteableType;
  id: number;
  /** Null for snippets. */
  iid: number | null;
  title: string;
  authorId: number;
  /** Whether only members of the project can comment. */
  discussionLocked?: boolean | null;
  project: ProjectRow;
}

type Found = Omit<Noteable, 'type' | 'project'>;

/** How to find visible records of a type. Each throws NotFound. */
interface Kind {
  /** The project of the record with that ID. */
  projectIdOf(context: Context, id: number): Promise<number | null | undefined>;
  byId(context: Context, project: ProjectRow, id: number): Promise<Found>;
  byNumber(context: Context, project: ProjectRow, number: number): Promise<Found>;
  /** Updates the time of the last change; returns false if the record is gone. */
  touch(tx: Transaction, id: number): Promise<boolean>;
}

const ISSUE = select('Issue', { id: true, iid: true, title: true, authorId: true, discussionLocked: true });
const SNIPPET = select('Snippet', { id: true, title: true, authorId: true });
const MERGE_REQUEST = select('MergeRequest', {
  id: true,
  iid: true,
  title: true,
  authorId: true,
  discussionLocked: true,
});

const KINDS: Record<NoteableType, Kind> = {
  Issue: {
    projectIdOf: async ({ db }, id) =>
      (await db.issue.findUnique({ where: { id }, select: { projectId: true } }))?.projectId,
    byId: (context, project, id) => findIssueById(context, project, id, ISSUE),
    byNumber: (context, project, iid) => findIssue(context, project, iid, ISSUE),
    touch: async (tx, id) => {
      const where = { id, deletedAt: null };
      return (await tx.issue.updateMany({ where, data: { updatedAt: new Date() } })).count > 0;
    },
  },
  MergeRequest: {
    projectIdOf: async ({ db }, id) =>
      (await db.mergeRequest.findUnique({ where: { id }, select: { targetProjectId: true } }))?.targetProjectId,
    byId: (context, project, id) => readable('MergeRequest', findMergeRequestById(context, project, id, MERGE_REQUEST)),
    byNumber: (context, project, iid) =>
      readable('MergeRequest', findMergeRequest(context, project, iid, MERGE_REQUEST)),
    touch: async (tx, id) =>
      (await tx.mergeRequest.updateMany({ where: { id }, data: { updatedAt: new Date() } })).count > 0,
  },
  Snippet: {
    projectIdOf: async ({ db }, id) =>
      (await db.snippet.findUnique({ where: { id }, select: { projectId: true } }))?.projectId,
    byId: snippet,
    byNumber: snippet,
    touch: async (tx, id) =>
      (await tx.snippet.updateMany({ where: { id }, data: { updatedAt: new Date() } })).count > 0,
  },
};

/** The record, if the actor can see it. Throws InsufficientScope, and NotFound for the record or its project. */
export async function locateNoteable(context: Context, ref: NoteableRef): Promise<Noteable> {
  readerOf(context);
  const { type } = ref;
  const kind = KINDS[type];
  if ('number' in ref) {
    const project = await findProject(context, ref.project);
    return { type, project, ...(await kind.byNumber(context, project, ref.number)) };
  }
  const projectId = await kind.projectIdOf(context, ref.id);
  // The project's existence is not revealed to those who cannot see it.
  const project = projectId == null ? null : await findProject(context, projectId).catch(none);
  if (!project) throw new NotFound(type);
  return { type, project, ...(await kind.byId(context, project, ref.id)) };
}

/** Updates the time of the record's last change, and keeps it from being deleted meanwhile. Throws NotFound if it is gone. */
export async function touchNoteable(tx: Transaction, { type, id }: Pick<Noteable, 'type' | 'id'>): Promise<void> {
  if (!(await KINDS[type].touch(tx, id))) throw new NotFound(type);
}

async function snippet(context: Context, project: ProjectRow, id: number): Promise<Found> {
  return { ...(await readable('Snippet', findProjectSnippet(context, project, id, SNIPPET))), iid: null };
}

/** Unreadable records count as missing here: throws NotFound instead of Forbidden. */
async function readable<R>(type: NoteableType, found: Promise<R>): Promise<R> {
  try {
    return await found;
  } catch (error) {
    throw error instanceof Forbidden ? new NotFound(type) : error;
  }
}

function none(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}
