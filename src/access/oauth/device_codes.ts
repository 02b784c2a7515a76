import type { Adapter, AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { POLL_INTERVAL } from '#src/access/oauth/device_grant.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

const LEFT = Prisma.sql`ceil(extract(epoch FROM expires_at - now()))::int`;

interface Stored {
  payload: AdapterPayload;
  left: number;
  consumed: number | null;
  isTooSoon: boolean;
}

/** Stores the codes of devices by their hashes. Who asks more often than allowed is told to slow down. */
export function deviceCodes(db: Db): Pick<Adapter, 'upsert' | 'find' | 'consume' | 'destroy'> {
  return {
    async upsert(id, { jti: _, ...payload }, expiresIn) {
      const { userCode } = payload;
      await db.$executeRaw`
        INSERT INTO oauth_device_codes (code_hash, user_code_hash, payload, expires_at)
        VALUES (${tokenHash(id)}, ${tokenHash(userCode ?? '')}, ${JSON.stringify({ ...payload, userCode: undefined })}::jsonb,
          now() + make_interval(secs => ${expiresIn}))`;
    },
    async find(id) {
      const [row] = await db.$queryRaw<Stored[]>`
        UPDATE oauth_device_codes d SET polled_at = now()
        FROM (SELECT code_hash, polled_at FROM oauth_device_codes WHERE code_hash = ${tokenHash(id)} FOR UPDATE) old
        WHERE d.code_hash = old.code_hash
        RETURNING payload, ${LEFT} AS "left", extract(epoch FROM consumed_at)::int AS consumed,
          COALESCE(old.polled_at > now() - make_interval(secs => ${POLL_INTERVAL - 1}), false) AS "isTooSoon"`;
      if (!row) return undefined;
      const { payload, left, consumed, isTooSoon } = row;
      const isDecided = payload.accountId !== undefined || payload.error !== undefined;
      if (isTooSoon && !isDecided && left > 0) {
        throw new errors.CustomOIDCProviderError('slow_down', `ask every ${POLL_INTERVAL} seconds at most`);
      }
      const exp = Math.floor(Date.now() / 1000) + left;
      return { ...payload, exp, jti: id, ...(consumed === null ? {} : { consumed }) };
    },
    async consume(id) {
      const consumed = await db.$executeRaw`
        UPDATE oauth_device_codes SET consumed_at = now() WHERE code_hash = ${tokenHash(id)} AND consumed_at IS NULL`;
      if (consumed === 0) throw new errors.InvalidGrant('it was used already');
    },
    async destroy(id) {
      await db.$executeRaw`DELETE FROM oauth_device_codes WHERE code_hash = ${tokenHash(id)}`;
    },
  };
}
