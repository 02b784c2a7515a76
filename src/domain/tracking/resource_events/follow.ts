import type { Change, Source, Subject } from '#src/domain/changes/change.ts';
import type { Follower } from '#src/domain/changes/record.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Writes the events of labels, milestones and states of issues and merge requests, one per change. */
export const resourceEvents: Follower = {
  async subjectChanged(tx, _context, { actor, subject, changes }) {
    for (const change of changes) await writeEvents(tx, actor, subject, change);
  },
  async milestoneChanged(tx, _context, { actor, milestone, action }) {
    if (action !== 'destroyed') return;
    for (const { subjects, subjectId } of Object.values(TABLES)) {
      await tx.$executeRaw`
        INSERT INTO milestone_events (${subjectId}, user_id, action, milestone_id, state)
        SELECT id, ${actor.id}, 'remove', milestone_id, state::text::merge_request_state FROM ${subjects}
        WHERE milestone_id = ${milestone.id} ORDER BY id`;
    }
  },
};

/** Whether a change of a record is written as an event, which then says what a system note says in words. */
export function isEvent({ kind }: Change): boolean {
  return kind === 'labels' || kind === 'milestone' || kind === 'closed' || kind === 'reopened' || kind === 'merged';
}

/** The tables of a subject: its own, that of its labels, and the column that refers to it in these and in events. */
const TABLES = {
  Issue: { subjects: sql`issues`, labels: sql`issue_labels`, subjectId: sql`issue_id` },
  MergeRequest: { subjects: sql`merge_requests`, labels: sql`merge_request_labels`, subjectId: sql`merge_request_id` },
} as const;

async function writeEvents(
  tx: Transaction,
  { id: userId }: { id: number },
  { type, id }: Subject,
  change: Change,
): Promise<void> {
  const { subjects, labels, subjectId } = TABLES[type];
  const milestoneEvents = sql`INSERT INTO milestone_events (${subjectId}, user_id, action, milestone_id, state)`;
  switch (change.kind) {
    case 'opened':
      // What it was created with.
      await tx.$executeRaw`
        WITH labelled AS (INSERT INTO label_events (${subjectId}, user_id, action, label_id)
          SELECT ${id}, ${userId}, 'add', label_id FROM ${labels} WHERE ${subjectId} = ${id} ORDER BY label_id)
        ${milestoneEvents} SELECT id, ${userId}, 'add', milestone_id, state::text::merge_request_state FROM ${subjects}
          WHERE id = ${id} AND milestone_id IS NOT NULL`;
      return;
    case 'labels':
      await tx.$executeRaw`
        INSERT INTO label_events (${subjectId}, user_id, action, label_id)
        SELECT ${id}, ${userId}, CASE WHEN id = ANY(${[...change.added]}::int[]) THEN 'add' ELSE 'remove' END::resource_event_action, id
        FROM labels WHERE id = ANY(${[...change.added, ...change.removed]}::int[]) ORDER BY id`;
      return;
    case 'milestone':
      await tx.$executeRaw`
        ${milestoneEvents} SELECT r.id, ${userId}, ${change.to === null ? 'remove' : 'add'}::resource_event_action, m.id,
          r.state::text::merge_request_state FROM ${subjects} r
          LEFT JOIN milestones m ON m.id = ${change.to ?? change.from} WHERE r.id = ${id}`;
      return;
    case 'closed':
    case 'reopened':
    case 'merged': {
      const source = await sourceOf(tx, change.kind === 'closed' ? change.via : undefined);
      const on = type === 'Issue' ? { issueId: id } : { mergeRequestId: id };
      await tx.stateEvent.create({ data: { ...on, userId, state: change.kind, ...source } });
    }
  }
}

/** What closed an issue. A merge commit says what the merge closes: it stands for its merge request. */
async function sourceOf(tx: Transaction, via: Source | undefined) {
  if (via?.type === 'MergeRequest') return { sourceMergeRequestId: via.id };
  if (via?.type !== 'Commit') return {};
  const [merged] = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM merge_requests WHERE target_project_id = ${via.project.id} AND state = 'merged'
      AND updated_at > now() - interval '1 day' AND merge_commit_sha = ${via.sha} LIMIT 1`;
  return merged ? { sourceMergeRequestId: merged.id } : { sourceCommit: via.sha };
}
