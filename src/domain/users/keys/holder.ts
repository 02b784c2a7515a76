import { createHash } from 'node:crypto';
import { noteSeenToday } from '#src/access/credentials/seen.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { canAuthenticateSql } from '#src/platform/outbound/mail/sending.ts';

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
 * expired or is for signatures alone.
 */
export async function findHolder(db: Db, fingerprint: string): Promise<KeyHolder | null> {
  const user = Prisma.sql`u.id, u.username, u.admin, u.external, u.can_create_group AS "canCreateGroup",
    u.projects_limit AS "projectsLimit", u.last_activity_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date AS "firstToday"`;
  const active = Prisma.sql`u.id = k.user_id AND u.state = 'active' AND ${canAuthenticateSql(db)}`;
  const [row] = await queryRows<Row>(
    db,
    Prisma.sql`
    SELECT 'user' AS kind, k.id AS "keyId", k.title, false AS "canPush", ${TO_NOTE} AS "toNote", ${user}
      FROM ssh_keys k JOIN users u ON ${active} WHERE k.fingerprint_sha256 = ${fingerprint}
        AND k.usage_type <> 'signing' AND (k.expires_at IS NULL OR k.expires_at > now())
    UNION ALL
    SELECT 'deploy', k.id, k.title, k.can_push, ${TO_NOTE}, ${user}
      FROM deploy_keys k LEFT JOIN users u ON ${active} WHERE k.fingerprint_sha256 = ${fingerprint}`,
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
