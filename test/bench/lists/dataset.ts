import { createHash } from 'node:crypto';
import { encrypt } from '#src/platform/secrets.ts';
import { createDatabase, SECRET, someWords } from '../dataset.ts';

/** How much there is of everything that the lists show. */
export interface ListsSize {
  users: number;
  /** Groups, nested in others; each user has a personal namespace besides. */
  groups: number;
  projects: number;
  issues: number;
  events: number;
  /** A quarter of the issues when absent. */
  mergeRequests?: number;
  /** Half of the issues when absent. */
  pipelines?: number;
  /** A quarter of the issues when absent. */
  notes?: number;
  /** As many as issues when absent. */
  todos?: number;
  /** How many levels of groups there are, as many in each. */
  depth?: number;
  /** Of a description, 45 when absent. */
  words?: number;
  /** How many people write in a project, of whom some write much more than others; anybody when absent. */
  contributors?: number;
}

/** What the times of lists are promised for. */
export const FULL: ListsSize = { users: 20_000, groups: 400, projects: 2_000, issues: 200_000, events: 1_000_000 };

/** What a large server has. */
const LARGE = {
  ...{ users: 100_000, groups: 2_000, projects: 20_000, issues: 10_000_000, events: 50_000_000 },
  ...{ mergeRequests: 100_000, pipelines: 200_000, notes: 30_000_000, todos: 1_000_000 },
};

/** A part of what a large server has. */
export function largeSize(scale: number): Required<ListsSize> {
  const scaled = Object.entries(LARGE).map(([name, count]) => [name, Math.max(50, Math.round(count * scale))]);
  return { ...(Object.fromEntries(scaled) as typeof LARGE), contributors: 200, words: 15, depth: 5 };
}

/** The private tokens of those who ask: a member of some groups and projects (user 1), and an administrator (user 2). */
export const listTokens = { member: 'lists-member-token', admin: 'lists-admin-token' };

const [LABELS, MILESTONES] = [20, 10];

/** How many different titles and descriptions issues have. */
const TEXTS = 20_000;

/** Something that the server can read. */
const ENCRYPTED = `'\\x${Buffer.from(encrypt('value', SECRET)).toString('hex')}'`;

/**
 * Creates a database in which everything is in proportion, and some have much more than others: project 1 has about every
 * twelfth record, and user 1, who asks, wrote about every twentieth. Three projects in four are private.
 *
 * @returns its URL
 */
export function createLists(url: string): Promise<string> {
  return createDatabase(url, 'bench_lists', listStatements(FULL));
}

/** The statements that fill an empty, migrated database. */
export function listStatements(size: ListsSize): string[] {
  return [
    "SET synchronous_commit = off; SET maintenance_work_mem = '256MB'; SELECT setseed(0.75)",
    ...listPlaces(size),
    'ALTER TABLE issues DISABLE TRIGGER USER',
    'DROP INDEX issues_title_trgm, issues_description_trgm',
    ...listIssues(size),
    'CREATE INDEX issues_title_trgm ON issues USING gin (title gin_trgm_ops)',
    'CREATE INDEX issues_description_trgm ON issues USING gin (description gin_trgm_ops)',
    'ALTER TABLE issues ENABLE TRIGGER USER',
    ...ofIssues(),
    ...notes(size),
    ...mergeRequests(size),
    ...pipelines(size),
    ...others(size),
    'ANALYZE',
    'ALTER TABLE events DISABLE TRIGGER ALL',
    ...events(size),
    'ALTER TABLE events ENABLE TRIGGER ALL',
    ...listCounts(),
    ...trackers(size),
    'VACUUM (ANALYZE)',
    'CHECKPOINT',
  ];
}

/** Users, groups, projects, who is a member of them, and what issues are sorted by. */
export function listPlaces(size: ListsSize): string[] {
  return [...people(size), ...places(size), ...memberships(size), ...surroundings(size)];
}

/** One of `count`, the first ones much oftener than the last. */
const skewed = (count: number) => `(1 + floor(${count} * power(random(), 3)))::int`;
/** Who writes in the project `p`. */
const author = ({ users, contributors }: ListsSize, p: string) =>
  contributors === undefined
    ? skewed(users)
    : `CASE WHEN ${p} <= 300 AND random() < 0.08 THEN 1 ELSE 1 + (${p} * 37 + ${skewed(contributors)}) % ${users} END`;
const any = (count: number) => `(1 + floor(${count} * random()))::int`;

function people({ users }: ListsSize): string[] {
  return [
    ...inParts(
      users,
      (from, to) => `INSERT INTO users (username, name, email, admin, password_hash, private_token_hash,
         private_token_encrypted, last_activity_on)
       SELECT 'user' || u, 'User ' || u, 'user' || u || '@example.com', u = 2, 'none', sha256(('nobody' || u)::bytea), '',
         CASE WHEN u % 3 = 0 THEN current_date - u % 100 END
       FROM generate_series(${from}, ${to}) u`,
    ),
    ...Object.values(listTokens).map((token, index) => {
      const hash = createHash('sha256').update(token).digest('hex');
      return `UPDATE users SET private_token_hash = '\\x${hash}' WHERE id = ${index + 1}`;
    }),
    ...inParts(
      users,
      (from, to) => `INSERT INTO emails (user_id, email)
       SELECT 1 + e % ${users}, 'other' || e || '@example.com' FROM generate_series(${from}, ${to}) e`,
    ),
    ...inParts(
      users,
      (from, to) => `INSERT INTO ssh_keys (user_id, title, key, fingerprint, fingerprint_sha256)
       SELECT 1 + k % ${users}, 'Laptop', 'ssh-ed25519 AAAA', md5(k::text), md5(k::text)
       FROM generate_series(${from}, ${to}) k`,
    ),
    `INSERT INTO personal_access_tokens (user_id, name, token_hash, scopes, impersonation)
     SELECT 1 + t % ${users}, 'Token ' || t, sha256(('token' || t)::bytea), '{api}', t % 2 = 0 FROM generate_series(1, ${users}) t`,
  ];
}

/** Each address, and each key, is locked until the transaction ends, and one transaction has room for some thousand locks. */
function inParts(count: number, statement: (from: number, to: number) => string): string[] {
  const size = 2_000;
  return Array.from({ length: Math.ceil(count / size) }, (_, part) =>
    statement(part * size + 1, Math.min(count, (part + 1) * size)),
  );
}

function places({ users, groups, projects, depth }: ListsSize): string[] {
  // Either a twentieth of them around all others, or so many levels of as many each.
  const top = depth === undefined ? Math.ceil(groups / 20) : Math.ceil(groups / depth);
  const [parent, lineage] =
    depth === undefined
      ? [`1 + g % ${top}`, `ARRAY[1 + g % ${top}, g]`]
      : [`g - ${top}`, `ARRAY(SELECT g - l * ${top} FROM generate_series((g - 1) / ${top}, 0, -1) l)`];
  return [
    `INSERT INTO namespaces (id, kind, name, path, full_path, full_name, parent_id, visibility, lineage)
     SELECT g, 'group', 'Group ' || g, 'group-' || g, 'group-' || g, 'Group ' || g, CASE WHEN g > ${top} THEN ${parent} END,
       (ARRAY['private', 'private', 'private', 'internal', 'public'])[1 + g % 5]::visibility,
       CASE WHEN g > ${top} THEN ${lineage} ELSE ARRAY[g] END
     FROM generate_series(1, ${groups}) g`,
    `SELECT setval('namespaces_id_seq', ${groups})`,
    ...inParts(
      users,
      (from, to) => `INSERT INTO namespaces (kind, name, path, full_path, full_name, owner_id, lineage)
       SELECT 'user', 'User ' || u, 'user' || u, 'user' || u, 'User ' || u, u, ARRAY[${groups} + u]
       FROM generate_series(${from}, ${to}) u ORDER BY u`,
    ),
    // Four in five in groups, the others in personal namespaces.
    ...inParts(
      projects,
      (
        from,
        to,
      ) => `INSERT INTO projects (namespace_id, creator_id, name, path, description, visibility, runners_token, created_at,
       updated_at, last_activity_at)
     SELECT CASE WHEN p % 5 = 0 THEN ${groups} + 1 + (p * 31) % ${users} ELSE 1 + (p * 7919) % ${groups} END, 3,
       'Project ' || p, 'project-' || p, 'What project ' || p || ' is for',
       (ARRAY['private', 'private', 'private', 'private', 'private', 'private', 'internal', 'public'])[1 + p % 8]::visibility,
       '', t.at, t.at, t.at
     FROM generate_series(${from}, ${to}) p,
       LATERAL (SELECT timestamptz '2026-01-01' + (p * 31) % ${projects} * interval '1 minute' AS at) t`,
    ),
    ...Object.entries(SERVICE_ACCOUNTS).map(
      ([kind, id]) =>
        `UPDATE users SET bot = TRUE, service_account = '${kind}', provisioned_by_${kind}_id = 1 WHERE id = ${id}`,
    ),
    `INSERT INTO project_stars (project_id, user_id)
     SELECT 1 + s % ${projects}, 1 + (s * 17) % ${users} FROM generate_series(1, ${projects} * 4) s ON CONFLICT DO NOTHING`,
    `INSERT INTO project_stars (project_id, user_id)
     SELECT p * 7, 1 FROM generate_series(1, ${projects} / 20) p ON CONFLICT DO NOTHING`,
  ];
}

/** User 1 is a reporter of project 1 and group 1, and has forty more memberships. */
function memberships({ users, groups, projects }: ListsSize): string[] {
  return [
    `INSERT INTO members (user_id, project_id, access_level) VALUES (1, 1, 20)`,
    `INSERT INTO members (user_id, namespace_id, access_level) VALUES (1, 1, 20)`,
    `INSERT INTO members (user_id, namespace_id, access_level)
     SELECT 1, 2 + (n * 13) % ${groups - 2}, 10 + n % 4 * 10 FROM generate_series(1, 20) n ON CONFLICT DO NOTHING`,
    `INSERT INTO members (user_id, project_id, access_level)
     SELECT 1, 2 + (n * 97) % ${projects - 2}, 10 + n % 4 * 10 FROM generate_series(1, 20) n ON CONFLICT DO NOTHING`,
    `INSERT INTO members (user_id, namespace_id, access_level)
     SELECT ${any(users - 1)} + 1, ${skewed(groups)}, 10 + n % 4 * 10 FROM generate_series(1, ${users}) n ON CONFLICT DO NOTHING`,
    `INSERT INTO members (user_id, project_id, access_level)
     SELECT ${any(users - 1)} + 1, ${skewed(projects)}, 10 + n % 4 * 10 FROM generate_series(1, ${users * 2}) n ON CONFLICT DO NOTHING`,
    `INSERT INTO project_shares (project_id, group_id, group_access)
     SELECT ${any(projects)}, ${any(groups)}, 20 FROM generate_series(1, ${Math.ceil(projects / 10)}) ON CONFLICT DO NOTHING`,
    `INSERT INTO project_shares (project_id, group_id, group_access)
     SELECT 1 + p, 1, 20 FROM generate_series(1, 30) p ON CONFLICT DO NOTHING`,
    ...['project_id', 'namespace_id'].map(
      (column) => `INSERT INTO access_requests (user_id, ${column})
       SELECT 3 + r, ${skewed(column === 'project_id' ? projects : groups)} FROM generate_series(1, ${users} / 4) r
       ON CONFLICT DO NOTHING`,
    ),
  ];
}

/** The users that are service accounts of the first group and of the first project. */
export const SERVICE_ACCOUNTS = { group: 11, project: 12 };

/** ID of the milestone and of the board of the group 1. */
export const OF_GROUP = 1_000_000_000;

function surroundings({ projects }: ListsSize): string[] {
  return [
    `INSERT INTO labels (project_id, title, color, description)
     SELECT p, 'label-' || lpad(l::text, 2, '0'), '#428BCA', 'What label ' || l || ' means'
     FROM generate_series(1, ${projects}) p, generate_series(1, ${LABELS}) l ORDER BY p, l`,
    `INSERT INTO milestones (iid, project_id, title, description, due_date)
     SELECT m, p, 'milestone-' || m, 'What is to be reached by milestone ' || m, date '2030-01-01' + m
     FROM generate_series(1, ${projects}) p, generate_series(1, ${MILESTONES}) m ORDER BY p, m`,
    `INSERT INTO milestones (iid, project_id, title, description)
     SELECT m, 1, 'milestone-' || m, 'What is to be reached' FROM generate_series(${MILESTONES} + 1, 10 * ${projects}) m`,
    `INSERT INTO labels (project_id, title, color)
     SELECT 1, 'label-' || l, '#428BCA' FROM generate_series(${LABELS} + 1, ${projects}) l ON CONFLICT DO NOTHING`,
    `UPDATE project_counters SET last_milestone_iid = 10 * ${projects}`,
    `INSERT INTO milestones (id, iid, group_id, title) VALUES (${OF_GROUP}, 1, 1, 'milestone of the group')`,
    `INSERT INTO labels (group_id, title, color)
     SELECT 1, 'label of the group ' || l, '#428BCA' FROM generate_series(1, ${projects}) l`,
    `INSERT INTO boards (id, group_id) VALUES (${OF_GROUP}, 1)`,
    `INSERT INTO board_lists (group_id, board_id, label_id, rank)
     SELECT 1, ${OF_GROUP}, id, id FROM labels WHERE group_id = 1`,
  ];
}

/** Texts of about 40 and 300 characters, of 20,000 different ones; one issue in a thousand has the word `quaternion`. IDs grow with time. */
export function listIssues(size: ListsSize): string[] {
  const { issues: count, projects, users, words = 45 } = size;
  return [
    `CREATE TEMPORARY TABLE texts AS
     SELECT n AS id, ${someWords(6)} AS title, ${someWords(words)} AS description FROM generate_series(1, ${TEXTS}) n`,
    'ANALYZE texts',
    `WITH placed AS MATERIALIZED (
       SELECT n, ${skewed(projects)} AS project_id, ${any(TEXTS)} AS title, ${any(TEXTS)} AS description
       FROM generate_series(1, ${count}) n
     ), numbered AS MATERIALIZED (
       SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY n) AS iid FROM placed ORDER BY n
     )
     INSERT INTO issues (id, iid, project_id, title, description, state, confidential, author_id, assignee_id, milestone_id,
       due_date, created_at, updated_at, deleted_at)
     SELECT n, iid, project_id, t.title, d.description || CASE WHEN n % 1000 = 7 THEN ' quaternion' ELSE '' END,
       (CASE WHEN random() < 0.33 THEN 'closed' ELSE 'opened' END)::issue_state, random() < 0.05, ${author(size, 'project_id')},
       CASE WHEN random() < 0.5 THEN ${skewed(users)} END, (project_id - 1) * ${MILESTONES} + ${any(MILESTONES)},
       CASE WHEN random() < 0.2 THEN date '2030-01-01' + floor(random() * 300)::int END,
       timestamptz '2026-01-01' + n * interval '20 milliseconds', timestamptz '2026-02-01' + random() * interval '90 days',
       CASE WHEN random() < 0.02 THEN now() END
     FROM numbered JOIN texts t ON t.id = numbered.title JOIN texts d ON d.id = numbered.description`,
    `SELECT setval('issues_id_seq', ${count})`,
  ];
}

/** What belongs to issues. */
export function ofIssues(): string[] {
  return [
    `INSERT INTO issue_assignees (issue_id, user_id, position)
     SELECT id, assignee_id, 0 FROM issues WHERE assignee_id IS NOT NULL
     UNION ALL SELECT id, author_id, 1 FROM issues WHERE assignee_id <> author_id AND id % 10 = 0`,
    `INSERT INTO issue_labels (issue_id, label_id)
     SELECT id, (project_id - 1) * ${LABELS} + 1 + (first + step * pair.second) % ${LABELS}
     FROM (SELECT id, project_id, floor(random() * ${LABELS})::int AS first, 1 + floor(random() * ${LABELS - 1})::int AS step
       FROM issues) i, (VALUES (0), (1)) pair (second)`,
    `INSERT INTO award_emoji (subject_type, subject_id, user_id, name)
     SELECT 'Issue', id, author_id, 'thumbsup' FROM issues WHERE id % 10 = 0`,
    `INSERT INTO state_events (issue_id, user_id, state) SELECT id, author_id, 'closed' FROM issues WHERE state = 'closed'`,
    `INSERT INTO issue_links (source_id, target_id) SELECT id, id - 1 FROM issues WHERE id % 10 = 0`,
  ];
}

/** Of every fourth issue. The first notes are those of the paths. */
export function notes({ issues: count, notes: all = Math.floor(count / 4) }: ListsSize): string[] {
  return [
    `INSERT INTO notes (subject_type, subject_id, author_id, body)
     SELECT 'Issue', id, author_id, 'The first word' FROM issues WHERE project_id = 1 AND iid = 1
     UNION ALL SELECT 'Snippet', 1, 1, 'The first word' UNION ALL SELECT 'MergeRequest', 0, 1, 'The first word'`,
    `INSERT INTO notes (subject_type, subject_id, author_id, body, system)
     SELECT 'Issue', i.id, i.author_id, CASE WHEN i.id % 40 = 0 THEN i.title ELSE 'A word about it' END, i.id % 12 = 0
     FROM issues i, generate_series(1, ${Math.max(1, Math.round((all * 4) / count))}) n WHERE i.id % 4 = 0`,
  ];
}

/** With what belongs to them, after notes. */
export function mergeRequests({
  issues,
  projects,
  users,
  mergeRequests: count = Math.ceil(issues / 4),
}: ListsSize): string[] {
  return [
    `INSERT INTO merge_requests (iid, target_project_id, source_project_id, title, source_branch, target_branch, author_id, milestone_id)
     SELECT row_number() OVER (PARTITION BY p ORDER BY n), p, p, 'Merge ' || n, 'topic-' || n, 'main', ${any(users)},
       (p - 1) * ${MILESTONES} + ${any(MILESTONES)}
     FROM (SELECT n, ${skewed(projects)} AS p FROM generate_series(1, ${count}) n) m`,
    `UPDATE notes SET subject_id = (SELECT id FROM merge_requests WHERE target_project_id = 1 AND iid = 1) WHERE id = 3`,
    `UPDATE merge_requests SET sha = md5(id::text) || '00000000', created_at = now() - id * interval '1 minute',
       updated_at = now() - (id * 7919 % 100000) * interval '1 minute', assignee_id = author_id,
       merge_commit_sha = CASE WHEN id % 4 >= 2 THEN md5(id::text) || '00000000' END,
       state = (ARRAY['opened', 'closed', 'merged', 'merged'])[1 + id % 4]::merge_request_state`,
    `INSERT INTO merge_request_reviewers (merge_request_id, user_id) SELECT id, author_id FROM merge_requests`,
    `INSERT INTO merge_request_approvals (merge_request_id, user_id) SELECT id, author_id FROM merge_requests`,
    `INSERT INTO merge_request_committers (merge_request_id, user_id) SELECT id, author_id FROM merge_requests`,
    `INSERT INTO merge_request_versions (merge_request_id, head_commit_sha, base_commit_sha, start_commit_sha, real_size)
     SELECT id, sha, sha, sha, '1' FROM merge_requests UNION ALL SELECT id, sha, sha, sha, '2' FROM merge_requests`,
    `INSERT INTO merge_request_labels (merge_request_id, label_id)
     SELECT m.id, l.id FROM merge_requests m JOIN labels l ON l.project_id = m.target_project_id AND l.id <= ${projects * LABELS}
     WHERE (m.id + l.id) % 5 = 0`,
  ];
}

export function pipelines({ issues, projects, users, pipelines: count = Math.ceil(issues / 2) }: ListsSize): string[] {
  const state = `(ARRAY['success', 'success', 'failed', 'canceled', 'running', 'pending'])[${any(6)}]::job_status`;
  return [
    `INSERT INTO pipelines (project_id, ref, sha, status, source, user_id)
     SELECT p, 'branch-' || n % 50, encode(sha256((n / 3)::text::bytea), 'hex'), ${state}, 'push', ${skewed(users)}
     FROM (SELECT n, CASE WHEN n = 1 THEN 1 ELSE ${skewed(projects)} END AS p FROM generate_series(1, ${count}) n) m`,
    `INSERT INTO runners (description, token_hash, is_shared)
     SELECT 'runner ' || n, sha256(n::text::bytea), true FROM generate_series(1, 50) n`,
    `INSERT INTO runner_managers (runner_id, system_id) SELECT id, 'machine-' || n FROM runners, generate_series(1, 3) n`,
    `INSERT INTO jobs (project_id, pipeline_id, generic, name, stage, stage_index, status, user_id, runner_id)
     SELECT project_id, id, j = 3, 'job-' || j, 'test', 0, ${state}, user_id, CASE WHEN j < 3 THEN 1 + (id + j) % 50 END
     FROM pipelines, generate_series(1, 3) j`,
    `INSERT INTO environments (project_id, name, slug)
     SELECT p, 'place-' || e, 'place-' || e FROM generate_series(1, ${projects}) p, generate_series(1, 3) e`,
    `INSERT INTO environments (project_id, name, slug) SELECT 1, 'place-' || e, 'place-' || e FROM generate_series(4, 500) e`,
    `INSERT INTO resource_groups (project_id, key) SELECT 1, e::text FROM generate_series(1, 500) e`,
    `UPDATE jobs SET resource_group = (1 + id % 3)::text, status = CASE WHEN id % 2 = 0 THEN 'waiting_for_resource' ELSE status END
     WHERE project_id = 1 AND NOT generic AND id % 5 = 0`,
    `INSERT INTO pipeline_schedules (project_id, owner_id, description, ref, cron) VALUES (1, 1, 'Nightly', 'refs/heads/main', '0 4 * * *')`,
    `UPDATE pipelines SET schedule_id = 1 WHERE project_id = 1 AND id % 50 = 0`,
    // Some of them are of merge commits.
    `INSERT INTO deployments (iid, project_id, environment_id, ref, sha, user_id, job_id)
     SELECT row_number() OVER (PARTITION BY j.project_id ORDER BY j.id), j.project_id, 1 + (j.project_id - 1) * 3 + j.id / 3 % 3,
       'main', COALESCE(m.merge_commit_sha, repeat('a', 40)), j.user_id, j.id
     FROM jobs j LEFT JOIN merge_requests m ON m.target_project_id = j.project_id AND m.iid = j.pipeline_id % 1000
     WHERE j.id % 3 = 1`,
    `INSERT INTO releases (project_id, tag, description, author_id, created_at, released_at)
     SELECT p, r, 'Notes', 3, timestamptz '2026-01-01Z' + r * interval '1 day', timestamptz '2026-02-01Z' - r * interval '1 day'
     FROM generate_series(1, ${projects}) p, generate_series(1, 30) r WHERE p = 1 OR r <= 5 ORDER BY p, r`,
    `INSERT INTO release_links (release_id, name, url)
     SELECT r.id, 'link ' || l, 'https://example.org/' || l FROM releases r, generate_series(1, 5) l`,
    `INSERT INTO release_milestones (release_id, milestone_id)
     SELECT r.id, m.id FROM releases r JOIN milestones m ON m.project_id = r.project_id AND m.iid = 1`,
    `INSERT INTO packages (project_id, type, name, version)
     SELECT p, 'generic', 'app-' || k % 3, k FROM generate_series(1, ${projects}) p, generate_series(1, 8) k ORDER BY p, k`,
    `INSERT INTO package_files (package_id, project_id, secret, stored_as, file_name, size, md5, sha1, sha256)
     SELECT k.id, k.project_id, k.id || '-' || f, 'a', 'file-' || f, 1, '0', '0', '0' FROM packages k, generate_series(1, 5) f
     ORDER BY k.id, f`,
    `INSERT INTO container_repositories (project_id, name)
     SELECT p, 'app-' || r FROM generate_series(1, ${projects}) p, generate_series(1, 25) r WHERE p = 1 OR r <= 5
     ORDER BY r, p`,
    `INSERT INTO container_blobs (digest, size, secret) SELECT b, 1, b FROM generate_series(1, 20000) b`,
    `INSERT INTO container_repository_blobs (repository_id, blob_id)
     SELECT r.id, r.id * 7 % 10000 + b FROM container_repositories r, generate_series(1, 4) b`,
    `INSERT INTO container_manifests (repository_id, digest, media_type, content, size, total_size)
     SELECT r.id, m, 'image', '', 0, 1 FROM container_repositories r, generate_series(1, 2) m`,
    `INSERT INTO container_tags (repository_id, name, manifest_id)
     SELECT m.repository_id, 'v' || m.digest || '-' || t, m.id FROM container_manifests m, generate_series(1, 11) t ORDER BY t, m.id`,
    `INSERT INTO protected_branches (project_id, name) SELECT n, 'branch-' || b || '/*'
     FROM generate_series(1, ${projects}) n, generate_series(1, 25) b WHERE n = 1 OR b < 4`,
    `WITH made AS (INSERT INTO protected_tags (project_id, name) SELECT n, 'v' || t || '.*'
       FROM generate_series(1, ${projects}) n, generate_series(1, 25) t WHERE n = 1 OR t < 4 RETURNING id)
     INSERT INTO protected_tag_levels (protected_tag_id, access_level) SELECT id, 40 FROM made`,
    `INSERT INTO triggers (project_id, owner_id, description, token_hash, token_encrypted)
     SELECT 1 + t % ${projects}, 3, 'Trigger', sha256(('trigger' || t)::bytea), ${ENCRYPTED} FROM generate_series(1, ${projects}) t`,
    ...inParts(
      projects * 10,
      (from, to) => `INSERT INTO deploy_keys (user_id, title, key, fingerprint, fingerprint_sha256)
       SELECT 3, 'Server', 'ssh-ed25519 AAAA', 'd' || k, 'd' || k FROM generate_series(${from}, ${to}) k`,
    ),
    `INSERT INTO project_deploy_keys (project_id, deploy_key_id) SELECT 1 + id % ${projects}, id FROM deploy_keys`,
    `INSERT INTO variables (project_id, key, value_encrypted)
     SELECT 1 + v % ${projects}, 'KEY_' || v, ${ENCRYPTED} FROM generate_series(1, ${projects}) v`,
    // They are switched off: nothing is sent anywhere.
    `INSERT INTO hooks (project_id, url, disabled_at) SELECT h, 'http://127.0.0.1/', now() FROM generate_series(1, ${projects}) h`,
    `INSERT INTO hooks (project_id, url, disabled_at) SELECT 1 + h % ${projects}, 'http://127.0.0.1/', now() FROM generate_series(1, ${projects * 20}) h`,
    `INSERT INTO hooks (namespace_id, url, disabled_at) SELECT id, 'http://127.0.0.1/', now() FROM namespaces WHERE kind = 'group'`,
    `INSERT INTO hooks (url, disabled_at) SELECT 'http://127.0.0.1/', now() FROM generate_series(1, 50) h`,
    `INSERT INTO hook_events (kind, facts, payload) SELECT 'push', '{}', '{}' FROM generate_series(1, ${projects}) e`,
    `INSERT INTO hook_deliveries (hook_id, event_id, state) SELECT h, 1 + d % ${projects}, 'delivered'
     FROM generate_series(1, ${projects}) h, generate_series(1, 50) d`,
  ];
}

export function others({ users, projects }: ListsSize): string[] {
  return [
    `INSERT INTO bulk_imports (user_id, url)
     SELECT 1 + b % ${users}, 'https://git.example.org' FROM generate_series(0, ${users * 2}) b`,
    `INSERT INTO bulk_import_entities (bulk_import_id, user_id, kind, source_full_path, destination_slug, destination_namespace, correlation_id)
     SELECT i.id, i.user_id, 'project', 'a/b' || e.n, 'b' || e.n, 'a', 'c'
     FROM (SELECT n, ${skewed(users * 2)} AS import FROM generate_series(1, ${users * 5}) n) e JOIN bulk_imports i ON i.id = e.import`,
    `INSERT INTO snippets (project_id, author_id, title, file_name, content, visibility)
     VALUES (1, 1, 'First', 'a.txt', 'A text', 'public')`,
    `INSERT INTO snippets (project_id, author_id, title, file_name, content, visibility)
     SELECT CASE WHEN s % 2 = 0 THEN ${skewed(projects)} END, ${skewed(users)}, 'Snippet ' || s, 'a.txt', 'A text',
       (ARRAY['private', 'internal', 'public'])[${any(3)}]::visibility FROM generate_series(1, ${users * 2}) s`,
  ];
}

/** Issues, pushes, milestones and comings, as they come in the life of a server. */
export function events(size: ListsSize): string[] {
  const { events: count, projects } = size;
  const ratio = Math.ceil(count / size.issues);
  return [
    `INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title, data, created_at)
     SELECT CASE WHEN kind < 6 THEN e.project_id ELSE p END, CASE WHEN kind < 6 THEN e.author_id ELSE ${author(size, 'p')} END,
       CASE WHEN kind < 6 THEN 'opened' ELSE 'pushed to' END,
       CASE WHEN kind < 6 THEN 'Issue' WHEN kind = 6 THEN 'Milestone' END,
       CASE WHEN kind < 6 THEN e.id WHEN kind = 6 THEN (p - 1) * ${MILESTONES} + 1 END, CASE WHEN kind < 6 THEN title END,
       CASE WHEN kind BETWEEN 7 AND 8 THEN '{"ref": "refs/heads/main", "total_commits_count": 1}'::jsonb END,
       timestamptz '2026-01-01' + n * interval '5 seconds'
     FROM (SELECT i.id, i.project_id, i.author_id, i.title, (i.id - 1) * ${ratio} + k AS n, (i.id * ${ratio} + k) % 10 AS kind,
         ${skewed(projects)} AS p
       FROM issues i, generate_series(1, ${ratio}) k LIMIT ${count}) e`,
    `INSERT INTO audit_events (action, author_id, author_name, project_id, group_id, target_type, target_id, created_at)
     SELECT (ARRAY['member_created', 'project_updated', 'variable_updated'])[1 + n % 3], ${skewed(size.users)}, 'Somebody',
       CASE WHEN n % 4 > 0 THEN ${skewed(projects)} END, CASE WHEN n % 4 = 0 THEN 1 + n % 40 END,
       (ARRAY['User', 'Project', 'Variable'])[1 + n % 3], n, timestamptz '2026-01-01' + n * interval '1 minute'
     FROM generate_series(1, ${Math.round(count / 5)}) n`,
  ];
}

/** What triggers count, once for all rows: row by row it takes most of the time. */
export function listCounts(): string[] {
  return [
    `UPDATE project_counters c SET last_issue_iid = s.iid, opened = s.opened, closed = s.closed,
       opened_confidential = s.opened_secret, closed_confidential = s.closed_secret
     FROM (SELECT project_id, max(iid) AS iid, count(*) FILTER (WHERE state = 'opened' AND deleted_at IS NULL) AS opened,
         count(*) FILTER (WHERE state = 'closed' AND deleted_at IS NULL) AS closed,
         count(*) FILTER (WHERE state = 'opened' AND confidential AND deleted_at IS NULL) AS opened_secret,
         count(*) FILTER (WHERE state = 'closed' AND confidential AND deleted_at IS NULL) AS closed_secret
       FROM issues GROUP BY project_id) s
     WHERE c.project_id = s.project_id`,
    'SELECT count_all_events()',
  ];
}

/** Lists of boards, times, todos, of which user 1 has many, and what users want mail about. */
export function trackers({ users, projects, issues, todos = issues }: ListsSize): string[] {
  return [
    `INSERT INTO board_lists (project_id, board_id, label_id, rank)
     SELECT l.project_id, b.id, l.id, l.id FROM labels l JOIN boards b ON b.project_id = l.project_id WHERE l.id % 2 = 0`,
    `INSERT INTO timelogs (issue_id, user_id, seconds)
     SELECT ${any(issues)}, ${any(users)}, 600 FROM generate_series(1, ${todos})`,
    `INSERT INTO todos (user_id, author_id, project_id, issue_id, action, state)
     SELECT CASE WHEN i.id % 20 = 0 THEN 1 ELSE 1 + (i.id * 31) % ${users} END, i.author_id, i.project_id, i.id, 'mentioned',
       (ARRAY['done', 'pending'])[1 + i.id % 2]::todo_state
     FROM issues i WHERE i.id <= ${todos} ON CONFLICT DO NOTHING`,
    `INSERT INTO notification_settings (user_id, project_id, level)
     SELECT 1 + n % ${users}, 1 + (n * 7) % ${projects}, 'watch' FROM generate_series(1, ${users} * 4) n ON CONFLICT DO NOTHING`,
  ];
}
