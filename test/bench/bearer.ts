import { authenticate, type Credentials } from '#src/access/credentials/authenticate.ts';
import { connect, type Db } from '#src/platform/database/db.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestServer } from '../support/test_server.ts';
import { median } from './load.ts';

/**
 * The medians, in milliseconds, of looking up a private token and an OAuth access token, among 3,000 users and 100,000 tokens
 * of either other kind. `node test/bench/bearer.ts` prints both and their ratio.
 */
export async function measureBearer(db: Db): Promise<{ privateToken: number; bearer: number }> {
  const [privateToken, bearer] = [newToken(), newToken()];
  await fill(db, privateToken, bearer);
  const time = async (credentials: Credentials) => {
    const begun = performance.now();
    if (!(await authenticate(db, credentials))) throw new Error('nobody was found');
    return performance.now() - begun;
  };
  const times = { privateToken: [] as number[], bearer: [] as number[] };
  for (let turn = 0; turn < 4_000; turn += 1) {
    const [a, b] = [await time({ privateToken }), await time({ bearer })];
    // The first turns warm up.
    if (turn < 1_000) continue;
    times.privateToken.push(a);
    times.bearer.push(b);
  }
  return { privateToken: median(times.privateToken), bearer: median(times.bearer) };
}

async function fill(db: Db, privateToken: string, bearer: string): Promise<void> {
  await db.$executeRaw`
    INSERT INTO users (username, name, email, password_hash, private_token_hash, private_token_encrypted, last_activity_on)
    SELECT 'u' || i, 'User', 'u' || i || '@example.org', 'x', sha256(i::text::bytea), '', (now() AT TIME ZONE 'UTC')::date
    FROM generate_series(1, 3000) i`;
  const { id } = await db.user.findFirstOrThrow({ where: { username: 'u500' } });
  const data = {
    privateTokenHash: tokenHash(privateToken),
    privateTokenEncrypted: encrypt(privateToken, 'x'.repeat(32)),
  };
  await db.user.update({ where: { id }, data });
  await db.$executeRaw`INSERT INTO personal_access_tokens (user_id, name, token_hash, scopes)
    SELECT ${id}, 'x', sha256(('p' || i)::bytea), '{api}' FROM generate_series(1, 100000) i`;
  await db.$executeRaw`INSERT INTO oauth_grants (id, user_id, scopes) VALUES ('g', ${id}, '{api}')`;
  await db.$executeRaw`INSERT INTO oauth_tokens (token_hash, kind, grant_id, user_id, scopes, payload, expires_at)
    SELECT CASE WHEN i = 500 THEN ${tokenHash(bearer)} ELSE sha256(('o' || i)::bytea) END, 'access', 'g', ${id}, '{api}',
      '{"iat": 1, "exp": 2, "kind": "AccessToken", "scope": "api"}', now() + interval '1 hour'
    FROM generate_series(1, 100000) i`;
  await db.$executeRaw`ANALYZE`;
}

if (import.meta.main) {
  const server = await startTestServer();
  const db = connect(await freshDatabase(server));
  try {
    const { privateToken, bearer } = await measureBearer(db);
    const ratio = (bearer / privateToken).toFixed(2);
    console.log(`private token ${privateToken.toFixed(3)} ms, bearer ${bearer.toFixed(3)} ms, ratio ${ratio}`);
  } finally {
    await db.$disconnect();
    await server.stop();
  }
}
