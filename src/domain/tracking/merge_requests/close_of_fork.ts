import { type ChangeContext, recordSubjectChanges } from '#src/domain/changes/record.ts';
import { ErrorCollector } from '#src/domain/repository/each.ts';
import type { Jobs } from '#src/platform/background/queue.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Records that merge requests were closed because they lost their fork. `since`: when that was, ISO 8601. */
    'merge_requests.closed': { mergeRequestIds: number[]; userId: number; since: string };
  }
}

const { sql } = Prisma;

/** How many are recorded per job. */
const BATCH_SIZE = 100;

/**
 * Closes the open merge requests of a fork that may no longer be merged, in the transaction of that change and after it: all of
 * them if it was detached, otherwise those whose target is visible to more people than the fork. Takes one statement, however
 * many there are; a job records the changes.
 */
export async function closeOfFork(
  tx: Transaction,
  { jobs }: ChangeContext,
  actor: { id: number },
  { id, whose }: { id: number; whose: 'all' | 'targets seen by more' },
): Promise<void> {
  const isConcerned = whose === 'all' ? sql`TRUE` : sql`target.visibility > fork.visibility`;
  const closed = await tx.$queryRaw<{ id: number; since: string }[]>`
    UPDATE merge_requests m SET state = 'closed', merge_when_pipeline_succeeds = false, updated_at = now(),
      closed_by_id = (SELECT u.id FROM users u WHERE u.id = ${actor.id})
    FROM projects fork, projects target
    WHERE m.source_project_id = ${id} AND m.state = 'opened' AND fork.id = ${id} AND target.id = m.target_project_id
      AND target.id <> fork.id AND ${isConcerned}
    RETURNING m.id, to_json(now())#>>'{}' AS since`;
  const ids = closed.map((one) => one.id).sort((a, b) => a - b);
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const mergeRequestIds = ids.slice(at, at + BATCH_SIZE);
    const since = closed[0]?.since ?? '';
    await jobs?.enqueue(tx, 'merge_requests.closed', { mergeRequestIds, userId: actor.id, since });
  }
}

/** Records merge requests that were closed this way: once each, unless reopened meanwhile. */
export async function recordClosed(
  stores: ChangeContext,
  { mergeRequestIds, userId, since }: Jobs['merge_requests.closed'],
): Promise<void> {
  const each = new ErrorCollector('merge requests');
  await each.run(mergeRequestIds, (id) => stores.db.$transaction((tx) => tell(tx, stores, { id, userId, since })));
  each.end();
}

interface Closed {
  iid: number;
  title: string;
  projectId: number;
  fullPath: string;
  actorId: number;
}

async function tell(
  tx: Transaction,
  stores: ChangeContext,
  { id, userId, since }: { id: number; userId: number; since: string },
): Promise<void> {
  const [found] = await tx.$queryRaw<Closed[]>`
    SELECT m.iid, m.title, p.id AS "projectId", n.full_path || '/' || p.path AS "fullPath",
      COALESCE((SELECT u.id FROM users u WHERE u.id = ${userId}), m.author_id) AS "actorId"
    FROM merge_requests m JOIN projects p ON p.id = m.target_project_id AND p.deleted_at IS NULL
    JOIN namespaces n ON n.id = p.namespace_id
    WHERE m.id = ${id} AND m.state = 'closed' FOR UPDATE OF m`;
  const isTold = await tx.event.count({
    where: { targetType: 'MergeRequest', targetId: id, action: 'closed', createdAt: { gte: new Date(since) } },
    take: 1,
  });
  if (!found || isTold > 0) return;
  const { iid, title, projectId, fullPath, actorId } = found;
  const subject = { type: 'MergeRequest', id, iid, title, project: { id: projectId, fullPath } } as const;
  await recordSubjectChanges(tx, stores, { id: actorId }, subject, [{ kind: 'closed' }]);
}
