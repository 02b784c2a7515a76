import { COMMIT, PROJECTS_WITH_COMMITS } from './repositories.ts';

/** How many members each project has of its own, how many pipelines and how many events. */
const MEMBERS = 30;
const PIPELINES = 200;
const EVENTS = 400;
/** How many notes the first issue of each project has, and how many threads its first merge request. */
const NOTES = 1_000;
const THREADS = 200;
/** How many pipelines the commit has that is in the repositories, and how many statuses each of them. */
const OF_COMMIT = 3;
const STATUSES = 10;

/** What there is already: so many projects, users, and milestones and labels of each project. */
export interface Surroundings {
  projects: number;
  users: number;
  milestones: number;
  labels: number;
  /** How many each project gets. */
  mergeRequests: number;
}

/** Statements for what people do in the projects besides their issues, once these are there. */
export function activity(around: Surroundings): string[] {
  const { projects, users } = around;
  return [
    `INSERT INTO members (user_id, project_id, access_level, expires_at)
     SELECT 1 + (m * 3) % ${users}, p, 10 * (1 + m % 4), CASE WHEN m % 7 = 0 THEN date '2099-01-01' + m END
     FROM generate_series(1, ${projects}) p, generate_series(1, ${MEMBERS}) m`,
    `INSERT INTO pipelines (project_id, ref, sha, status, source, user_id, created_at)
     SELECT p, 'branch-' || n % 20, encode(sha256((p || ' ' || n / 2)::bytea), 'hex'),
       (ARRAY['success', 'failed', 'canceled', 'running'])[1 + n % 4]::job_status, 'push', 1 + n % ${users},
       timestamptz '2026-03-01' + n * interval '1 minute'
     FROM generate_series(1, ${PIPELINES}) n, generate_series(1, ${projects}) p`,
    ...mergeRequests(around),
    `INSERT INTO notes (subject_type, subject_id, author_id, body, system)
     SELECT 'Issue', i.id, 1 + n % ${users}, 'The ' || n || 'th word about it, with a reason or two', n % 10 = 0
     FROM issues i, generate_series(1, ${NOTES}) n WHERE i.iid = 1`,
    ...statuses(around),
    ...events(around),
  ];
}

/**
 * Half of them are open, a third are merged, and one in five has work in progress. Each has two labels, and those that are open
 * were looked at since their branches moved. The first one of each project has threads of three notes, each on a line of a file.
 */
function mergeRequests({ projects, users, milestones, labels, mergeRequests: count }: Surroundings): string[] {
  const tip = `'${COMMIT}'`;
  return [
    `INSERT INTO recorded_refs (project_id, name, oid)
     SELECT p, 'refs/heads/topic-' || n, ${tip} FROM generate_series(1, ${projects}) p, generate_series(1, ${count}) n`,
    `INSERT INTO recorded_refs (project_id, name, oid)
     SELECT p, 'refs/heads/main', ${tip} FROM generate_series(1, ${projects}) p ON CONFLICT DO NOTHING`,
    'ALTER TABLE merge_requests DISABLE TRIGGER USER',
    `INSERT INTO merge_requests (iid, target_project_id, source_project_id, title, description, state, source_branch,
       target_branch, author_id, assignee_id, milestone_id, merge_status, checked_source_sha, checked_target_sha, sha, created_at)
     SELECT n, p, p, CASE WHEN n % 5 = 0 THEN 'WIP: ' ELSE '' END || 'Merge topic ' || n,
       'What it is about, why it is better this way, and how it was tested. ' || repeat('More of it. ', 15),
       (ARRAY['opened', 'merged', 'opened', 'closed', 'opened', 'merged'])[1 + n % 6]::merge_request_state, 'topic-' || n, 'main', 1 + n % ${users}, CASE WHEN n % 2 = 0 THEN 1 + (n * 7) % ${users} END,
       (p - 1) * ${milestones} + 1 + n % ${milestones}, 'can_be_merged', ${tip}, ${tip}, ${tip},
       timestamptz '2026-03-01' + n * interval '1 hour'
     FROM generate_series(1, ${count}) n, generate_series(1, ${projects}) p`,
    'ALTER TABLE merge_requests ENABLE TRIGGER USER',
    `INSERT INTO merge_request_labels (merge_request_id, label_id)
     SELECT m.id, (m.target_project_id - 1) * ${labels} + 1 + (m.iid + pair.second * 3) % ${labels}
     FROM merge_requests m, (VALUES (0), (1)) pair (second)`,
    `INSERT INTO award_emoji (subject_type, subject_id, user_id, name)
     SELECT 'MergeRequest', id, author_id, 'thumbsup' FROM merge_requests WHERE id % 10 = 0`,
    `INSERT INTO notes (subject_type, subject_id, author_id, body, system)
     SELECT 'MergeRequest', id, author_id, 'A word about it', id % 12 = 0 FROM merge_requests WHERE id % 4 = 0`,
    `UPDATE merge_requests SET merge_user_id = author_id, merged_at = created_at + interval '1 day' WHERE state = 'merged'`,
    `UPDATE merge_requests SET closed_by_id = author_id, closed_at = created_at + interval '1 day' WHERE state = 'closed'`,
    `INSERT INTO merge_request_assignees (merge_request_id, user_id, position)
     SELECT id, assignee_id, 0 FROM merge_requests WHERE assignee_id IS NOT NULL
     UNION ALL SELECT id, author_id, 1 FROM merge_requests WHERE assignee_id <> author_id AND id % 10 = 0`,
    `INSERT INTO merge_request_reviewers (merge_request_id, user_id)
     SELECT id, 1 + (id * 3) % ${users} FROM merge_requests WHERE id % 3 > 0`,
    `INSERT INTO merge_request_versions (merge_request_id, head_commit_sha, base_commit_sha, start_commit_sha, real_size, created_at)
     SELECT id, ${tip}, repeat('b', 40), ${tip}, '3', created_at FROM merge_requests`,
    `INSERT INTO timelogs (merge_request_id, user_id, seconds)
     SELECT id, author_id, 5400 FROM merge_requests WHERE id % 10 = 0`,
    `INSERT INTO notes (subject_type, subject_id, author_id, body, starts_thread, created_at)
     SELECT 'MergeRequest', m.id, 1 + n % ${users}, 'What line ' || n || ' is for', TRUE, m.created_at + n * interval '1 minute'
     FROM merge_requests m, generate_series(1, ${THREADS}) n WHERE m.iid = 1`,
    `INSERT INTO notes (subject_type, subject_id, author_id, body, discussion_id, created_at)
     SELECT 'MergeRequest', n.subject_id, 1 + (n.author_id + a) % ${users}, 'Because of the one above', n.id,
       n.created_at + a * interval '1 hour'
     FROM notes n, generate_series(1, 2) a WHERE n.starts_thread`,
    `INSERT INTO discussions (id, merge_request_id, note_id, resolved_at, resolved_by_id, original_position, position, version_id)
     SELECT n.id, n.subject_id, n.id, CASE WHEN n.id % 2 = 0 THEN n.created_at END, CASE WHEN n.id % 2 = 0 THEN 1 END, place, place, v.id
     FROM notes n JOIN merge_request_versions v ON v.merge_request_id = n.subject_id, LATERAL (SELECT ${POSITION} AS place) p
     WHERE n.starts_thread`,
    `UPDATE project_counters SET last_merge_request_iid = ${count}`,
  ];
}

/** The line of a file that the note `n` is on, as positions are stored. */
const POSITION = `jsonb_build_object('baseSha', repeat('b', 40), 'startSha', '${COMMIT}', 'headSha', '${COMMIT}', 'oldPath', 'a.txt',
  'newPath', 'a.txt', 'oldLine', NULL, 'newLine', n.id, 'positionType', 'text')`;

/** Each second one was posted, the others are jobs; one in five was replaced by a later one. */
function statuses({ projects, users }: Surroundings): string[] {
  return [
    `INSERT INTO pipelines (project_id, ref, sha, status, source, user_id, created_at)
     SELECT p, 'topic-' || n, '${COMMIT}', 'success', 'push', 1 + n, timestamptz '2026-04-01' + n * interval '1 minute'
     FROM generate_series(1, ${Math.min(projects, PROJECTS_WITH_COMMITS)}) p, generate_series(1, ${OF_COMMIT}) n`,
    `INSERT INTO jobs (project_id, pipeline_id, generic, name, stage, stage_index, status, retried, user_id, description,
       target_url, coverage, created_at, started_at, finished_at)
     SELECT p.project_id, p.id, j % 2 = 0, 'check-' || j, 'test', 0, 'success', j % 5 = 0, 1 + j % ${users},
       'What check ' || j || ' found', 'https://ci.example.com/' || j, CASE WHEN j % 3 = 0 THEN 80 + j / 10.0 END,
       p.created_at + j * interval '1 second', CASE WHEN j % 4 > 0 THEN p.created_at + interval '1 minute' END,
       p.created_at + interval '2 minutes'
     FROM pipelines p, generate_series(1, ${STATUSES}) j WHERE p.sha = '${COMMIT}' ORDER BY p.id, j`,
  ];
}

/** Of ten events six are about issues, one about a milestone, two about pushes, and one about somebody who joined. */
function events({ users, milestones }: Surroundings): string[] {
  return [
    'ALTER TABLE events DISABLE TRIGGER ALL',
    `INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title, data, created_at)
     SELECT p.id, COALESCE(i.author_id, 1 + n % ${users}),
       CASE WHEN kind < 7 THEN 'opened' WHEN kind < 9 THEN 'pushed to' ELSE 'joined' END,
       CASE WHEN kind < 6 THEN 'Issue' WHEN kind = 6 THEN 'Milestone' END,
       CASE WHEN kind < 6 THEN i.id WHEN kind = 6 THEN (p.id - 1) * ${milestones} + 1 END,
       CASE WHEN kind < 6 THEN i.title WHEN kind = 6 THEN 'milestone-1' END,
       CASE WHEN kind IN (7, 8) THEN ${push(users)} END, timestamptz '2026-05-01' + n * interval '1 minute'
     FROM generate_series(1, ${EVENTS}) n CROSS JOIN projects p CROSS JOIN LATERAL (SELECT n % 10 AS kind) k
       LEFT JOIN issues i ON kind < 6 AND i.project_id = p.id AND i.iid = n
     WHERE kind > 5 OR i.id IS NOT NULL ORDER BY n, p.id`,
    'ALTER TABLE events ENABLE TRIGGER ALL',
    'SELECT count_all_events()',
  ];
}

/** The record of a push of two commits to the project `p`. */
const push = (
  users: number,
) => `jsonb_build_object('object_kind', 'push', 'before', repeat('0', 40), 'after', '${COMMIT}', 'ref', 'refs/heads/main',
  'checkout_sha', '${COMMIT}', 'user_id', 1 + n % ${users}, 'user_name', 'User', 'user_email', 'user@example.com',
  'project_id', p.id, 'total_commits_count', 2,
  'project', jsonb_build_object('name', p.name, 'description', p.description, 'path_with_namespace', 'bench/' || p.path,
    'default_branch', 'main'),
  'commits', (SELECT jsonb_agg(jsonb_build_object('id', encode(sha256((n || ' ' || c)::bytea), 'hex'), 'message', 'Change ' || c,
    'timestamp', '2026-05-01T00:00:00+00:00', 'author', jsonb_build_object('name', 'Ada Bench', 'email', 'ada@example.com')))
    FROM generate_series(1, 2) c))`;
