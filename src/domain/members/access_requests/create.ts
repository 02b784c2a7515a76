import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import type { MadeRequest } from '#src/domain/members/access_requests/list.ts';
import {
  findSource,
  lockAccess,
  ofSource,
  type Source,
  type SourceRef,
  sourceIds,
} from '#src/domain/members/source.ts';
import { Forbidden, ValidationFailed } from '#src/platform/errors.ts';

/** Requests access for the actor. Throws NotFound, Forbidden, ValidationFailed if already requested. */
export async function requestAccess(context: Context, ref: SourceRef): Promise<MadeRequest> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  if (!isOpen(source) || actor.bot) throw new Forbidden();
  const added = await context.db.$transaction(async (tx) => {
    await lockAccess(tx, source, actor.id);
    const members = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM members m WHERE ${ofSource(source, 'm')} AND m.user_id = ${actor.id} AND ${notExpired('m')}`;
    if (members.length > 0) throw new Forbidden();
    return tx.$executeRaw`
      INSERT INTO access_requests (user_id, project_id, namespace_id) VALUES (${actor.id}, ${sourceIds(source)})
      ON CONFLICT DO NOTHING`;
  });
  if (added === 0) throw new ValidationFailed({ user_id: ['already exists in source'] }).asExisting();
  return { source, userId: actor.id };
}

/** Whether requests are enabled and the actor has no access yet, direct or inherited (behaviour.md 6). */
function isOpen({ record }: Source): boolean {
  return record.requestAccessEnabled && record.visibility !== 'private' && record.accessLevel === 0;
}
