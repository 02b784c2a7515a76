import type { CommitCommented, NoteableType, NoteWritten } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import type { NoteAction } from '#src/domain/webhooks/payload/note.ts';
import { withPeople } from '#src/domain/webhooks/subject_facts.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

const IS_INTERNAL = sql`n.source_type IS NOT DISTINCT FROM ${INTERNAL}`;

/**
 * How to read the record of a note: its columns under their name in payloads, its project, and the kind of the event. Internal
 * notes and notes on confidential issues are sent to hooks that subscribe to these; notes on private snippets are not sent.
 */
const ON: Record<NoteableType, { name: string; join: Prisma.Sql; project: Prisma.Sql; kind: Prisma.Sql }> = {
  Issue: {
    name: 'issue',
    join: sql`JOIN issues r ON r.id = n.subject_id AND r.deleted_at IS NULL`,
    project: sql`r.project_id`,
    kind: sql`CASE WHEN r.confidential OR ${IS_INTERNAL} THEN 'confidential_note' ELSE 'note' END`,
  },
  MergeRequest: {
    name: 'mergeRequest',
    join: sql`JOIN merge_requests r ON r.id = n.subject_id`,
    project: sql`r.target_project_id`,
    kind: sql`CASE WHEN ${IS_INTERNAL} THEN 'confidential_note' ELSE 'note' END`,
  },
  Snippet: {
    name: 'snippet',
    join: sql`JOIN snippets r ON r.id = n.subject_id AND r.project_id IS NOT NULL AND r.visibility <> 'private'`,
    project: sql`r.project_id`,
    kind: sql`'note'`,
  },
};

/** Records the event of a new or edited note for hooks, in the transaction that writes it. */
export async function recordNoteEvent(
  tx: Transaction,
  { db }: ChangeContext,
  { noteable: { type }, noteId: id, text }: NoteWritten,
): Promise<void> {
  if (!(await hookSubscriptions(db, tx)).note) return;
  const { join, project, kind } = ON[type];
  await tx.$executeRaw`
    SELECT record_hook_event(${kind}, ${project}, ${noteFacts(type, text.from === null ? 'create' : 'update')})
    FROM notes n ${join} WHERE n.id = ${id} AND EXISTS (SELECT 1 FROM hooks_for(${kind}, ${project}))`;
}

/** A SQL expression for the facts of an event about the note `n` on the record `r` (NoteFacts). */
export function noteFacts(type: NoteableType, action: NoteAction): Prisma.Sql {
  const { name, project } = ON[type];
  const source = type === 'MergeRequest' ? sql`hook_project(r.source_project_id)` : sql`NULL`;
  return sql`jsonb_build_object('note', to_jsonb(n), 'user', hook_user(n.author_id), 'project', hook_project(${project}),
    ${name}::text, ${type === 'Snippet' ? sql`to_jsonb(r)` : withPeople(type, sql`r`)}, 'source', ${source}, 'action', ${action}::text,
    'thread', (SELECT to_jsonb(d) - 'diff_lines'
      FROM discussions d WHERE n.subject_type = 'MergeRequest' AND d.id = COALESCE(n.discussion_id, n.id)))`;
}

/** Records the event of a new or edited commit comment for hooks, in the transaction that writes it. */
export async function recordCommentEvent(
  tx: Transaction,
  { db }: ChangeContext,
  { commentId: id, isNew }: CommitCommented,
): Promise<void> {
  if (!(await hookSubscriptions(db, tx)).note) return;
  await tx.$executeRaw`
    SELECT record_hook_event('note', c.project_id, jsonb_build_object('comment', to_jsonb(c), 'user', hook_user(c.author_id),
      'project', hook_project(c.project_id), 'action', ${isNew ? 'create' : 'update'}::text))
    FROM commit_comments c WHERE c.id = ${id} AND EXISTS (SELECT 1 FROM hooks_for('note', c.project_id))`;
}
