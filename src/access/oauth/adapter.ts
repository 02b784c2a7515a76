import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { findClient, NO_APPLICATION } from '#src/access/oauth/clients.ts';
import { deviceCodes } from '#src/access/oauth/device_codes.ts';
import { insertGrant, revokeGrant } from '#src/access/oauth/grants.ts';
import type { OAuthTokenKind } from '#src/generated/prisma/client.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** Stores the provider's data in the database, so that all servers share it. */
export function adapterFor(db: Db): (model: string) => Adapter {
  return (model) => {
    const kind = TOKENS[model];
    if (kind) return tokens(db, kind);
    if (model === 'DeviceCode') return { ...nothing, ...deviceCodes(db) };
    if (model === 'Grant') return grants(db);
    if (model === 'Interaction') return interactions(db);
    if (model === 'Client') return { ...nothing, find: (uid) => findClient(db, uid) };
    return nothing;
  };
}

const TOKENS: Record<string, OAuthTokenKind> = {
  AuthorizationCode: 'code',
  AccessToken: 'access',
  RefreshToken: 'refresh',
  ClientCredentials: 'client',
};

interface Stored {
  payload: AdapterPayload;
  /** Seconds until it expires, by the clock of the database. */
  left: number;
}

const LEFT = Prisma.sql`ceil(extract(epoch FROM expires_at - now()))::int`;

/** The provider judges by the clock of this machine; expiry is stored by the clock of the database. */
function onOwnClock({ payload, left }: Stored): AdapterPayload {
  const { exp = 0, iat } = payload;
  const shift = Math.floor(Date.now() / 1000) + left - exp;
  return { ...payload, exp: exp + shift, ...(iat === undefined ? {} : { iat: iat + shift }) };
}

/** Stores codes and tokens by their hashes, so that stored values cannot be used as tokens. */
function tokens(db: Db, kind: OAuthTokenKind): Adapter {
  return {
    ...nothing,
    async upsert(id, payload, expiresIn) {
      const { jti: _, ...kept } = payload;
      const values = Prisma.sql`${tokenHash(id)}, ${kind}::oauth_token_kind, ${payload.scope?.split(' ') ?? []}::text[],
        ${JSON.stringify(kept)}::jsonb, now() + make_interval(secs => ${expiresIn})`;
      const inserted =
        kind === 'client'
          ? await db.$executeRaw`
              INSERT INTO oauth_tokens (token_hash, kind, scopes, payload, expires_at, application_id)
              SELECT ${values}, id FROM oauth_applications WHERE uid = ${payload.clientId}`
          : await db.$executeRaw`
              INSERT INTO oauth_tokens (token_hash, kind, scopes, payload, expires_at, grant_id, user_id, application_id)
              SELECT ${values}, id, user_id, application_id FROM oauth_grants
              WHERE id = ${payload.grantId} AND revoked_at IS NULL FOR SHARE`;
      if (inserted === 0) throw new errors.InvalidGrant('it was revoked meanwhile');
    },
    async find(id) {
      const [row] = await db.$queryRaw<(Stored & { consumed: number | null })[]>`
        SELECT payload, ${LEFT} AS "left", extract(epoch FROM consumed_at)::int AS consumed FROM oauth_tokens
        WHERE token_hash = ${tokenHash(id)} AND kind = ${kind}::oauth_token_kind AND revoked_at IS NULL`;
      if (!row) return undefined;
      return { ...onOwnClock(row), jti: id, ...(row.consumed === null ? {} : { consumed: row.consumed }) };
    },
    async consume(id) {
      const hash = tokenHash(id);
      const [consumed] = await db.$queryRaw<unknown[]>`
        UPDATE oauth_tokens SET consumed_at = now() WHERE token_hash = ${hash} AND consumed_at IS NULL RETURNING 1`;
      if (consumed) return;
      // Another request used it at the same time, so one of the two requests comes from a thief.
      const { grantId } = await db.oAuthToken.findUniqueOrThrow({ where: { tokenHash: hash } });
      if (grantId !== null) await revokeGrant(db, grantId);
      throw new errors.InvalidGrant('it was used already');
    },
    async destroy(id) {
      await db.$executeRaw`
        UPDATE oauth_tokens SET revoked_at = now() WHERE token_hash = ${tokenHash(id)} AND revoked_at IS NULL`;
    },
    async revokeByGrantId(grantId) {
      // The provider calls this for each kind of token; ending the grant ends them all.
      if (kind === 'access') await revokeGrant(db, grantId);
    },
  };
}

function grants(db: Db): Adapter {
  return {
    ...nothing,
    async upsert(id, { accountId, clientId, openid }) {
      const { scope = '' } = (openid ?? {}) as { scope?: string };
      const scopes = scope.split(' ').filter(Boolean);
      const inserted = await insertGrant(db, { id, userId: Number(accountId), clientId: String(clientId), scopes });
      if (!inserted) throw new errors.InvalidGrant('user or application are gone');
    },
    async find(id) {
      const grant = await db.oAuthGrant.findFirst({
        where: { id, revokedAt: null },
        include: { application: { select: { uid: true } } },
      });
      if (!grant) return undefined;
      return {
        jti: id,
        kind: 'Grant',
        accountId: String(grant.userId),
        clientId: grant.application?.uid ?? NO_APPLICATION,
        openid: { scope: grant.scopes.join(' ') },
      };
    },
    destroy: (id) => revokeGrant(db, id),
  };
}

/** Requests of applications that wait for the user; the cookie with their ID continues them. */
function interactions(db: Db): Adapter {
  return {
    ...nothing,
    async upsert(id, { jti: _, returnTo: __, ...payload }, expiresIn) {
      await db.$executeRaw`
        INSERT INTO oauth_interactions (id_hash, payload, expires_at)
        VALUES (${tokenHash(id)}, ${JSON.stringify(payload)}::jsonb, now() + make_interval(secs => ${expiresIn}))
        ON CONFLICT (id_hash) DO UPDATE SET payload = EXCLUDED.payload, expires_at = EXCLUDED.expires_at`;
    },
    async find(id) {
      const [row] = await db.$queryRaw<Stored[]>`
        SELECT payload, ${LEFT} AS "left" FROM oauth_interactions WHERE id_hash = ${tokenHash(id)} AND expires_at > now()`;
      return row && { ...onOwnClock(row), jti: id, returnTo: `/oauth/authorize/${id}` };
    },
    async destroy(id) {
      await db.oAuthInteraction.deleteMany({ where: { idHash: tokenHash(id) } });
    },
  };
}

const refuse = async (): Promise<never> => {
  throw new Error('the provider keeps something that it was not meant to have');
};

const nothing: Adapter = {
  upsert: refuse,
  consume: refuse,
  destroy: refuse,
  revokeByGrantId: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
};
