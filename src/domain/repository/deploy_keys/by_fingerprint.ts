import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { parseFingerprint } from '#src/domain/users/keys/fingerprint.ts';
import { keyByFingerprint } from '#src/domain/users/keys/list.ts';
import { type UserRow, userJson } from '#src/domain/users/rows.ts';
import type { KeyUsage } from '#src/generated/prisma/client.ts';
import { Prisma, queryJson } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** A public key of a user, or of projects. */
export interface RegisteredKey {
  id: number;
  title: string;
  key: string;
  /** ISO 8601. */
  createdAt: string;
  expiresAt: string | null;
  usageType: KeyUsage;
  lastUsedAt: string | null;
  /** Whose it is; of a deploy key who added it, null if they are gone. */
  user: UserRow | null;
  /** The projects that a deploy key opens; null for the key of a user. */
  deployKeyProjects: { deployKeyId: number; projectId: number; canPush: boolean }[] | null;
}

/** Projects of a deploy key that are told of. */
const MAX_PROJECTS = 1_000;

/** The key with a fingerprint, for administrators. Throws Forbidden, BadRequest, NotFound. */
export async function findKeyByFingerprint(
  context: Context,
  text: string,
  users: Selection<'User'>,
): Promise<RegisteredKey> {
  requireAdmin(context);
  const wanted = parseFingerprint(text);
  const ofUser = await keyByFingerprint(context, wanted, users);
  if (ofUser) return { ...ofUser, deployKeyProjects: null };
  const { algorithm, fingerprint } = wanted;
  const own = algorithm === 'md5' ? sql`k.fingerprint = ${fingerprint}` : sql`k.fingerprint_sha256 = ${fingerprint}`;
  const [found] = await queryJson<RegisteredKey[]>(
    context.db,
    sql`(SELECT COALESCE(json_agg(json_build_object('id', k.id, 'title', k.title, 'key', k.key, 'createdAt', k.created_at,
      'expiresAt', NULL, 'usageType', 'auth', 'lastUsedAt', k.last_used_at, 'user', ${userJson('u', users)},
      'deployKeyProjects', (SELECT COALESCE(json_agg(json_build_object('deployKeyId', l.deploy_key_id, 'projectId', l.project_id,
        'canPush', k.can_push) ORDER BY l.project_id), '[]') FROM (SELECT * FROM project_deploy_keys pk
        WHERE pk.deploy_key_id = k.id ORDER BY pk.project_id LIMIT ${MAX_PROJECTS}) l))), '[]')
      FROM deploy_keys k LEFT JOIN users u ON u.id = k.user_id WHERE ${own})`,
  );
  if (!found) throw new NotFound('Key');
  return found;
}
