import { isToken } from '#src/access/credentials/tokens/runner_tokens.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** The ID of the runner with this token. Throws Forbidden for an unknown token. */
export async function runnerOfToken(db: Db, token: unknown): Promise<number> {
  const found = isToken(token)
    ? await db.runner.findUnique({ where: { tokenHash: tokenHash(token) }, select: { id: true } })
    : null;
  if (!found) throw new Forbidden();
  return found.id;
}
