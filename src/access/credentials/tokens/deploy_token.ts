import { isNoEndedBot } from '#src/access/credentials/tokens/active.ts';
import { DEVELOPER, REPORTER } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';
import { tokenHash } from '#src/platform/secrets.ts';

const { sql } = Prisma;
const token = alias('DeployToken', 'd');
const maker = alias('User', 'maker');

/** Prefix of deploy tokens, so that they are recognized where they do not belong. */
export const DEPLOY_TOKEN = 'gldt-';

computedFields('DeployToken', {
  expired: ({ expiresAt }) => sql`COALESCE(${expiresAt} <= now(), false)`,
});

/** Whether a deploy token still works: one that a bot made ends with the bot. */
export function isActiveDeployToken({ revoked, expiresAt, createdById }: typeof token): Prisma.Sql {
  return sql`(NOT ${revoked} AND (${expiresAt} IS NULL OR ${expiresAt} > now())
    AND NOT EXISTS (SELECT 1 FROM ${table(maker)} WHERE ${maker.id} = ${createdById} AND NOT ${isNoEndedBot(maker)}))`;
}

/** Whether a text looks like a deploy token, and so can be nothing else. */
export function isDeployToken(text: string): boolean {
  return text.startsWith(DEPLOY_TOKEN);
}

/**
 * Who uses a deploy token: no user, but somebody with the level of a reporter in its project, or below its group; of a developer where
 * it may write something. Its scopes limit what that is good for. Null for unknown, revoked and expired ones.
 *
 * @param username the one that was sent with it; absent where none is needed
 */
export async function actorOfDeployToken(db: Db, text: string, username?: string): Promise<Actor | null> {
  const named = username === undefined ? sql`TRUE` : sql`${token.username} = ${username}`;
  return find(db, sql`${token.tokenHash} = ${tokenHash(text)} AND ${named}`);
}

/** As actorOfDeployToken, for the actor that was found earlier (see Actor.id). */
export async function deployTokenAgain(db: Db, actorId: number): Promise<Actor | null> {
  return find(db, sql`${token.id} = ${-actorId}`);
}

interface Found {
  id: number;
  username: string;
  projectId: number | null;
  namespaceId: number | null;
  scopes: string[];
}

async function find(db: Db, condition: Prisma.Sql): Promise<Actor | null> {
  const [found] = await queryRows<Found>(
    db,
    sql`SELECT ${token.id}, ${token.username}, ${token.projectId} AS "projectId", ${token.groupId} AS "namespaceId",
      ${token.scopes} FROM ${table(token)} WHERE ${condition} AND ${isActiveDeployToken(token)}`,
  );
  if (!found) return null;
  const { id, username, projectId, namespaceId, scopes } = found;
  const level = scopes.some((scope) => scope.startsWith('write_')) ? DEVELOPER : REPORTER;
  return {
    id: -id,
    username,
    ...{ admin: false, external: true, canCreateGroup: false, projectsLimit: 0 },
    credential: 'deploy_token',
    scopes,
    place: { projectId, namespaceId, level },
  };
}
