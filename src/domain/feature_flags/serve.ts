import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** Who reads flags: a client of a project, by its instance ID, in an environment. */
export interface FlagReader {
  projectId: number;
  instanceId: string;
  /** Name of the environment; blank reads no flags. */
  environment: string;
  /** Versions that the client has already. */
  knownVersions: readonly string[];
}

/** What a client reads, as JSON; null if it has that version already. */
export interface ReadFlags {
  version: string;
  json: string | null;
}

/** The latest answers by project and environment, each with its version, which no other answer has. */
const answers = new LRUCache<string, { version: string; json: string }>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ json }) => json.length,
});

/** Characters of the longest instance ID and environment that are looked for. */
const MAX_ID_LENGTH = 255;

/**
 * The flags of a project that have a strategy in an environment, with these strategies, as Unleash's clients read them; in one
 * statement. Null for a wrong instance ID, and while the project has no feature flags.
 */
export async function readFlags(
  db: Pick<Db, '$queryRaw'>,
  { projectId, instanceId, environment, knownVersions }: FlagReader,
): Promise<ReadFlags | null> {
  if (instanceId === '' || instanceId.length > MAX_ID_LENGTH || environment.length > MAX_ID_LENGTH) return null;
  const hash = tokenHash(instanceId);
  // The version of the client, with what else the answer depends on.
  const place = createHash('sha256').update(environment).digest('base64url').slice(0, 16);
  const known = knownVersions.flatMap((version) => (version.endsWith(place) ? version.slice(0, -place.length) : []));
  const key = `${projectId} ${place}`;
  const kept = answers.get(key);
  const held = [...known, ...(kept ? [kept.version] : [])];
  const [found] = await db.$queryRaw<{ tokenHash: Uint8Array; version: string; features: string | null }[]>`
    SELECT c.token_hash AS "tokenHash", c.version::text AS version,
      CASE WHEN c.token_hash = ${hash} AND NOT c.version::text = ANY(${held}) THEN (
        SELECT COALESCE(json_agg(json_strip_nulls(json_build_object('name', f.name, 'description', f.description, 'enabled', f.active,
          'strategies', s.strategies)) ORDER BY f.id), '[]')::text
        FROM feature_flags f CROSS JOIN LATERAL (
          SELECT json_agg(json_build_object(
            'name', CASE WHEN s.name = 'gitlabUserList' THEN 'userWithId' ELSE s.name END,
            'parameters', CASE WHEN s.name = 'gitlabUserList' THEN jsonb_build_object('userIds', COALESCE(l.user_xids, '')) ELSE s.parameters END)
            ORDER BY s.id) AS strategies
          FROM feature_flag_strategies s LEFT JOIN feature_flag_user_lists l ON l.id = s.user_list_id
          WHERE s.feature_flag_id = f.id AND ${environment} <> '' AND EXISTS (SELECT 1 FROM feature_flag_scopes e
            WHERE e.strategy_id = s.id AND ${environment} LIKE
              replace(replace(replace(replace(e.environment_scope, '\\', '\\\\'), '%', '\\%'), '_', '\\_'), '*', '%'))) s
        WHERE f.project_id = c.project_id AND s.strategies IS NOT NULL) END AS features
    FROM feature_flag_clients c JOIN projects p ON p.id = c.project_id AND p.deleted_at IS NULL AND p.feature_flags_enabled
    WHERE c.project_id = ${projectId}`;
  if (!found || !timingSafeEqual(found.tokenHash, hash)) return null;
  const version = `${found.version}${place}`;
  if (known.includes(found.version)) return { version, json: null };
  const json = found.features === null ? (kept?.json ?? null) : `{"version":1,"features":${found.features}}`;
  if (json !== null) answers.set(key, { version: found.version, json });
  return { version, json };
}
