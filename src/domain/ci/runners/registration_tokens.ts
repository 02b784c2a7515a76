import { timingSafeEqual } from 'node:crypto';
import { isToken, REGISTRATION_TOKEN } from '#src/access/credentials/tokens/runner_tokens.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { decrypt, encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

type Stores = Pick<Context, 'db' | 'secret'>;

/** What a registration token allows: registering shared runners, or those of one project or group. */
export type Registration =
  | { kind: 'shared' }
  | { kind: 'project'; projectId: number }
  | { kind: 'group'; groupId: number };

/** The registration token for shared runners, created on first use. */
export async function serverRegistrationToken({ db, secret }: Stores): Promise<string> {
  const known = await readServerToken(db);
  if (known) return decrypt(known, secret);
  // Concurrent callers get the same token.
  await db.applicationSettings.updateMany({
    where: { id: 1, runnersTokenEncrypted: null },
    data: { runnersTokenEncrypted: encrypt(newToken(REGISTRATION_TOKEN), secret) },
  });
  const made = await readServerToken(db);
  if (!made) throw new Error('The settings of the server are missing');
  return decrypt(made, secret);
}

/** Replaces the registration token for shared runners and returns it; the old one stops working. */
export async function renewServerRegistrationToken(tx: Db | Transaction, secret: string): Promise<string> {
  const token = newToken(REGISTRATION_TOKEN);
  await tx.applicationSettings.update({ where: { id: 1 }, data: { runnersTokenEncrypted: encrypt(token, secret) } });
  return token;
}

/** Replaces the registration token of a project and returns it. */
export async function renewProjectRegistrationToken(
  tx: Db | Transaction,
  secret: string,
  projectId: number,
): Promise<string> {
  const token = newToken();
  await tx.project.update({ where: { id: projectId }, data: tokenColumns(token, secret), select: { id: true } });
  return token;
}

/** The registration tokens of groups, created on first use; null for groups that are gone. */
export async function groupRegistrationTokens(
  { db, secret }: Stores,
  groupIds: readonly number[],
): Promise<(string | null)[]> {
  const read = async () =>
    new Map(
      (
        await db.namespace.findMany({ where: { id: { in: [...groupIds] } }, select: { id: true, runnersToken: true } })
      ).map(({ id, runnersToken }) => [id, runnersToken]),
    );
  let known = await read();
  const missing = [...known].flatMap(([id, token]) => (token === null ? [id] : []));
  if (missing.length > 0) {
    const made = missing.map((id) => {
      const token = newToken();
      const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
      return { id, token: hex(encrypt(token, secret)), hash: hex(tokenHash(token)) };
    });
    // Concurrent callers get the same tokens.
    await db.$executeRaw`UPDATE namespaces SET runners_token = decode(made.token, 'hex'), runners_token_hash = decode(made.hash, 'hex')
      FROM jsonb_to_recordset(${JSON.stringify(made)}::jsonb) AS made (id int, token text, hash text)
      WHERE namespaces.id = made.id AND namespaces.runners_token IS NULL`;
    known = await read();
  }
  return groupIds.map((id) => {
    const token = known.get(id);
    return token ? decrypt(token, secret) : null;
  });
}

/** Replaces the registration token of a group and returns it. */
export async function renewGroupRegistrationToken(
  tx: Db | Transaction,
  secret: string,
  groupId: number,
): Promise<string> {
  const token = newToken();
  await tx.namespace.update({ where: { id: groupId }, data: tokenColumns(token, secret), select: { id: true } });
  return token;
}

function tokenColumns(token: string, secret: string) {
  return { runnersToken: encrypt(token, secret), runnersTokenHash: tokenHash(token) };
}

/** What a token allows to register; null for unknown tokens. */
export async function registrationOf(stores: Stores, token: unknown): Promise<Registration | null> {
  if (!isToken(token)) return null;
  const hash = tokenHash(token);
  const { db } = stores;
  const known = await readServerToken(db);
  if (known && timingSafeEqual(tokenHash(decrypt(known, stores.secret)), hash)) return { kind: 'shared' };
  const find = () => db.project.findFirst({ where: { runnersTokenHash: hash, deletedAt: null }, select: { id: true } });
  const project = (await find()) ?? ((await hashTokens(stores)) ? await find() : null);
  if (project) return { kind: 'project', projectId: project.id };
  const where = { runnersTokenHash: hash, deletedAt: null };
  const group = await db.namespace.findFirst({ where, select: { id: true } });
  return group && { kind: 'group', groupId: group.id };
}

async function readServerToken(db: Db): Promise<Uint8Array | null> {
  const row = await db.applicationSettings.findUnique({ where: { id: 1 }, select: { runnersTokenEncrypted: true } });
  return row?.runnersTokenEncrypted ?? null;
}

/** Projects whose tokens are hashed per statement. */
const BATCH_SIZE = 500;

/** Hashes registration tokens that an earlier version created; returns whether there were any, which is rare. */
async function hashTokens({ db, secret }: Stores): Promise<boolean> {
  for (let after = 0, some = false; ; some = true) {
    const rows = await db.project.findMany({
      where: { runnersTokenHash: null, id: { gt: after } },
      select: { id: true, runnersToken: true },
      orderBy: { id: 'asc' },
      take: BATCH_SIZE,
    });
    const last = rows.at(-1);
    if (!last) return some;
    const hashes = rows.map(({ runnersToken }) =>
      Buffer.from(tokenHash(decrypt(runnersToken, secret))).toString('hex'),
    );
    await db.$executeRaw`
      UPDATE projects SET runners_token_hash = decode(known.hash, 'hex')
      FROM unnest(${rows.map(({ id }) => id)}::int[], ${hashes}::text[]) AS known (id, hash)
      WHERE projects.id = known.id AND projects.runners_token_hash IS NULL`;
    after = last.id;
  }
}
