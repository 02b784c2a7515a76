import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { incomingAddress } from '#src/domain/notifications/mailing/incoming_address.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
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

/**
 * The address at which mail from people without an account opens issues in a project, for those who work on its issues. Null where
 * its service desk is off, and where the server receives no mail.
 */
export function serviceDeskAddress(
  { db, secret, actor }: Pick<Context, 'db' | 'secret' | 'actor'>,
  project: ProjectRow,
  { serviceDeskEnabled, serviceDeskVersion: version }: { serviceDeskEnabled: boolean; serviceDeskVersion: number },
): string | null {
  if (!serviceDeskEnabled || !can(actor, 'admin_issue', project)) return null;
  return incomingAddress(db, secret, { kind: 'request', version, projectId: project.id });
}

/**
 * Ends the address of a project's service desk, and those at which people without an account answer: there are others from now on.
 * Throws NotFound, Unauthenticated, Forbidden.
 */
export async function resetServiceDeskAddress(context: Context, ref: IdOrPath): Promise<{ id: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'update_project', project);
  const { id } = project;
  await context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'Project', id);
    await tx.$executeRaw`UPDATE projects SET service_desk_version = (service_desk_version + 1) % 46656 WHERE id = ${id}`;
    const event = { action: 'project_updated', place: { projectId: id }, target: { type: 'Project', id } } as const;
    await auditChanges(tx, context, event, before);
  });
  return { id };
}
