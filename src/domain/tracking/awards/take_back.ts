import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import {
  AWARDABLE_TYPES,
  type Awardable,
  type AwardableRef,
  locateAwardable,
} from '#src/domain/tracking/awards/awardable.ts';
import { findAward } from '#src/domain/tracking/awards/list.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const GIVEN = select('AwardEmoji', { id: true, userId: true });

/**
 * Revokes an award, for its author and administrators; it must be on the record, if given. Returns its ID. Throws NotFound,
 * Forbidden.
 */
export async function takeAwardBack(context: Context, id: number, on?: AwardableRef | null): Promise<{ id: number }> {
  const actor = requireActor(context);
  const awardable = await (on ? locateAwardable(context, on) : awardedBy(context, id));
  const { userId } = await findAward(context, awardable, id, GIVEN);
  if (userId !== actor.id && !actor.admin) throw new Forbidden();
  const { count } = await context.db.awardEmoji.deleteMany({ where: { id } });
  if (count === 0) throw new NotFound('Award');
  return { id };
}

/** The record of an award, if the actor can see it. */
async function awardedBy(context: Context, id: number): Promise<Awardable> {
  const select = { subjectType: true, subjectId: true };
  const award = await context.db.awardEmoji.findUnique({ where: { id }, select });
  const type = AWARDABLE_TYPES.find((one) => one === award?.subjectType);
  if (!award || !type) throw new NotFound('Award');
  const ref = type === 'Note' ? { note: { id: award.subjectId } } : { type, id: award.subjectId };
  return locateAwardable(context, ref).catch((error) => {
    throw error instanceof NotFound ? new NotFound('Award') : error;
  });
}
