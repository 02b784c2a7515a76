import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import {
  AWARDABLE_TYPES,
  type Awardable,
  type AwardableRef,
  locateAwardable,
} from '#src/domain/tracking/awards/awardable.ts';
import { type GivenAward, giveAward } from '#src/domain/tracking/awards/give.ts';
import { findAward } from '#src/domain/tracking/awards/list.ts';
import { emojiNamed } from '#src/platform/emoji.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
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

/** Takes the actor's own award of that emoji back from a record. Returns its ID. Throws NotFound, and ValidationFailed for unknown emoji. */
export async function takeOwnAwardBack(context: Context, ref: AwardableRef, given: string): Promise<{ id: number }> {
  const actor = requireActor(context);
  const { type, id: subjectId } = await locateAwardable(context, ref);
  const name = await emojiNamed(given);
  if (name === null) throw new ValidationFailed({ name: ['is not included in the list'] });
  const [taken] = await context.db.$queryRaw<{ id: number }[]>`
    DELETE FROM award_emoji WHERE subject_type = ${type} AND subject_id = ${subjectId} AND user_id = ${actor.id} AND name = ${name}
    RETURNING id`;
  if (!taken) throw new NotFound('Award');
  return taken;
}

/** Gives an emoji to a record, or takes it back if the actor has given it. Throws as giveAward. */
export async function toggleAward(
  context: Context,
  ref: AwardableRef,
  name: string,
): Promise<{ given: GivenAward | null; takenId: number | null }> {
  const taken = await takeOwnAwardBack(context, ref, name).catch((error) => {
    if (error instanceof NotFound && error.extensions.resource === 'Award') return null;
    throw error;
  });
  if (taken) return { given: null, takenId: taken.id };
  return { given: await giveAward(context, ref, name), takenId: null };
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
