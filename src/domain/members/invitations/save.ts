import { audit } from '#src/access/audit/record.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { isPast } from '#src/domain/members/invitations/invite.ts';
import { findInvitation } from '#src/domain/members/invitations/list.ts';
import { checkGrant, levelErrors } from '#src/domain/members/level.ts';
import { auditPlace, sourceAt } from '#src/domain/members/source.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { BadRequest, type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

export interface InvitationChanges {
  accessLevel?: number | null | undefined;
  /** The day of expiry, on which the membership is already without effect: `YYYY-MM-DD`. Unset means unchanged, null never. */
  expiresAt?: string | null | undefined;
}

const BASE = select('Invitation', { id: true, email: true });

/** Changes a pending invitation. Throws NotFound for place and invitation, Forbidden, BadRequest, ValidationFailed. */
export async function updateInvitation<R>(
  context: Context,
  place: OwnerRef,
  email: string,
  { accessLevel, expiresAt }: InvitationChanges,
  selection: Selection<'Invitation', R>,
): Promise<R> {
  const actor = requireActor(context);
  const source = await sourceAt(context, place);
  const { id, email: address } = await findInvitation(context, source, email, BASE);
  if (accessLevel == null && expiresAt === undefined) {
    throw new BadRequest('Give an access level or a day of expiry', 'accessLevel');
  }
  const errors: FieldErrors = accessLevel == null ? {} : levelErrors(source, accessLevel);
  if (isPast(expiresAt)) errors.expires_at = ['cannot be a date in the past'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  if (accessLevel != null) checkGrant(actor, source, accessLevel);
  const target = { type: 'Invitation', id, name: address } as const;
  await context.db.$transaction(async (tx) => {
    await tx.invitation.updateMany({
      where: { id },
      data: {
        // Who raises the level answers for it when the invitation is accepted.
        ...(accessLevel == null ? {} : { accessLevel, createdById: actor.id }),
        ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt) }),
      },
    });
    const event = { action: 'invitation_updated', place: auditPlace(source), target } as const;
    const level = accessLevel == null ? [] : [{ ...event, attribute: 'access_level', to: accessLevel }];
    await audit(
      tx,
      context,
      ...level,
      ...(expiresAt === undefined ? [] : [{ ...event, attribute: 'expires_at', to: expiresAt }]),
    );
  });
  return findInvitation(context, source, email, selection);
}

/**
 * Withdraws a pending invitation, whose link stops working; returns its address. Throws NotFound for place and invitation,
 * Forbidden.
 */
export async function deleteInvitation(context: Context, place: OwnerRef, email: string): Promise<{ email: string }> {
  const source = await sourceAt(context, place);
  const found = await findInvitation(context, source, email, BASE);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.invitation.deleteMany({ where: { id: found.id } });
    if (count === 0) throw new NotFound('Invitation');
    const target = { type: 'Invitation', id: found.id, name: found.email } as const;
    await audit(tx, context, { action: 'invitation_deleted', place: auditPlace(source), target });
  });
  return { email: found.email };
}
