import type { LazyProvider } from '#src/access/oauth/lazy.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** What an application on a device asks for. */
export interface DeviceRequest {
  clientId: string;
  scopes: string[];
}

/** The code as it is stored, from what a user typed. */
function normalized(userCode: string) {
  return tokenHash(userCode.toUpperCase().replace(/[^A-Z0-9]/g, ''));
}

const UNDECIDED = Prisma.sql`expires_at > now() AND consumed_at IS NULL AND NOT payload ?| ARRAY['accountId', 'error']`;

/** The request that waits for a decision under a code that the user typed; null without one. */
export async function findDeviceRequest(db: Db, userCode: string): Promise<DeviceRequest | null> {
  const [row] = await db.$queryRaw<{ payload: { clientId: string; params?: { scope?: string } } }[]>`
    SELECT payload FROM oauth_device_codes WHERE user_code_hash = ${normalized(userCode)} AND ${UNDECIDED}`;
  if (!row) return null;
  const { clientId, params } = row.payload;
  return { clientId, scopes: (params?.scope ?? '').split(' ').filter(Boolean) };
}

/** Who lets an application in, and how long ago they proved who they are, in seconds. */
export interface Decider {
  userId: number;
  age: number;
}

/** Lets the application in that waits under the code; false if none does any more. */
export async function allowDevice(
  lazy: LazyProvider,
  db: Db,
  userCode: string,
  { userId, age }: Decider,
): Promise<boolean> {
  const request = await findDeviceRequest(db, userCode);
  if (!request) return false;
  const provider = await lazy.get();
  const grant = new provider.Grant({ accountId: String(userId), clientId: request.clientId });
  const scope = request.scopes.join(' ');
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  const authTime = Math.floor(Date.now() / 1000 - age);
  const decided = await decide(db, userCode, { accountId: String(userId), grantId, scope, authTime });
  if (!decided) await grant.destroy();
  return decided;
}

/** Keeps the application out that waits under the code; false if none does any more. */
export function denyDevice(db: Db, userCode: string): Promise<boolean> {
  return decide(db, userCode, {
    error: 'access_denied',
    errorDescription: 'The user denied access to the application.',
  });
}

async function decide(db: Db, userCode: string, decision: object): Promise<boolean> {
  const changed = await db.$executeRaw`
    UPDATE oauth_device_codes SET payload = payload || ${JSON.stringify(decision)}::jsonb
    WHERE user_code_hash = ${normalized(userCode)} AND ${UNDECIDED}`;
  return changed > 0;
}
