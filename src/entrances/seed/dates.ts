import { coveredSeconds } from '#src/domain/changes/pipeline_status.ts';
import type { Mark } from '#src/entrances/seed/clock.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql, raw } = Prisma;

/** The owners of the records to backdate. */
export interface Owners {
  users: readonly number[];
  namespaces: readonly number[];
  projects: readonly number[];
  topics: readonly number[];
}

type AllOwners = Owners & { mergeRequests: readonly number[]; jobs: readonly number[] };

/** The timestamp columns of each table, and how its rows belong to the owners. */
const DATED: readonly { table: string; columns: string; of: keyof AllOwners; by: string }[] = [
  { table: 'users', columns: 'created_at updated_at confirmed_at password_expires_at', of: 'users', by: 'id' },
  { table: 'emails', columns: 'created_at confirmed_at', of: 'users', by: 'user_id' },
  { table: 'ssh_keys', columns: 'created_at', of: 'users', by: 'user_id' },
  { table: 'personal_access_tokens', columns: 'created_at', of: 'users', by: 'user_id' },
  { table: 'oauth_applications', columns: 'created_at updated_at', of: 'users', by: 'owner_id' },
  { table: 'namespaces', columns: 'created_at updated_at', of: 'namespaces', by: 'id' },
  { table: 'members', columns: 'created_at', of: 'namespaces', by: 'namespace_id' },
  { table: 'members', columns: 'created_at', of: 'projects', by: 'project_id' },
  { table: 'access_requests', columns: 'requested_at', of: 'namespaces', by: 'namespace_id' },
  { table: 'access_requests', columns: 'requested_at', of: 'projects', by: 'project_id' },
  { table: 'projects', columns: 'created_at updated_at last_activity_at', of: 'projects', by: 'id' },
  { table: 'project_stars', columns: 'created_at', of: 'projects', by: 'project_id' },
  { table: 'events', columns: 'created_at', of: 'projects', by: 'project_id' },
  { table: 'labels', columns: 'created_at updated_at', of: 'projects', by: 'project_id' },
  { table: 'milestones', columns: 'created_at updated_at', of: 'projects', by: 'project_id' },
  { table: 'issues', columns: 'created_at updated_at', of: 'projects', by: 'project_id' },
  { table: 'protected_branches', columns: 'created_at', of: 'projects', by: 'project_id' },
  { table: 'releases', columns: 'created_at updated_at released_at', of: 'projects', by: 'project_id' },
  { table: 'commit_comments', columns: 'created_at', of: 'projects', by: 'project_id' },
  { table: 'variables', columns: 'created_at updated_at', of: 'projects', by: 'project_id' },
  { table: 'triggers', columns: 'created_at updated_at last_used_at', of: 'projects', by: 'project_id' },
  { table: 'environments', columns: 'created_at updated_at', of: 'projects', by: 'project_id' },
  { table: 'deployments', columns: 'created_at updated_at finished_at', of: 'projects', by: 'project_id' },
  {
    table: 'jobs',
    columns: 'created_at updated_at queued_at started_at finished_at erased_at',
    of: 'projects',
    by: 'project_id',
  },
  {
    table: 'pipelines',
    columns: 'created_at updated_at started_at finished_at',
    of: 'projects',
    by: 'project_id',
  },
  {
    table: 'merge_requests',
    columns: 'created_at updated_at closed_at merged_at finished_at',
    of: 'projects',
    by: 'target_project_id',
  },
  { table: 'label_events', columns: 'created_at', of: 'users', by: 'user_id' },
  { table: 'milestone_events', columns: 'created_at', of: 'users', by: 'user_id' },
  { table: 'state_events', columns: 'created_at', of: 'users', by: 'user_id' },
  { table: 'merge_request_reviewers', columns: 'created_at', of: 'mergeRequests', by: 'merge_request_id' },
  { table: 'merge_request_approvals', columns: 'created_at', of: 'mergeRequests', by: 'merge_request_id' },
  { table: 'discussions', columns: 'resolved_at', of: 'mergeRequests', by: 'merge_request_id' },
  { table: 'merge_request_versions', columns: 'created_at', of: 'mergeRequests', by: 'merge_request_id' },
  { table: 'notes', columns: 'created_at updated_at', of: 'users', by: 'author_id' },
  { table: 'award_emoji', columns: 'created_at updated_at', of: 'users', by: 'user_id' },
  { table: 'todos', columns: 'created_at updated_at', of: 'users', by: 'user_id' },
  { table: 'topics', columns: 'created_at', of: 'topics', by: 'id' },
  { table: 'job_traces', columns: 'updated_at', of: 'jobs', by: 'job_id' },
  // Each is of one place at most.
  { table: 'audit_events', columns: 'created_at', of: 'projects', by: 'project_id' },
  { table: 'audit_events', columns: 'created_at', of: 'namespaces', by: 'group_id' },
  { table: 'audit_events', columns: 'created_at', of: 'users', by: 'user_id' },
  { table: 'snippets', columns: 'created_at updated_at', of: 'users', by: 'author_id' },
];

/** Replaces the times at which the records of these owners were written by the moments of the history. */
export async function backdateRecords(db: Db, marks: readonly Mark[], owners: Owners): Promise<void> {
  await db.$transaction(async (tx) => {
    const targetProjectId = { in: [...owners.projects] };
    const found = await tx.mergeRequest.findMany({ where: { targetProjectId }, select: { id: true } });
    const ofProjects = { where: { projectId: targetProjectId }, select: { id: true } };
    const jobs = (await tx.job.findMany(ofProjects)).map(({ id }) => id);
    const all: AllOwners = { ...owners, mergeRequests: found.map(({ id }) => id), jobs };
    for (const { table, columns, of, by } of DATED) {
      const told = columns.split(' ').map((column) => sql`${raw(column)} = ${moved(marks, column)}`);
      await tx.$executeRaw`UPDATE ${raw(table)} SET ${Prisma.join(told)} WHERE ${raw(by)} = ANY(${[...all[of]]}::int[])`;
    }
    await measurePipelines(tx, owners.projects);
    // Recorded to the minute with events, which were written within seconds.
    await tx.$executeRaw`UPDATE projects SET last_activity_at = (SELECT max(e.created_at) FROM events e WHERE e.project_id = projects.id)
      WHERE id = ANY(${[...owners.projects]}::int[])`;
  });
}

/** The moment of the history that corresponds to the time in a column; null stays null. */
function moved(marks: readonly Mark[], column: string): Prisma.Sql {
  const written = marks.map((mark) => (Number.isFinite(mark.written) ? new Date(mark.written) : new Date(0)));
  const told = marks.map((mark) => new Date(mark.told));
  return sql`(SELECT m.told FROM unnest(${written}::timestamptz[], ${told}::timestamptz[]) AS m (written, told)
    WHERE m.written <= ${raw(column)} ORDER BY m.written DESC LIMIT 1)`;
}

/** The durations of pipelines follow from the times of their jobs. */
async function measurePipelines(tx: Transaction, projects: readonly number[]): Promise<void> {
  const pipelines = await tx.pipeline.findMany({
    where: { projectId: { in: [...projects] }, duration: { not: null } },
    select: {
      id: true,
      jobs: { where: { retried: false }, select: { startedAt: true, finishedAt: true } },
    },
  });
  const measured = pipelines.map(({ id, jobs }) => {
    const spans = jobs.flatMap(({ startedAt: from, finishedAt: to }) => (from && to ? [{ from: +from, to: +to }] : []));
    return { id, seconds: coveredSeconds(spans) };
  });
  await tx.$executeRaw`UPDATE pipelines SET duration = m.seconds
    FROM jsonb_to_recordset(${JSON.stringify(measured)}::jsonb) AS m (id int, seconds int) WHERE m.id = pipelines.id`;
}
