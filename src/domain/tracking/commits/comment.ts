import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { visibleProject } from '#src/domain/projects/holding.ts';
import { type CommitRow, findCommit, titleOf } from '#src/domain/repository/find_commit.ts';
import { storable } from '#src/domain/repository/push_data.ts';
import type { LineType } from '#src/domain/tracking/commits/comments_list.ts';
import { findCommitNote } from '#src/domain/tracking/commits/discussions.ts';
import { detailsOf, type GivenPosition, LineMissing } from '#src/domain/tracking/discussions/position.ts';
import { permittedTimestamp } from '#src/domain/tracking/issues/attributes.ts';
import { isLimit } from '#src/git/base/errors.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** A new comment on a commit, its line and its thread. */
export interface NewComment {
  note: string;
  path?: string | null | undefined;
  line?: number | null | undefined;
  lineType?: LineType | null | undefined;
  /** Its line in the form of threads on lines of merge requests, in place of the three before; the commit must have it. */
  position?: GivenPosition | null | undefined;
  /** Whether it starts a thread. */
  startDiscussion?: boolean | null | undefined;
  /** The thread that it replies to. */
  discussionId?: number | null | undefined;
  /** Accepted from administrators and owners of the personal namespace. */
  createdAt?: Date | null | undefined;
  /** Whether to skip a time that the actor may not set, without an error. */
  ignoreForbidden?: boolean | undefined;
}

interface LinePosition {
  path: string | null;
  line: number | null;
  lineType: LineType | null;
  position?: Prisma.InputJsonObject;
}

/** Identifies a new or edited comment, its commit, and its thread. */
export interface ChangedComment {
  id: number;
  commit: CommitRow;
  discussionId: number;
}

const NOWHERE: LinePosition = { path: null, line: null, lineType: null };
/** Bytes of the largest file whose lines can be commented on. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/**
 * Comments on a commit. With path and line, the comment is attached to the line only if the commit is given by its full hash and
 * the line exists (rest-api-v4.md, Comment placement); otherwise to the commit. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function createCommitComment(
  context: Context,
  ref: IdOrPath,
  sha: string,
  { note, position, startDiscussion, discussionId, createdAt: at, ignoreForbidden, ...wanted }: NewComment,
): Promise<ChangedComment> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_commit_comment', project);
  const commit = await findCommit(context, project, sha);
  checkNote(note);
  const createdAt = permittedTimestamp(actor, project, 'createdAt', { at, ignoreForbidden }) ?? new Date();
  const place = position
    ? await placeAt(commit, position)
    : sha === commit.oid
      ? await placeOf(commit, wanted)
      : NOWHERE;
  const id = await context.db.$transaction(async (tx) => {
    const answered = discussionId == null ? null : await answeredComment(tx, commit, discussionId);
    const data = {
      ...{ projectId: project.id, authorId: actor.id, sha: commit.oid, note, createdAt },
      ...(answered ?? { ...place, startsThread: startDiscussion === true }),
    };
    const comment = await tx.commitComment.create({ data, select: { id: true } });
    await recordComment(tx, context, commit, { id: comment.id, authorId: actor.id, isNew: true });
    return comment.id;
  });
  return { id, commit, discussionId: discussionId ?? id };
}

/** Identifies a comment on a commit; if a thread is given, it must be in there. */
export interface CommentRef {
  project: IdOrPath;
  sha: string;
  id: number;
  discussionId?: number | null | undefined;
}

/** A comment by its ID, with the project and the commit that it must be on; any when absent. */
interface HeldComment extends Omit<CommentRef, 'project' | 'sha'> {
  project?: IdOrPath | null | undefined;
  sha?: string | null | undefined;
}

/**
 * The comment with the commit that it is on. What is given is looked up by the command that receives it. Throws InsufficientScope,
 * NotFound for a comment that does not exist or that the actor may not know of.
 */
export async function commitHolding(context: Context, { project, sha, ...rest }: HeldComment): Promise<CommentRef> {
  if (project != null && sha != null) return { ...rest, project, sha };
  readerOf(context);
  const select = { projectId: true, sha: true };
  const comment = await context.db.commitComment.findUnique({ where: { id: rest.id }, select });
  const projectId = await visibleProject(context, 'Note', comment?.projectId);
  return { ...rest, project: project ?? projectId, sha: sha ?? comment?.sha ?? '' };
}

/** Edits a comment on a commit, for its author and masters. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateCommitComment(context: Context, ref: CommentRef, note: string): Promise<ChangedComment> {
  const { actor, commit, discussionId } = await changeable(context, ref);
  checkNote(note);
  const { id } = ref;
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.commitComment.updateMany({ where: { id }, data: { note, updatedAt: new Date() } });
    if (count === 0) throw new NotFound('Note');
    await recordComment(tx, context, commit, { id, authorId: actor.id, isNew: false });
  });
  return { id, commit, discussionId };
}

/** Deletes a comment on a commit, for its author and masters. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteCommitComment(context: Context, ref: CommentRef): Promise<{ id: number }> {
  await changeable(context, ref);
  const { id } = ref;
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.commitComment.deleteMany({ where: { id } });
    if (count === 0) throw new NotFound('Note');
    await recordChange(tx, context, { type: 'commitCommentDeleted', commentId: id });
  });
  return { id };
}

const CHANGEABLE = select('Note', { id: true, authorId: true, discussionId: true });

async function changeable(context: Context, { project: ref, sha, id, discussionId }: CommentRef) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  const commit = await findCommit(context, project, sha);
  const note = await findCommitNote(context, commit, id, CHANGEABLE, discussionId);
  if (note.authorId !== actor.id && !can(actor, 'admin_note', project)) throw new Forbidden();
  return { actor, commit, discussionId: note.discussionId ?? id };
}

/** What a reply gets from its thread: it is on the same line. Throws NotFound. */
async function answeredComment(tx: Transaction, { project, oid: sha }: CommitRow, discussionId: number) {
  const where = { projectId: project.id, sha, OR: [{ id: discussionId, discussionId: null }, { discussionId }] };
  const select = { id: true, path: true, line: true, lineType: true, position: true } as const;
  const first = await tx.commitComment.findFirst({ where, select, orderBy: { id: 'asc' } });
  if (!first) throw new NotFound('Discussion');
  await tx.commitComment.updateMany({ where: { id: first.id, startsThread: false }, data: { startsThread: true } });
  const { id: _, position, ...place } = first;
  return { ...place, position: position ?? Prisma.DbNull, discussionId };
}

function checkNote(note: string): void {
  const wrong = note.trim() === '' ? "can't be blank" : lengthError(note);
  if (wrong) throw new ValidationFailed({ note: [wrong] });
}

async function recordComment(
  tx: Transaction,
  context: Context,
  commit: CommitRow,
  { id: commentId, authorId, isNew }: { id: number; authorId: number; isNew: boolean },
): Promise<void> {
  const { project } = commit;
  const title = storable(titleOf(commit));
  await recordChange(tx, context, {
    type: 'commitCommented',
    author: { id: authorId },
    project,
    commentId,
    title,
    isNew,
  });
}

/** The line or file that a position names. Throws ValidationFailed if the commit has no such line. */
async function placeAt(commit: CommitRow, given: GivenPosition): Promise<LinePosition> {
  const lineType = given.newLine != null || given.oldLine == null ? 'new' : 'old';
  const path = (lineType === 'new' ? (given.newPath ?? given.oldPath) : (given.oldPath ?? given.newPath)) ?? null;
  if (path === null) throw new ValidationFailed({ new_path: ["can't be blank"] });
  const [oldPath, newPath] = [given.oldPath ?? path, given.newPath ?? path];
  const parent = commit.parents[0] ?? null;
  const shas = { baseSha: parent, startSha: parent ?? commit.oid, headSha: commit.oid, oldPath, newPath };
  const position = { ...shas, ...detailsOf(given), oldLine: given.oldLine ?? null, newLine: given.newLine ?? null };
  if (position.positionType !== 'text') {
    if (!(await hasFile(commit, { oldPath, newPath }))) throw new LineMissing('new_path');
    return { path, line: null, lineType: null, position };
  }
  const line = given.newLine ?? given.oldLine;
  const place = line == null ? NOWHERE : await placeOf(commit, { path, line, lineType });
  if (place.path === null) throw new LineMissing(lineType === 'new' ? 'new_line' : 'old_line');
  return { ...place, position };
}

/** Whether a file is there in the commit, or was before it. */
async function hasFile(
  { repository, oid, parents: [parent] }: CommitRow,
  { oldPath, newPath }: { oldPath: string; newPath: string },
): Promise<boolean> {
  const found = await repository.entry(oid, newPath);
  if (found !== null) return found.type !== 'tree';
  const before = parent === undefined ? null : await repository.entry(parent, oldPath);
  return before !== null && before.type !== 'tree';
}

/** The requested line, if the file has it in the commit or before. */
async function placeOf(
  { repository, oid, parents }: CommitRow,
  { path, line, lineType }: Omit<NewComment, 'note'>,
): Promise<LinePosition> {
  if (!path || !line || !lineType || line < 1) return NOWHERE;
  const side = lineType === 'new' ? oid : parents[0];
  const entry = side === undefined ? null : await repository.entry(side, path);
  if (entry?.type !== 'blob') return NOWHERE;
  try {
    const content = await repository.blob(entry.oid, MAX_FILE_BYTES);
    if (content === null || line > lineCount(content)) return NOWHERE;
    const parent = parents[0] ?? null;
    const shas = { baseSha: parent, startSha: parent ?? oid, headSha: oid, oldPath: path, newPath: path };
    const [oldLine, newLine] = lineType === 'new' ? [null, line] : [line, null];
    return { path, line, lineType, position: { ...shas, positionType: 'text', oldLine, newLine } };
  } catch (error) {
    if (isLimit(error, 'size')) return NOWHERE;
    throw error;
  }
}

function lineCount(content: Buffer): number {
  let count = content.length > 0 && content.at(-1) !== 10 ? 1 : 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++;
  return count;
}
