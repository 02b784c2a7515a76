import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type CommitRow, findCommit, titleOf } from '#src/domain/repository/commits/find.ts';
import { storable } from '#src/domain/repository/push_data.ts';
import type { LineType } from '#src/domain/tracking/commits/comments_list.ts';
import { isLimit } from '#src/git/errors.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { lengthError } from '#src/platform/text.ts';

/** A new comment on a commit, and its line. */
export interface NewComment {
  note: string;
  path?: string | null | undefined;
  line?: number | null | undefined;
  lineType?: LineType | null | undefined;
}

interface LinePosition {
  path: string | null;
  line: number | null;
  lineType: LineType | null;
}

const NOWHERE: LinePosition = { path: null, line: null, lineType: null };
/** Bytes of the largest file whose lines can be commented on. */
const LARGEST_FILE = 20 * 1024 * 1024;

/**
 * Comments on a commit. The comment is attached to a line only if the commit is given by its full hash and the line exists
 * (rest-api-v4.md, Comment placement); otherwise to the commit. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function createCommitComment(
  context: Context,
  ref: IdOrPath,
  sha: string,
  { note, ...wanted }: NewComment,
): Promise<{ id: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_commit_comment', project);
  const commit = await findCommit(context, project, sha);
  if (note.trim() === '') throw new ValidationFailed({ note: ["can't be blank"] });
  const tooLong = lengthError(note);
  if (tooLong) throw new ValidationFailed({ note: [tooLong] });
  const place = sha === commit.oid ? await placeOf(commit, wanted) : NOWHERE;
  return context.db.$transaction(async (tx) => {
    const data = { projectId: project.id, authorId: actor.id, sha: commit.oid, note, ...place };
    const comment = await tx.commitComment.create({ data, select: { id: true } });
    const title = storable(titleOf(commit));
    await recordChange(tx, context, {
      type: 'commitCommented',
      author: actor,
      project,
      commentId: comment.id,
      title,
    });
    return comment;
  });
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
    const content = await repository.blob(entry.oid, LARGEST_FILE);
    return content !== null && line <= lineCount(content) ? { path, line, lineType } : NOWHERE;
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
