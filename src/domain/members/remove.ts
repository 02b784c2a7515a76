import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { keepAnOwner } from '#src/domain/members/last_owner.ts';
import { type ChangeableMember, memberToChange } from '#src/domain/members/list.ts';
import { authorizeMembers, findSource, type SourceRef } from '#src/domain/members/source.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

/**
 * Ends a direct membership. Members may leave, except for the last owner of a group and the owner of the project's personal
 * namespace. Returns the membership as it was. Throws NotFound for source and member, Forbidden.
 */
export async function removeMember(context: Context, ref: SourceRef, userId: number): Promise<ChangeableMember> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  if (actor.id !== userId) authorizeMembers(actor, source);
  const member = await memberToChange(context, source, userId);
  if (source.kind === 'project' && source.record.ownerId === userId) throw new Forbidden();
  await context.db.$transaction(async (tx) => {
    await keepAnOwner(tx, source, member);
    const { count } = await tx.member.deleteMany({ where: { id: member.id } });
    if (count === 0) throw new NotFound('Member');
    if (source.kind === 'project') {
      const user = { id: userId };
      await recordChange(tx, context, { type: 'projectChanged', project: source.record, user, action: 'left' });
    }
  });
  return member;
}
