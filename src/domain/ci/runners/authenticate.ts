import { isToken } from '#src/access/credentials/tokens/runner_tokens.ts';
import { type RunnerInfo, readInfo } from '#src/domain/ci/runners/values.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** The authenticated runner of a request. */
export interface AuthenticatedRunner {
  id: number;
  description: string;
  active: boolean;
  isShared: boolean;
  runUntagged: boolean;
  tagList: string[];
  /** When its settings or its projects changed; milliseconds since 1970. */
  changedAt: number;
  /** The projects whose jobs it runs, unless it is shared. */
  projectIds: number[];
}

/**
 * Finds the runner of a token in one statement; its contact and its own description are recorded once a minute.
 *
 * @throws Forbidden for an unknown token
 */
export async function authenticateRunner(db: Db, token: unknown, info: unknown): Promise<AuthenticatedRunner> {
  if (!isToken(token)) throw new Forbidden();
  const [row] = await db.$queryRaw<(AuthenticatedRunner & { isDue: boolean })[]>`
    SELECT r.id, r.description, r.active, r.is_shared AS "isShared", r.run_untagged AS "runUntagged", r.tag_list AS "tagList",
      (extract(epoch FROM r.updated_at) * 1000)::float8 AS "changedAt",
      ARRAY(SELECT rp.project_id FROM runner_projects rp WHERE rp.runner_id = r.id) AS "projectIds",
      (r.contacted_at IS NULL OR r.contacted_at < now() - interval '1 minute') AS "isDue"
    FROM runners r WHERE r.token_hash = ${tokenHash(token)}`;
  if (!row) throw new Forbidden();
  const { isDue, ...runner } = row;
  if (isDue) await noteContact(db, runner.id, readInfo(info));
  return runner;
}

/** Facts that a runner does not send stay unchanged. */
async function noteContact(db: Db, id: number, info: RunnerInfo): Promise<void> {
  const said = Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null));
  await db.runner.updateMany({ where: { id }, data: { ...said, contactedAt: new Date() } });
}
