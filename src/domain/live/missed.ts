import type { Actor } from '#src/access/permissions/actor.ts';
import { accessibleProjects } from '#src/access/permissions/visibility.ts';
import { type Change, STATES, type StateKind } from '#src/domain/live/change.ts';
import type { EventPosition } from '#src/domain/live/event_ids.ts';
import type { Topic } from '#src/domain/live/topic.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Maximum number of missed changes that are sent. */
export const MAX_MISSED_CHANGES = 1_000;

/** Maximum number of seconds between writing and committing a change (src/platform/database/db.ts), plus a margin. */
const LATE = 35;

/** The events of a topic after a position, oldest first; MAX_MISSED_CHANGES + 1 of them if there are more. */
export async function missedEvents(
  db: Db,
  topic: Topic | null,
  { after, open }: EventPosition,
  actor: Actor | null,
): Promise<Change[]> {
  const rows = await db.$queryRaw<{ id: number; projectId: number }[]>`
    SELECT t.id, t.project_id AS "projectId" FROM events t
    WHERE (t.id > ${after} OR t.id = ANY(${open}::int[])) AND t.project_id IS NOT NULL AND ${within(topic, actor)}
    ORDER BY t.id LIMIT ${MAX_MISSED_CHANGES + 1}`;
  return rows.map((row) => ({ ...row, kind: 'event', cursor: null }));
}

/**
 * The records of a topic that changed since a moment, in order of change. Includes those that changed shortly before, as their
 * transaction may have committed later: their state is sent again.
 *
 * @param after the cursor of all changes but the last one
 */
export async function missedStates(
  db: Db,
  kind: StateKind,
  topic: Topic | null,
  since: Prisma.Sql,
  actor: Actor | null,
  after: string | null = null,
): Promise<Change[]> {
  const table = Prisma.raw(STATES[kind].table);
  const project = Prisma.raw(`t.${STATES[kind].project}`);
  const rows = await db.$queryRaw<{ id: number; projectId: number; now: Date }[]>`
    SELECT t.id, ${project} AS "projectId", now() AS now FROM ${table} t
    WHERE t.updated_at >= ${since} - make_interval(secs => ${LATE}) AND ${within(topic, actor, project)}
    ORDER BY t.updated_at, t.id LIMIT ${MAX_MISSED_CHANGES + 1}`;
  // If the client disconnects before the last of them, it gets them all again.
  return rows.map(({ id, projectId, now }, index) => {
    return { kind, id, projectId, cursor: index === rows.length - 1 ? now.toISOString() : after };
  });
}

/** The newest event, and the IDs shortly before it that may still arrive. */
export async function newestEvents(db: Db): Promise<EventPosition> {
  const rows = await db.$queryRaw<{ id: number }[]>`SELECT id FROM events ORDER BY id DESC LIMIT 200`;
  const [newest, oldest] = [rows[0]?.id ?? 0, rows.at(-1)?.id ?? 0];
  const there = new Set(rows.map(({ id }) => id));
  const open: number[] = [];
  for (let id = Math.max(oldest, newest - 200); id < newest; id++) if (!there.has(id)) open.push(id);
  return { after: newest, open };
}

/** The size of a job's output in bytes. */
export async function traceEnd(db: Db, jobId: number): Promise<number> {
  const [end] = await db.$queryRaw<[{ end: number }]>`
    SELECT COALESCE((SELECT size FROM job_traces WHERE job_id = ${jobId}),
      (SELECT position + length(content) FROM job_trace_chunks WHERE job_id = ${jobId} ORDER BY position DESC LIMIT 1),
      0)::float8 AS "end"`;
  return end.end;
}

/** Whether the record under the alias `t` belongs to a topic; visibility is checked when it is read. */
function within(topic: Topic | null, actor: Actor | null, project = sql`t.project_id`): Prisma.Sql {
  if (topic?.scope === 'project') return sql`${project} = ${topic.id}`;
  if (topic?.scope === 'group') {
    return sql`${project} = ANY(ARRAY(SELECT p.id FROM projects p WHERE p.namespace_id = ANY(ARRAY(
      SELECT n.id FROM namespaces n WHERE n.lineage @> ARRAY[${topic.id}]::int[]))))`;
  }
  if (topic?.scope === 'viewer' && actor) return sql`${project} = ANY(ARRAY(${accessibleProjects(actor)}))`;
  return topic === null ? sql`TRUE` : sql`FALSE`;
}
