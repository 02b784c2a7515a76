import { COMMIT, PROJECTS_WITH_COMMITS } from './repositories.ts';

/** How many members each project has of its own, how many pipelines and how many events. */
const MEMBERS = 30;
const PIPELINES = 200;
const EVENTS = 400;
/** How many pipelines the commit has that is in the repositories, and how many statuses each of them. */
const OF_COMMIT = 3;
const STATUSES = 10;

/** What there is already: so many projects, users, and milestones of each project. */
export interface Surroundings {
  projects: number;
  users: number;
  milestones: number;
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
    ...statuses(around),
    ...events(around),
  ];
}

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
