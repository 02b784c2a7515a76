import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { incomingAddress } from '#src/domain/notifications/mailing/incoming_address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { mailInPattern } from '#src/platform/outbound/mail/mail_in.ts';

/**
 * The address at which mail of the actor opens issues in a project. Null where the server receives no mail, without the right to open
 * issues, and for callers who could do more by the address than with what they came with.
 *
 * @param version reads how often the actor has reset the addresses
 */
export async function newIssueAddress(
  { db, secret, actor }: Context,
  project: ProjectRow,
  version: (actor: Actor) => Promise<number>,
): Promise<string | null> {
  if (mailInPattern(db) === null || !actor || !mayHaveAddress(actor) || !can(actor, 'create_issue', project))
    return null;
  return incomingAddress(db, secret, {
    kind: 'newIssue',
    userId: actor.id,
    version: await version(actor),
    projectId: project.id,
  });
}

/** An address works without a token, and for as long as it is not reset. */
function mayHaveAddress({ id, bot, credential, scopes, impersonator }: Actor): boolean {
  const own = ['session', 'private_token', 'personal_token'].includes(credential) && scopes.includes('api');
  return id > 0 && own && !bot && impersonator === undefined;
}

/** How often a user has reset the addresses. */
export async function mailInVersion({ db }: Context, { id }: Actor): Promise<number> {
  const { mailInVersion: version } = await db.user.findUniqueOrThrow({
    where: { id },
    select: { mailInVersion: true },
  });
  return version;
}

/**
 * Ends all addresses of the actor for incoming mail, those for replies as well as those for new issues; there are others from now on.
 * Throws Unauthenticated, InsufficientScope, Forbidden for OAuth tokens.
 */
export async function resetMailInAddresses(context: Context): Promise<void> {
  const { id } = requireCredentialManager(context);
  // Numbers begin anew where they would no longer fit into an address; earlier addresses are long forgotten then.
  await context.db.$executeRaw`UPDATE users SET mail_in_version = (mail_in_version + 1) % 46656 WHERE id = ${id}`;
}
