import { isActiveDeployToken } from '#src/access/credentials/tokens/deploy_token.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { decrypt } from '#src/platform/secrets.ts';

const token = alias('DeployToken', 'd');

/** The deploy token that jobs of a project get, the newest one that was made for that (TOKEN_OF_JOBS); null without one. */
export async function deployTokenOfJobs(
  db: Db,
  { projectId }: { projectId: number },
  secret: string,
): Promise<{ username: string; password: string } | null> {
  const [found] = await db.$queryRaw<{ username: string; encrypted: Uint8Array }[]>(
    Prisma.sql`SELECT ${token.username}, ${token.tokenEncrypted} AS encrypted FROM ${table(token)}
      WHERE ${token.projectId} = ${projectId} AND ${token.tokenEncrypted} IS NOT NULL AND ${isActiveDeployToken(token)}
      ORDER BY ${token.id} DESC LIMIT 1`,
  );
  return found ? { username: found.username, password: decrypt(found.encrypted, secret) } : null;
}
