import { createHash } from 'node:crypto';
import pg from 'pg';
import { migrate } from '#src/platform/database/migrate.ts';
import { activity } from './dataset_activity.ts';

/** The secret of the server that is measured. */
export const SECRET = 'bench'.repeat(8);

/** The private token of the user who asks: a developer of the group that holds every project. */
export const token = 'bench-private-token';
/** The ID of that user. */
export const actorId = 1;
/** How many labels, milestones and users there are to choose from. */
const LABELS = 20;
const MILESTONES = 5;
const USERS = 100;

export interface Size {
  issues: number;
  projects: number;
  /** Of each project. */
  mergeRequests?: number;
}

/**
 * Creates a database of its own beside the one of `url` and fills it: project IDs are 1 to `projects`, every issue has two
 * labels, a milestone and an author, half have an assignee, a third are closed and one in a hundred is confidential. Each
 * project has members, labels with a priority, merge requests with threads, pipelines with statuses, and events.
 *
 * @returns its URL
 */
export function createDataset(url: string, name: string, size: Size): Promise<string> {
  return createDatabase(url, name, statements(size));
}

/**
 * Creates a migrated database of its own beside the one of `url` and runs statements in it.
 *
 * @returns its URL
 */
export async function createDatabase(url: string, name: string, sqls: string[]): Promise<string> {
  await run(url, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `CREATE DATABASE ${name}`]);
  const own = new URL(url);
  own.pathname = `/${name}`;
  await migrate(own.href);
  await run(own.href, sqls);
  return own.href;
}

async function run(url: string, sqls: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of sqls) await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Counters and text indexes are made once for all rows: row by row they take most of the time. */
function statements({ issues, projects, mergeRequests = 200 }: Size): string[] {
  return [
    "SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SELECT setseed(0.25)",
    ...people(),
    ...surroundings(projects),
    'ALTER TABLE issues DISABLE TRIGGER USER',
    'DROP INDEX issues_title_trgm, issues_description_trgm',
    ...issueRows(issues, projects),
    'CREATE INDEX issues_title_trgm ON issues USING gin (title gin_trgm_ops)',
    'CREATE INDEX issues_description_trgm ON issues USING gin (description gin_trgm_ops)',
    'ALTER TABLE issues ENABLE TRIGGER USER',
    `UPDATE project_counters c SET last_issue_iid = s.iid, opened = s.opened, closed = s.closed,
       opened_confidential = s.opened_secret, closed_confidential = s.closed_secret
     FROM (SELECT project_id, max(iid) AS iid, count(*) FILTER (WHERE state = 'opened') AS opened,
         count(*) FILTER (WHERE state = 'closed') AS closed,
         count(*) FILTER (WHERE state = 'opened' AND confidential) AS opened_secret,
         count(*) FILTER (WHERE state = 'closed' AND confidential) AS closed_secret
       FROM issues GROUP BY project_id) s
     WHERE c.project_id = s.project_id`,
    ...activity({ projects, users: USERS, milestones: MILESTONES, labels: LABELS, mergeRequests }),
    'VACUUM (ANALYZE)',
    'CHECKPOINT',
  ];
}

function people(): string[] {
  const hash = createHash('sha256').update(token).digest('hex');
  return [
    `INSERT INTO users (username, name, email, password_hash, private_token_hash, private_token_encrypted)
     SELECT 'user' || u, 'User ' || u, 'user' || u || '@example.com', 'none', sha256(('nobody' || u)::bytea), ''
     FROM generate_series(1, ${USERS}) u`,
    `UPDATE users SET private_token_hash = '\\x${hash}' WHERE id = ${actorId}`,
    `INSERT INTO namespaces (kind, name, path, full_path, full_name, lineage)
     VALUES ('group', 'Bench', 'bench', 'bench', 'Bench', '{1}')`,
    `INSERT INTO members (user_id, namespace_id, access_level)
     SELECT u, 1, 30 FROM generate_series(1, ${USERS / 2}) u`,
  ];
}

function surroundings(projects: number): string[] {
  return [
    `INSERT INTO projects (namespace_id, creator_id, name, path, runners_token)
     SELECT 1, ${actorId}, 'Project ' || p, 'project-' || p, '' FROM generate_series(1, ${projects}) p`,
    `INSERT INTO labels (project_id, title, color, description, priority)
     SELECT p, 'label-' || lpad(l::text, 2, '0'), '#428BCA', 'What label ' || l || ' means', CASE WHEN l % 4 = 0 THEN l END
     FROM generate_series(1, ${projects}) p, generate_series(1, ${LABELS}) l ORDER BY p, l`,
    `INSERT INTO milestones (iid, project_id, title, description, due_date)
     SELECT m, p, 'milestone-' || m, 'What is to be reached by milestone ' || m, date '2030-01-01' + m
     FROM generate_series(1, ${projects}) p, generate_series(1, ${MILESTONES}) m ORDER BY p, m`,
    `UPDATE project_counters SET last_milestone_iid = ${MILESTONES}`,
  ];
}

const WORDS = `lorem ipsum dolor amet the server answers slowly when a page of many records with labels is asked for
  and button overlaps text on small screens after login crash export import search index token project user list upload
  download merge branch commit notice error message empty field color wrong order sort filter mail never arrives`;

/** An expression for so many words by chance, others for each row; it reads the column `n`. */
export function someWords(count: number): string {
  const words = WORDS.split(/\s+/);
  return `(SELECT string_agg((ARRAY['${words.join("','")}'])[1 + floor(random() * ${words.length})::int], ' ')
    FROM generate_series(1, ${count}) WHERE n > 0)`;
}

/** About 300 characters of words each; one issue in a thousand has the word `quaternion`. */
function issueRows(issues: number, projects: number): string[] {
  return [
    `INSERT INTO issues (iid, project_id, title, description, state, confidential, author_id, assignee_id, milestone_id,
       due_date, created_at, updated_at)
     SELECT (n - 1) / ${projects} + 1, (n - 1) % ${projects} + 1, ${someWords(6)},
       ${someWords(51)} || CASE WHEN n % 1000 = 7 THEN ' quaternion' ELSE '' END,
       (CASE WHEN random() < 0.33 THEN 'closed' ELSE 'opened' END)::issue_state, random() < 0.01,
       1 + floor(random() * ${USERS})::int, CASE WHEN random() < 0.5 THEN 1 + floor(random() * ${USERS})::int END,
       (n - 1) % ${projects} * ${MILESTONES} + 1 + floor(random() * ${MILESTONES})::int,
       CASE WHEN random() < 0.2 THEN date '2030-01-01' + floor(random() * 300)::int END,
       timestamptz '2026-01-01' + n * interval '20 milliseconds', timestamptz '2026-02-01' + random() * interval '90 days'
     FROM generate_series(1, ${issues}) n`,
    `INSERT INTO issue_labels (issue_id, label_id)
     SELECT id, (project_id - 1) * ${LABELS} + 1 + (first + step * pair.second) % ${LABELS}
     FROM (SELECT id, project_id, floor(random() * ${LABELS})::int AS first, 1 + floor(random() * ${LABELS - 1})::int AS step
       FROM issues) i, (VALUES (0), (1)) pair (second)`,
    `INSERT INTO issue_assignees (issue_id, user_id, position)
     SELECT id, assignee_id, 0 FROM issues WHERE assignee_id IS NOT NULL`,
    `INSERT INTO state_events (issue_id, user_id, state, created_at)
     SELECT id, author_id, 'closed', updated_at FROM issues WHERE state = 'closed'`,
    `INSERT INTO notes (subject_type, subject_id, author_id, body, system)
     SELECT 'Issue', id, author_id, 'A word about it', id % 12 = 0 FROM issues WHERE id % 4 = 0`,
    `INSERT INTO award_emoji (subject_type, subject_id, user_id, name)
     SELECT 'Issue', id, author_id, CASE WHEN id % 30 = 0 THEN 'thumbsdown' ELSE 'thumbsup' END
     FROM issues WHERE id % 10 = 0`,
  ];
}
