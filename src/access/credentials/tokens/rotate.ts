import { type Audited, type Auditing, audit, BY_SERVER } from '#src/access/audit/record.ts';
import type { Credentials } from '#src/access/credentials/authenticate.ts';
import { expiryError, insertToken, requireExpiry, today } from '#src/access/credentials/tokens/create.ts';
import { endBots } from '#src/access/credentials/tokens/end_bots.ts';
import { findToken, type MadeToken, noToken } from '#src/access/credentials/tokens/list.ts';
import { auditedToken } from '#src/access/credentials/tokens/revoke.ts';
import { type Context, outOfReach, requireTokenHolder } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { type Db, Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { BadRequest, ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import { tokenHash } from '#src/platform/secrets.ts';

const { sql } = Prisma;
const token = alias('PersonalAccessToken', 't');

/** Days that a new token lasts if nothing is said (people-and-projects.md 3). */
const DAYS = 7;

/**
 * Replaces a token of the actor, or of anyone for administrators, by a new one with the same name, description and scopes. The old
 * one stops working immediately. Rotating a token that was revoked already revokes the tokens that took its place: somebody else
 * has it. Throws Forbidden, NotFound, BadRequest for inactive tokens, ValidationFailed.
 *
 * @param expiresAt YYYY-MM-DD; in seven days when absent
 */
export async function rotateToken<R>(
  context: Context,
  { id, expiresAt }: { id: number; expiresAt?: string | null | undefined },
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const actor = requireCredentialManager(context);
  await findToken(context, id, select('PersonalAccessToken', { id: true }));
  const made = await replaceToken(context, id, expiresAt);
  if (!made) throw noToken(actor);
  return { ...(await findToken(context, made.id, selection)), token: made.token };
}

/** Replaces the token that the request was made with, for which the scope `self_rotate` suffices. Throws as rotateToken, and InsufficientScope. */
export async function rotateCurrentToken<R>(
  context: Context,
  { expiresAt }: { expiresAt?: string | null | undefined },
  selection: Selection<'PersonalAccessToken', R>,
): Promise<MadeToken<R>> {
  const actor = { ...requireTokenHolder(context), purpose: 'rotate_token' as const };
  if (!['api', 'self_rotate'].some((scope) => actor.scopes.includes(scope))) throw outOfReach(actor);
  const made = await replaceToken(context, actor.tokenId, expiresAt);
  const row = made && (await readRow(context.db, selection, { rows: token, where: sql`${token.id} = ${made.id}` }));
  if (!made || !row) throw noToken(actor);
  return { ...row, token: made.token };
}

/** Ends what took the place of a revoked token, where somebody tries to rotate it with itself. */
export async function endFamilyOf(db: Db, { privateToken, bearer }: Credentials): Promise<void> {
  const text = privateToken ?? bearer;
  if (text === undefined) return;
  const where = sql`${token.tokenHash} = ${tokenHash(text)} AND ${token.revoked}`;
  const [found] = await queryRows<Family>(
    db,
    sql`SELECT ${FAMILY}, ${token.userId} AS "userId" FROM ${table(token)} WHERE ${where}`,
  );
  if (found) await db.$transaction((tx) => revokeFamily(tx, BY_SERVER, found));
}

interface Family {
  /** The first token of the family. */
  family: number;
  userId: number;
}

const FAMILY = sql`COALESCE(${token.familyId}, ${token.id}) AS family`;

interface Rotated extends Family {
  projectId: number | null;
  namespaceId: number | null;
  name: string;
  description: string | null;
  scopes: string[];
  impersonation: boolean;
  createdById: number | null;
  active: boolean;
  revoked: boolean;
}

/**
 * Replaces a token that the caller may rotate; null if there is none. `at` is where the audit log has it, if not where the token
 * belongs. Throws as rotateToken.
 */
export async function replaceToken(
  context: Pick<Context, 'db'> & Auditing,
  id: number,
  expiresAt = today(DAYS) as string | null,
  at?: Audited['place'],
): Promise<{ id: number; token: string } | null> {
  const { db } = context;
  await requireExpiry(db, expiresAt);
  const wrong = expiresAt === null ? null : expiryError(expiresAt);
  if (wrong) throw new ValidationFailed({ expires_at: [wrong] });
  const made = await db.$transaction(async (tx) => {
    const [old] = await queryRows<Rotated>(
      tx,
      sql`SELECT ${token.userId} AS "userId", ${token.projectId} AS "projectId", ${token.namespaceId} AS "namespaceId", ${token.name}, ${token.description}, ${token.scopes}, ${token.impersonation}, ${token.createdById} AS "createdById",
        ${token.revoked}, ${FAMILY}, (${token.expiresAt} IS NULL OR ${token.expiresAt} > (now() AT TIME ZONE 'UTC')::date) AS active
      FROM ${table(token)} WHERE ${token.id} = ${id} FOR UPDATE`,
    );
    if (!old) return null;
    if (old.revoked) {
      await revokeFamily(tx, context, old);
      return 'revoked';
    }
    if (!old.active) return 'expired';
    await tx.personalAccessToken.update({ where: { id }, data: { revoked: true } });
    const { userId, projectId, namespaceId, impersonation, family } = old;
    // A bot is a member for as long as its token lasts.
    const membership = { userId, ...(projectId === null ? { namespaceId } : { projectId }) };
    if (projectId !== null || namespaceId !== null) {
      await tx.member.updateMany({ where: membership, data: { expiresAt: expiresAt && new Date(expiresAt) } });
    }
    // Only administrators replace tokens of others: this one answers for it from now on.
    const isOfOther = impersonation && context.actor !== null && context.actor.id !== userId;
    const createdById = isOfOther ? context.actor.id : old.createdById;
    const place = { userId, projectId, namespaceId, impersonation, createdById, familyId: family };
    const made = await insertToken(tx, place, { ...old, expiresAt });
    await audit(tx, context, {
      action: 'access_token_rotated',
      ...auditedToken({ ...old, id: made.id }),
      ...(at && { place: at }),
    });
    return made;
  });
  if (made === 'revoked')
    throw new BadRequest('The token was revoked, and so are the tokens that took its place').asWrongState();
  if (made === 'expired') throw new BadRequest('The token has expired').asWrongState();
  return made;
}

async function revokeFamily(tx: Transaction, context: Auditing, { family, userId }: Family): Promise<void> {
  const ended = await tx.personalAccessToken.updateManyAndReturn({
    where: { OR: [{ id: family }, { familyId: family }], revoked: false },
    data: { revoked: true },
    select: { id: true, userId: true, projectId: true, namespaceId: true, name: true },
  });
  await audit(tx, context, ...ended.map((one) => ({ action: 'access_token_revoked' as const, ...auditedToken(one) })));
  await endBots(tx, context, userId);
}
