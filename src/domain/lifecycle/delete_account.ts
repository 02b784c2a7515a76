import { OWNER } from '#src/access/permissions/abilities.ts';
import { type Context, requireAccount } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { type Proof, requireProof } from '#src/access/sign_in/two_factor/proof.ts';
import { removeUser } from '#src/domain/lifecycle/delete_user.ts';
import { ghostId } from '#src/domain/users/ghost.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { ADMINISTRATORS_LOCK } from '#src/platform/database/lock_names.ts';
import { Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** What goes, or is handed on, when the caller's account is deleted, and what keeps it from that. */
export interface AccountDeletion {
  projects: number;
  snippets: number;
  memberships: number;
  keys: number;
  tokens: number;
  issues: number;
  mergeRequests: number;
  notes: number;
  /** Full paths of groups of which nobody else is an owner, at most a hundred. */
  ownedGroups: string[];
  /** Whether no other administrator is active. */
  isLastAdministrator: boolean;
}

/** How many groups are told. */
const MAX_NAMED_GROUPS = 100;

/** The groups of which nobody else is a direct owner. */
function onlyOwned(userId: number): Prisma.Sql {
  return sql`FROM members m JOIN namespaces n ON n.id = m.namespace_id AND n.kind = 'group' AND n.deleted_at IS NULL
    WHERE m.user_id = ${userId} AND m.access_level = ${OWNER} AND NOT EXISTS (SELECT 1 FROM members o JOIN users u ON u.id = o.user_id
      WHERE o.namespace_id = n.id AND o.access_level = ${OWNER} AND o.user_id <> ${userId} AND u.state = 'active' AND NOT u.bot
        AND ${notExpired('o')})`;
}

/** What the deletion of the caller's account would do. Throws Unauthenticated, Forbidden. */
export async function findAccountDeletion(context: Context): Promise<AccountDeletion> {
  const { id } = requireOneself(context);
  const [found] = await context.db.$queryRaw<[AccountDeletion]>`
    SELECT (SELECT count(*)::int FROM projects p JOIN namespaces n ON n.id = p.namespace_id
        WHERE n.owner_id = ${id} AND p.deleted_at IS NULL) AS projects,
      (SELECT count(*)::int FROM snippets WHERE author_id = ${id} AND project_id IS NULL) AS snippets,
      (SELECT count(*)::int FROM members WHERE user_id = ${id}) AS memberships,
      (SELECT count(*)::int FROM ssh_keys WHERE user_id = ${id}) + (SELECT count(*)::int FROM gpg_keys WHERE user_id = ${id}) AS keys,
      (SELECT count(*)::int FROM personal_access_tokens WHERE user_id = ${id} AND NOT revoked) AS tokens,
      (SELECT count(*)::int FROM issues WHERE author_id = ${id} AND deleted_at IS NULL) AS issues,
      (SELECT count(*)::int FROM merge_requests WHERE author_id = ${id}) AS "mergeRequests",
      (SELECT count(*)::int FROM notes WHERE author_id = ${id} AND NOT system) AS notes,
      COALESCE((SELECT array_agg(g.full_path ORDER BY g.full_path) FROM (
        SELECT n.full_path ${onlyOwned(id)} ORDER BY n.full_path LIMIT ${MAX_NAMED_GROUPS}) g), '{}') AS "ownedGroups",
      (SELECT u.admin FROM users u WHERE u.id = ${id})
        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.admin AND u.state = 'active' AND u.id <> ${id}) AS "isLastAdministrator"`;
  return found;
}

/** What the caller says for their account to be deleted. */
export interface AccountDeletionRequest extends Proof {
  /** The caller's own username, typed by hand. */
  username: string;
}

/**
 * Deletes the caller's own account as administrators delete others (`deleteUser`): in exchange for the username and the password or a
 * code. Throws Unauthenticated, ValidationFailed, RateLimited, and Forbidden where groups would lose their last owner, or the server
 * its last administrator.
 */
export async function deleteAccount(context: Context, { username, ...proof }: AccountDeletionRequest): Promise<void> {
  const actor = requireOneself(context);
  if (username.trim().toLowerCase() !== actor.username.toLowerCase())
    throw new ValidationFailed({ username: ['is not your username'] });
  const { ownedGroups, isLastAdministrator } = await findAccountDeletion(context);
  refuse(ownedGroups, isLastAdministrator);
  await requireProof(context, actor, proof);
  const ghost = await ghostId(context.db, context.secret);
  const check = (tx: Transaction) => checkAgain(tx, actor.id);
  await removeUser(context, { id: actor.id, ghost, check }, select('User', { id: true }));
}

/** The caller in person. Throws Unauthenticated, Forbidden. */
function requireOneself(context: Context) {
  requireAccount(context);
  const actor = requireCredentialManager(context);
  if (actor.impersonator !== undefined) throw new Forbidden('Only users themselves can delete their account');
  return actor;
}

function refuse(ownedGroups: readonly string[], isLastAdministrator: boolean): void {
  if (isLastAdministrator)
    throw new Forbidden('You are the only administrator. Make somebody else one first').asWrongState();
  if (ownedGroups.length > 0) {
    const paths = ownedGroups.slice(0, 10).join(', ');
    throw new Forbidden(
      `You are the only owner of ${paths}. Make somebody else an owner, or delete the group, first`,
    ).asWrongState();
  }
}

/** The same in the transaction: of two who leave at once, the later one is refused. */
async function checkAgain(tx: Transaction, id: number): Promise<void> {
  await tx.$queryRaw`SELECT n.id FROM namespaces n WHERE n.id IN (SELECT m.namespace_id FROM members m
    WHERE m.user_id = ${id} AND m.access_level = ${OWNER}) ORDER BY n.id FOR NO KEY UPDATE`;
  const groups = await tx.$queryRaw<
    { path: string }[]
  >`SELECT n.full_path AS path ${onlyOwned(id)} LIMIT ${MAX_NAMED_GROUPS}`;
  await tx.$queryRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(${ADMINISTRATORS_LOCK}, 0))::text FROM users WHERE id = ${id} AND admin`;
  const [{ last }] = await tx.$queryRaw<[{ last: boolean }]>`
    SELECT EXISTS (SELECT 1 FROM users WHERE id = ${id} AND admin)
      AND NOT EXISTS (SELECT 1 FROM users WHERE admin AND state = 'active' AND id <> ${id}) AS last`;
  refuse(
    groups.map(({ path }) => path),
    last,
  );
}
