import { DEVELOPER } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { REQUEST, readAccessRequest } from '#src/domain/members/access_requests/list.ts';
import { insertMember } from '#src/domain/members/add.ts';
import { checkGrant, levelErrors } from '#src/domain/members/level.ts';
import type { ChangedMember } from '#src/domain/members/list.ts';
import { authorizeRequests, findSource, ofSource, type SourceRef } from '#src/domain/members/source.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/**
 * Makes the requesting user a member, as developer by default.
 * Throws NotFound for source and request, Forbidden, ValidationFailed.
 */
export async function approveAccessRequest(
  context: Context,
  ref: SourceRef,
  userId: number,
  level?: number | null,
): Promise<ChangedMember> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  authorizeRequests(actor, source);
  await readAccessRequest(context, { source, userId }, REQUEST);
  const accessLevel = level ?? DEVELOPER;
  const errors = levelErrors(source, accessLevel);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  checkGrant(actor, source, accessLevel);
  await context.db.$transaction(async (tx) => {
    const settled = await tx.$executeRaw`
      DELETE FROM access_requests r WHERE ${ofSource(source, 'r')} AND r.user_id = ${userId}`;
    if (settled === 0) throw new NotFound('AccessRequest');
    await insertMember(tx, context, source, { userId, accessLevel });
  });
  return { source, userId };
}

/**
 * Denies a request for access, or withdraws the actor's own. Returns the request as it was. Throws NotFound for source and
 * request, Forbidden.
 */
export async function denyAccessRequest(context: Context, ref: SourceRef, userId: number): Promise<{ userId: number }> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  if (actor.id !== userId) authorizeRequests(actor, source);
  const request = await readAccessRequest(context, { source, userId }, REQUEST);
  const gone = await context.db.$executeRaw`DELETE FROM access_requests WHERE id = ${request.id}`;
  if (gone === 0) throw new NotFound('AccessRequest');
  return request;
}
