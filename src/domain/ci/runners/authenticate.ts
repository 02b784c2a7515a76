import { CREATED_RUNNER_TOKEN, isToken, RUNNER_TOKEN } from '#src/access/credentials/tokens/runner_tokens.ts';
import { readFeatures, readInfo } from '#src/domain/ci/runners/values.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** The authenticated runner of a request. */
export interface AuthenticatedRunner {
  id: number;
  description: string;
  active: boolean;
  isShared: boolean;
  /** The group whose projects it runs jobs of. */
  groupId: number | null;
  refProtected: boolean;
  /** Seconds that its jobs may run at most. */
  maximumTimeout: number | null;
  runUntagged: boolean;
  tagList: string[];
  /** When its settings or its projects changed; milliseconds since 1970. */
  changedAt: number;
  /** The projects whose jobs it runs, unless it is shared or of a group. */
  projectIds: number[];
  /** The machine that asks, of those that say which they are. */
  managerId: number | null;
  /** The beginning of its token behind the prefix, by which people tell runners apart. */
  shortToken?: string;
  /** What its program can do, by the names of the protocol. */
  features: ReadonlySet<string>;
}

/** What a runner's program sends with its token. */
export interface RunnerContact {
  token: unknown;
  info: unknown;
  /** As the program calls its machine. */
  systemId: string | null;
  ipAddress: string | null;
}

/**
 * Finds the runner of a token in one statement; its contact, its machine and its own description are recorded once a minute.
 *
 * @throws Forbidden for an unknown token
 */
export async function authenticateRunner(db: Db, contact: RunnerContact): Promise<AuthenticatedRunner> {
  const { token, systemId } = contact;
  if (!isToken(token)) throw new Forbidden();
  const [row] = await db.$queryRaw<(AuthenticatedRunner & { isDue: boolean })[]>`
    SELECT r.id, r.description, r.active, r.is_shared AS "isShared", r.group_id AS "groupId", r.ref_protected AS "refProtected",
      r.maximum_timeout AS "maximumTimeout", r.run_untagged AS "runUntagged", r.tag_list AS "tagList",
      (extract(epoch FROM r.updated_at) * 1000)::float8 AS "changedAt",
      ARRAY(SELECT rp.project_id FROM runner_projects rp WHERE rp.runner_id = r.id) AS "projectIds", m.id AS "managerId",
      (r.contacted_at IS NULL OR r.contacted_at < now() - interval '1 minute'
        OR (${systemId}::text IS NOT NULL AND (m.contacted_at IS NULL OR m.contacted_at < now() - interval '1 minute'))) AS "isDue"
    FROM runners r LEFT JOIN runner_managers m ON m.runner_id = r.id AND m.system_id = ${systemId}
    WHERE r.token_hash = ${tokenHash(token)}`;
  if (!row) throw new Forbidden();
  const { isDue, ...runner } = row;
  const managerId = isDue ? await noteContact(db, runner.id, contact) : runner.managerId;
  const shortToken = shortTokenOf(token);
  return { ...runner, managerId, shortToken, features: readFeatures(contact.info) };
}

/** Characters of tokens that are shown. */
const SHORT = 8;

function shortTokenOf(token: string): string {
  const prefix = [CREATED_RUNNER_TOKEN, RUNNER_TOKEN].find((one) => token.startsWith(one)) ?? '';
  return token.slice(prefix.length, prefix.length + SHORT);
}

/** Machines of a runner; more are not told apart. */
const MAX_MANAGERS = 1_000;

/** Facts that a runner does not send stay unchanged. Returns the ID of the machine, if it says which it is. */
export async function noteContact(
  db: Db,
  id: number,
  { info, systemId, ipAddress }: RunnerContact,
): Promise<number | null> {
  const { name, version, revision, platform, architecture } = readInfo(info);
  const [manager] = await db.$queryRaw<{ id: number }[]>`
    WITH noted AS (UPDATE runners SET name = COALESCE(${name}, name), version = COALESCE(${version}, version),
      revision = COALESCE(${revision}, revision), platform = COALESCE(${platform}, platform),
      architecture = COALESCE(${architecture}, architecture), contacted_at = now() WHERE id = ${id} RETURNING id)
    INSERT INTO runner_managers AS m (runner_id, system_id, version, revision, platform, architecture, ip_address, contacted_at)
    SELECT noted.id, ${systemId}, ${version}, ${revision}, ${platform}, ${architecture}, ${ipAddress}, now() FROM noted
    WHERE ${systemId}::text IS NOT NULL AND (SELECT count(*) FROM runner_managers o WHERE o.runner_id = noted.id) < ${MAX_MANAGERS}
    ON CONFLICT (runner_id, system_id) DO UPDATE SET version = COALESCE(excluded.version, m.version),
      revision = COALESCE(excluded.revision, m.revision), platform = COALESCE(excluded.platform, m.platform),
      architecture = COALESCE(excluded.architecture, m.architecture), ip_address = excluded.ip_address, contacted_at = now()
    RETURNING m.id`;
  return manager?.id ?? null;
}

/** The runner of a token, and how it was made. Throws Forbidden for an unknown token. */
export async function runnerOfToken(db: Db, token: unknown): Promise<{ id: number; isCreated: boolean }> {
  const found = isToken(token)
    ? await db.runner.findUnique({ where: { tokenHash: tokenHash(token) }, select: { id: true, isCreated: true } })
    : null;
  if (!found) throw new Forbidden();
  return found;
}
