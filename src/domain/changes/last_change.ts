import type { Change, ChangeKind, LastChange, Subject } from '#src/domain/changes/change.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** What changes nothing of the record itself, or leaves none. */
const NO_UPDATES: ReadonlySet<ChangeKind> = new Set([
  'opened',
  'deleted',
  'approved',
  'unapproved',
  'approvalsReset',
  'changesRequested',
  'reviewRequestedAgain',
  'commits',
  'suggestionsApplied',
  'sourceBranchDeleted',
  'discussionsResolved',
  'discussionsContinued',
  'linked',
  'unlinked',
  'movedFrom',
]);

const EDITS: ReadonlySet<ChangeKind> = new Set(['title', 'description']);

/**
 * Writes who changed an issue or merge request, and who edited its texts and when, in the transaction of the changes. Returns what was known
 * of that before and is now, as one more change, if that differs.
 */
export async function writeLastChange(
  tx: Transaction,
  actor: { id: number },
  { type, id }: Subject,
  changes: readonly Change[],
): Promise<Change[]> {
  if (changes.every(({ kind }) => NO_UPDATES.has(kind))) return [];
  const subjects = type === 'Issue' ? sql`issues` : sql`merge_requests`;
  const isEdited = changes.some(({ kind }) => EDITS.has(kind));
  const edit = sql`, last_edited_by_id = ${actor.id}, last_edited_at = now()`;
  const [written] = await tx.$queryRaw<{ from: LastChange; to: LastChange }[]>`
    WITH before AS MATERIALIZED (
      SELECT id, updated_by_id, last_edited_by_id, last_edited_at FROM ${subjects} WHERE id = ${id} FOR UPDATE)
    UPDATE ${subjects} s SET updated_by_id = ${actor.id}${isEdited ? edit : Prisma.empty} FROM before b
    WHERE s.id = b.id AND (${isEdited} OR b.updated_by_id IS DISTINCT FROM ${actor.id})
    RETURNING ${lastChangeOf(sql`b`)} AS "from", ${lastChangeOf(sql`s`)} AS "to"`;
  return written ? [{ kind: 'lastChange', ...written }] : [];
}

function lastChangeOf(row: Prisma.Sql): Prisma.Sql {
  return sql`jsonb_build_object('updatedById', ${row}.updated_by_id, 'lastEditedById', ${row}.last_edited_by_id,
    'lastEditedAt', ${row}.last_edited_at)`;
}
