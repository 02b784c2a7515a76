import type { Context } from '#src/access/permissions/actor.ts';
import { milestoneTitled } from '#src/domain/tracking/milestones/list.ts';
import { Prisma } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Writes the events of changes that servers of earlier versions made, which recorded none. */
    'resource_events.record_past': Record<string, never>;
  }
}

const { sql } = Prisma;

/** How many notes are read per transaction. */
const BATCH_SIZE = 500;

/** In how many earlier ones what a note does not tell is searched for. */
const MAX_EARLIER_NOTES = 1000;

/**
 * Writes the events of labels, milestones and states of the time before they were recorded, as system notes tell them. Notes are read
 * in batches by ID, each in one transaction with how far they have been read, so a job that is broken off goes on there, and none is
 * read twice. It is over a day after the upgrade: until then there may be servers of the version before.
 */
export async function recordPastEvents({ db }: Pick<Context, 'db'>): Promise<void> {
  while (await recordBatch(db));
}

/** Returns whether there may be more. */
async function recordBatch(db: Context['db']): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const [read] = await tx.$queryRaw<{ after: number }[]>`
      SELECT last_note_id AS after FROM past_resource_events FOR UPDATE`;
    if (!read) return false;
    const [{ last }] = await tx.$queryRaw<[{ last: number | null }]>`
      SELECT max(id) AS last FROM (SELECT id FROM notes WHERE id > ${read.after} ORDER BY id LIMIT ${BATCH_SIZE}) n`;
    if (last === null) {
      await tx.$executeRaw`DELETE FROM past_resource_events WHERE recorded_since < now() - interval '1 day'`;
      return false;
    }
    await tx.$executeRaw(eventsOfNotes(read.after, last));
    await tx.$executeRaw(markNotes(read.after, last));
    await tx.$executeRaw`UPDATE past_resource_events SET last_note_id = ${last}`;
    return true;
  });
}

const SINCE = sql`(SELECT recorded_since FROM past_resource_events)`;
/** The note of a moved issue also stands for closing it. */
const STATES = sql`'^(closed|reopened|merged|closed via .*|moved to .*)$'`;
/** The latest system notes on the subject of a note of `past`, up to it. */
const LATEST = sql`(SELECT b.id, b.body FROM notes b WHERE b.subject_type = past.subject_type AND b.subject_id = past.subject_id
  AND b.id <= past.id AND b.system ORDER BY b.id DESC LIMIT ${MAX_EARLIER_NOTES}) b`;

const STATE_BEFORE = sql`COALESCE((
  SELECT CASE b.body WHEN 'reopened' THEN 'opened' WHEN 'merged' THEN 'merged' ELSE 'closed' END FROM ${LATEST}
  WHERE b.id < past.id AND b.body ~ ${STATES} ORDER BY b.id DESC LIMIT 1), 'opened')`;

/** The title in the latest note about a milestone, be it this one. A note that it was removed does not name it. */
const MILESTONE_TITLE = sql`(
  SELECT substring(b.body FROM '^changed milestone to %"(.*)"$') FROM ${LATEST}
  WHERE b.body LIKE 'changed milestone to %' ORDER BY b.id DESC LIMIT 1)`;

/** The merge request that closed an issue, or whose merge commit did. */
const SOURCE = sql`(CASE split_part(past.mention, ' ', 2)
  WHEN 'MergeRequest' THEN (SELECT r.id FROM merge_requests r WHERE r.id = split_part(past.mention, ' ', 3)::int)
  WHEN 'Commit' THEN (SELECT r.id FROM merge_requests r WHERE r.merge_commit_sha = split_part(past.mention, ' ', 4)
    AND r.target_project_id = split_part(past.mention, ' ', 3)::int AND r.state = 'merged' LIMIT 1) END)`;

/** Whether an event is of the time of a note of `past`: the two of a change have their times from different clocks. */
const isBeside = sql`e.created_at BETWEEN past.created_at - interval '1 minute' AND past.created_at + interval '1 minute'`;

/** Whether a note of `past` tells a change without an event. */
function isUnrecorded(events: Prisma.Sql): Prisma.Sql {
  return sql`(past.created_at < ${SINCE} OR NOT EXISTS (SELECT 1 FROM ${events} e
    WHERE (e.issue_id = past.issue_id OR e.merge_request_id = past.merge_request_id) AND ${isBeside}))`;
}

/** The labels in a part of a note such as `added ~1 ~2 and removed ~3 labels`. */
function labelsIn(part: 1 | 2, action: 'add' | 'remove'): Prisma.Sql {
  return sql`SELECT ${action}::resource_event_action AS action, named[1]::bigint AS id
    FROM regexp_matches(split_part(past.body, 'removed', ${part}), '~([0-9]{1,10})', 'g') named`;
}

/**
 * The statement that writes the events of the system notes after one up to another. Notes that came with a moved issue tell what
 * happened to the issue where it was.
 */
function eventsOfNotes(after: number, last: number): Prisma.Sql {
  return sql`
    WITH past AS MATERIALIZED (
      SELECT n.*, i.id AS issue_id, m.id AS merge_request_id, COALESCE(i.project_id, m.target_project_id) AS project_id, u.id AS user_id
      FROM notes n
        LEFT JOIN issues i ON n.subject_type = 'Issue' AND i.id = n.subject_id
        LEFT JOIN merge_requests m ON n.subject_type = 'MergeRequest' AND m.id = n.subject_id
        LEFT JOIN users u ON u.id = n.author_id AND NOT u.ghost
        LEFT JOIN (SELECT b.subject_id, max(b.id) AS id FROM notes b
          WHERE b.subject_type = 'Issue' AND b.system AND b.body LIKE 'moved from %'
            AND b.subject_id IN (SELECT subject_id FROM notes WHERE id > ${after} AND id <= ${last})
          GROUP BY b.subject_id) moved ON moved.subject_id = i.id
      WHERE n.id > ${after} AND n.id <= ${last} AND n.system AND n.body ~ '^(added|removed|changed milestone|closed|reopened|merged|moved)'
        AND COALESCE(i.id, m.id) IS NOT NULL AND n.id > COALESCE(moved.id, 0)),
    labelled AS (
      INSERT INTO label_events (issue_id, merge_request_id, user_id, action, label_id, created_at)
      SELECT past.issue_id, past.merge_request_id, past.user_id, named.action, l.id, past.created_at FROM past
        CROSS JOIN LATERAL (${labelsIn(1, 'add')} UNION ALL ${labelsIn(2, 'remove')}) named
        LEFT JOIN labels l ON l.id = named.id
      WHERE past.body ~ '^(added( ~[0-9]+)+)?( and )?(removed( ~[0-9]+)+)? labels?$' AND ${isUnrecorded(sql`label_events`)}
      ORDER BY past.id, named.id),
    planned AS (
      INSERT INTO milestone_events (issue_id, merge_request_id, user_id, action, milestone_id, state, created_at)
      SELECT past.issue_id, past.merge_request_id, past.user_id,
        (CASE past.body WHEN 'removed milestone' THEN 'remove' ELSE 'add' END)::resource_event_action,
        (${milestoneTitled(sql`past.project_id`, MILESTONE_TITLE)}), ${STATE_BEFORE}::merge_request_state, past.created_at FROM past
      WHERE (past.body = 'removed milestone' OR past.body ~ '^changed milestone to %".*"$') AND ${isUnrecorded(sql`milestone_events`)}
      ORDER BY past.id)
    INSERT INTO state_events (issue_id, merge_request_id, user_id, state, source_commit, source_merge_request_id, created_at)
    SELECT past.issue_id, past.merge_request_id, past.user_id,
      (CASE WHEN past.body IN ('reopened', 'merged') THEN past.body ELSE 'closed' END)::resource_event_state,
      CASE WHEN source.id IS NULL AND past.mention LIKE 'closed Commit %' THEN split_part(past.mention, ' ', 4) END, source.id, past.created_at
    FROM past CROSS JOIN LATERAL (SELECT ${SOURCE} AS id) source
    WHERE past.body ~ ${STATES} AND (past.body NOT LIKE 'moved to %' OR ${STATE_BEFORE} <> 'closed') AND ${isUnrecorded(sql`state_events`)}
    ORDER BY past.id`;
}

/** The statement that marks the system notes after one up to another of which an event says the same. */
function markNotes(after: number, last: number): Prisma.Sql {
  const hasOne = (events: Prisma.Sql) => sql`EXISTS (SELECT 1 FROM ${events} e WHERE ${isBeside}
    AND (e.issue_id = CASE WHEN past.subject_type = 'Issue' THEN past.subject_id END
      OR e.merge_request_id = CASE WHEN past.subject_type = 'MergeRequest' THEN past.subject_id END))`;
  return sql`
    UPDATE notes past SET tells_event = true WHERE past.id > ${after} AND past.id <= ${last} AND past.system AND (
      (past.body ~ '^(added|removed) ~.* labels?$' AND ${hasOne(sql`label_events`)})
      OR (past.body ~ '^(changed milestone to %|removed milestone$)' AND ${hasOne(sql`milestone_events`)})
      OR (past.body ~ '^(closed|reopened|merged)( via .*)?$' AND ${hasOne(sql`state_events`)}))`;
}
