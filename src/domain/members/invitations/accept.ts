import { audit } from '#src/access/audit/record.ts';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { putMember } from '#src/domain/members/add.ts';
import { PENDING } from '#src/domain/members/invitations/list.ts';
import { checkGrant, levelErrors } from '#src/domain/members/level.ts';
import { auditPlace, authorizeMembers, findSource, type Source } from '#src/domain/members/source.ts';
import { DomainError, Forbidden, NotFound } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** What the holder of the link of an invitation is shown. */
export interface OpenInvitation {
  id: number;
  /** The address that was invited. */
  email: string;
  accessLevel: number;
  /** `YYYY-MM-DD`, or null. */
  expiresAt: string | null;
  inviter: Actor;
  /** The place, as the inviter sees it. */
  source: Source;
}

/**
 * The invitation whose link has this token; null if it was accepted, declined or withdrawn, is too old, or if who gave it could not
 * give it any more: the rights of the inviter are asked again.
 */
export async function openInvitation(context: Context, token: string): Promise<OpenInvitation | null> {
  const [found] = await context.db.$queryRaw<Row[]>`
    SELECT iv.id, iv.email, iv.access_level AS "accessLevel", iv.expires_at::text AS "expiresAt",
      iv.project_id AS "projectId", iv.group_id AS "groupId", iv.created_by_id AS "createdById"
    FROM invitations iv WHERE iv.token_hash = ${tokenHash(token)} AND ${PENDING}`;
  const inviter = found && (await activeUser(context.db, found.createdById));
  if (!found || !inviter) return null;
  const { id, email, accessLevel, expiresAt, projectId, groupId } = found;
  const ref =
    projectId === null
      ? ({ kind: 'group', ref: groupId ?? 0 } as const)
      : ({ kind: 'project', ref: projectId } as const);
  try {
    const source = await findSource({ ...context, actor: inviter }, ref);
    authorizeMembers(inviter, source);
    checkGrant(inviter, source, accessLevel);
    if (Object.keys(levelErrors(source, accessLevel)).length > 0) return null;
    return { id, email, accessLevel, expiresAt, inviter, source };
  } catch (error) {
    if (error instanceof DomainError && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return null;
    throw error;
  }
}

interface Row {
  id: number;
  email: string;
  accessLevel: number;
  expiresAt: string | null;
  projectId: number | null;
  groupId: number | null;
  createdById: number;
}

/** Accepts an invitation for the actor. Throws Forbidden for bots; else as acceptInvitationFor. */
export async function acceptInvitation(context: Context, token: string): Promise<Source> {
  const actor = requireActor(context);
  if (actor.bot || actor.id <= 0) throw new Forbidden();
  return acceptInvitationFor(context, token, actor.id);
}

/**
 * Makes a user a member as an invitation says; whoever is a member with that level or a higher one stays as they are. The invitation
 * is then used up. Throws NotFound for one that is void (openInvitation).
 */
export async function acceptInvitationFor(context: Context, token: string, userId: number): Promise<Source> {
  const open = await openInvitation(context, token);
  if (!open) throw new NotFound('Invitation');
  const { id, accessLevel, expiresAt, inviter, source } = open;
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.invitation.deleteMany({ where: { id, tokenHash: tokenHash(token) } });
    if (count === 0) throw new NotFound('Invitation');
    const place = source.kind === 'project' ? { projectId: source.record.id } : { namespaceId: source.record.id };
    const higher = await tx.member.count({
      where: {
        ...place,
        userId,
        accessLevel: { gte: accessLevel },
        OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
      },
    });
    const target = { type: 'Invitation', id, name: open.email } as const;
    // Who has just signed up by the link is not signed in yet.
    const by = { ...context, actor: context.actor ?? { id: userId, username: open.email } };
    await audit(tx, by, { action: 'invitation_accepted', place: auditPlace(source), target });
    if (higher === 0) await putMember(tx, context, source, { userId, accessLevel, expiresAt, givenById: inviter.id });
  });
  return source;
}

/** Declines an invitation, whose link stops working. Whoever has the link may do that. Throws NotFound. */
export async function declineInvitation({ db }: Pick<Context, 'db'>, token: string): Promise<void> {
  const { count } = await db.invitation.deleteMany({ where: { tokenHash: tokenHash(token) } });
  if (count === 0) throw new NotFound('Invitation');
}
