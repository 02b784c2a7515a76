import { createHash } from 'node:crypto';
import { noteSeenToday } from '#src/access/credentials/seen.ts';
import { isNoEndedBot } from '#src/access/credentials/tokens/active.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { canAuthenticateSql } from '#src/platform/outbound/mail/sending.ts';
import { alias, table } from '#src/platform/records/alias.ts';

/** The owner of a public key: a user, or projects with a deploy key. */
export type KeyHolder = UserKey | DeployKeyHolder;

interface UserKey extends Noted {
  kind: 'user';
  actor: Actor;
  /** Whether this is the user's first request of the day (UTC). */
  firstToday: boolean;
}

/** A deploy key in use. */
export interface DeployKeyHolder extends Noted {
  kind: 'deploy';
  title: string;
  canPush: boolean;
  /** The user who added it, without administrator rights; null if they are gone or blocked. */
  actor: Actor | null;
}

interface Noted {
  keyId: number;
  /** Whether its use was not recorded within the last minute. */
  toNote: boolean;
}

interface Row {
  kind: 'user' | 'deploy';
  keyId: number;
  title: string;
  canPush: boolean;
  toNote: boolean;
  id: number | null;
  username: string | null;
  admin: boolean | null;
  external: boolean | null;
  canCreateGroup: boolean | null;
  projectsLimit: number | null;
  firstToday: boolean | null;
}

const [user, maker] = [alias('User', 'u'), alias('User', 'maker')];

const TO_NOTE = Prisma.sql`(k.last_used_at IS NULL OR k.last_used_at <= now() - interval '1 minute')`;

/** The SHA-256 fingerprint that identifies a stored key: base64 without padding. */
export function fingerprintOf(key: Buffer): string {
  return createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/(?<!=)=+$/, '');
}

/**
 * The current owner of the key with this fingerprint, in one statement; null if there is none, the user is blocked, or the key has
 * expired or is for signatures alone. What a bot added ends with the bot.
 */
export function findHolder(db: Db, fingerprint: string): Promise<KeyHolder | null> {
  return find(db, {
    user: Prisma.sql`k.fingerprint_sha256 = ${fingerprint}`,
    deploy: Prisma.sql`k.fingerprint_sha256 = ${fingerprint}`,
  });
}

/** As findHolder, of the key that was found earlier. */
export function findHolderById(
  db: Db,
  { kind, keyId }: { kind: KeyHolder['kind']; keyId: number },
): Promise<KeyHolder | null> {
  const none = Prisma.sql`FALSE`;
  return find(db, { user: none, deploy: none, [kind]: Prisma.sql`k.id = ${keyId}` });
}

async function find(db: Db, key: Record<KeyHolder['kind'], Prisma.Sql>): Promise<KeyHolder | null> {
  const own = Prisma.sql`u.id, u.username, u.admin, u.external, u.can_create_group AS "canCreateGroup",
    u.projects_limit AS "projectsLimit", u.last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date AS "firstToday"`;
  const active = Prisma.sql`u.id = k.user_id AND u.state = 'active' AND ${canAuthenticateSql(db)} AND ${isNoEndedBot(user)}`;
  const [row] = await queryRows<Row>(
    db,
    Prisma.sql`
    SELECT 'user' AS kind, k.id AS "keyId", k.title, false AS "canPush", ${TO_NOTE} AS "toNote", ${own}
      FROM ssh_keys k JOIN users u ON ${active} WHERE ${key.user}
        AND k.usage_type <> 'signing' AND (k.expires_at IS NULL OR k.expires_at > now())
    UNION ALL
    SELECT 'deploy', k.id, k.title, k.can_push, ${TO_NOTE}, ${own}
      FROM deploy_keys k LEFT JOIN users u ON ${active} WHERE ${key.deploy}
        AND NOT EXISTS (SELECT 1 FROM ${table(maker)} WHERE ${maker.id} = k.user_id AND NOT ${isNoEndedBot(maker)})`,
  );
  if (!row) return null;
  const { kind, keyId, toNote } = row;
  const actor = actorOf(row);
  if (kind === 'user') return actor && { kind, keyId, toNote, actor, firstToday: row.firstToday === true };
  return { kind, keyId, toNote, title: row.title, canPush: row.canPush, actor };
}

function actorOf(row: Row): Actor | null {
  const { id, username } = row;
  if (id === null || username === null) return null;
  const isOwn = row.kind === 'user';
  return {
    id,
    username,
    admin: isOwn && row.admin === true,
    external: row.external === true,
    canCreateGroup: row.canCreateGroup === true,
    projectsLimit: row.projectsLimit ?? 0,
    credential: isOwn ? 'ssh_key' : 'deploy_key',
    scopes: ['api'],
  };
}

/** Records the use of a key, unless that was done within the last minute; for a user also the day of the last activity. */
export async function noteKeyUse(db: Db, holder: KeyHolder): Promise<void> {
  const { kind, keyId, toNote } = holder;
  if (kind === 'user' && holder.firstToday) await noteSeenToday(db, holder.actor.id);
  if (!toNote) return;
  if (kind === 'user')
    await db.$executeRaw`UPDATE ssh_keys k SET last_used_at = now() WHERE id = ${keyId} AND ${TO_NOTE}`;
  else await db.$executeRaw`UPDATE deploy_keys k SET last_used_at = now() WHERE id = ${keyId} AND ${TO_NOTE}`;
}
