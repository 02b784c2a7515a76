import { createHash } from 'node:crypto';
import { createDatabase } from './dataset.ts';

/** How many of everything there is: groups are nested four deep, ten at the top and then more on each level. */
const GROUPS = 1_000;
const PROJECTS = 10_000;
const USERS = 5_000;
const MEMBERSHIPS = 50_000;
/** Memberships of the user who asks as a member: half of groups, half of projects. */
const OWN = 200;

/** The private tokens of those who ask; anonymous callers have none. */
export const tokens = { member: 'forest-member-token', admin: 'forest-admin-token' };

/**
 * Creates a database with many groups, projects, users and memberships: three projects in four are private.
 *
 * @returns its URL
 */
export function createForest(url: string): Promise<string> {
  return createDatabase(url, 'bench_forest', [
    'SET synchronous_commit = off; SELECT setseed(0.5)',
    `INSERT INTO users (username, name, email, admin, password_hash, private_token_hash, private_token_encrypted)
     SELECT 'user' || u, 'User ' || u, 'user' || u || '@example.com', u = 2, 'none', sha256(('nobody' || u)::bytea), ''
     FROM generate_series(1, ${USERS}) u`,
    ...Object.values(tokens).map((token, index) => {
      const hash = createHash('sha256').update(token).digest('hex');
      return `UPDATE users SET private_token_hash = '\\x${hash}' WHERE id = ${index + 1}`;
    }),
    `INSERT INTO namespaces (id, kind, name, path, full_path, full_name, parent_id, visibility)
     SELECT g, 'group', 'Group ' || g, 'group-' || g, 'group-' || g, 'Group ' || g,
       CASE WHEN g > 10 THEN g / CASE WHEN g > 300 THEN 4 ELSE 6 END + 1 END,
       (ARRAY['private', 'private', 'private', 'internal', 'public'])[1 + g % 5]::visibility
     FROM generate_series(1, ${GROUPS}) g`,
    `SELECT setval('namespaces_id_seq', ${GROUPS})`,
    `UPDATE namespaces n SET lineage = t.lineage, full_path = t.path FROM (
       WITH RECURSIVE tree AS (
         SELECT id, ARRAY[id] AS lineage, path FROM namespaces WHERE parent_id IS NULL
         UNION ALL SELECT n.id, t.lineage || n.id, t.path || '/' || n.path FROM namespaces n JOIN tree t ON n.parent_id = t.id)
       SELECT * FROM tree) t WHERE t.id = n.id`,
    `INSERT INTO projects (namespace_id, creator_id, name, path, description, visibility, runners_token, created_at,
       updated_at, last_activity_at)
     SELECT 1 + (p * 7919) % ${GROUPS}, 2, 'Project ' || p, 'project-' || p, 'What project ' || p || ' is for',
       (ARRAY['private', 'private', 'private', 'private', 'private', 'private', 'internal', 'public'])[1 + p % 8]::visibility, '',
       t.at, t.at, t.at
     FROM generate_series(1, ${PROJECTS}) p, LATERAL (SELECT timestamptz '2026-01-01' + (p * 31) % ${PROJECTS} * interval '1 minute' AS at) t`,
    `INSERT INTO members (user_id, namespace_id, access_level)
     SELECT 1, 301 + (n * 13) % ${GROUPS - 300}, 10 + n % 4 * 10 FROM generate_series(1, ${OWN / 2}) n ON CONFLICT DO NOTHING`,
    `INSERT INTO members (user_id, project_id, access_level)
     SELECT 1, 1 + (n * 97) % ${PROJECTS}, 10 + n % 4 * 10 FROM generate_series(1, ${OWN / 2}) n ON CONFLICT DO NOTHING`,
    `INSERT INTO members (user_id, namespace_id, access_level)
     SELECT 3 + (random() * ${USERS - 4})::int, 1 + (random() * ${GROUPS - 1})::int, 10 + n % 4 * 10
     FROM generate_series(1, ${MEMBERSHIPS / 2}) n ON CONFLICT DO NOTHING`,
    `INSERT INTO members (user_id, project_id, access_level)
     SELECT 3 + (random() * ${USERS - 4})::int, 1 + (random() * ${PROJECTS - 1})::int, 10 + n % 4 * 10
     FROM generate_series(1, ${MEMBERSHIPS / 2}) n ON CONFLICT DO NOTHING`,
    'VACUUM (ANALYZE)',
    'CHECKPOINT',
  ]);
}
