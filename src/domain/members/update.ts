import { OWNER } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { auditMember } from '#src/domain/members/audit.ts';
import { keepAnOwner } from '#src/domain/members/last_owner.ts';
import { checkGrant, levelErrors } from '#src/domain/members/level.ts';
import { type ChangedMember, memberToChange } from '#src/domain/members/list.ts';
import { authorizeMembers, findSource, type SourceRef } from '#src/domain/members/source.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

export interface MemberChanges {
  accessLevel: number;
  /** The day of expiry, on which it is already without effect: `YYYY-MM-DD`. Unset means unchanged, null never. */
  expiresAt?: string | null | undefined;
}

/** Changes a direct membership. Throws NotFound for source and member, Forbidden, ValidationFailed. */
export async function updateMember(
  context: Context,
  ref: SourceRef,
  userId: number,
  { accessLevel, expiresAt }: MemberChanges,
): Promise<ChangedMember> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  authorizeMembers(actor, source);
  const member = await memberToChange(context, source, userId);
  const errors = levelErrors(source, accessLevel);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  checkGrant(actor, source, accessLevel);
  await context.db.$transaction(async (tx) => {
    if (accessLevel < OWNER || expiresAt) await keepAnOwner(tx, source, member);
    const data = {
      accessLevel,
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt ? new Date(expiresAt) : null }),
    };
    const before = await tx.member.findUnique({ where: { id: member.id } });
    if (before) await auditMember(tx, context, source, before, data);
    await tx.member.updateMany({ where: { id: member.id }, data });
  });
  return { source, userId };
}
