import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type AwardableRef, type AwardableType, locateAwardable } from '#src/domain/tracking/awards/awardable.ts';
import { requireCommenting } from '#src/domain/tracking/notes/create.ts';
import { Prisma, type Transaction, violates } from '#src/platform/database/db.ts';
import { emojiNamed, isVote } from '#src/platform/emoji.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** Identifies a new award, and its record. */
export interface GivenAward {
  on: { type: AwardableType; id: number };
  id: number;
}

/**
 * Awards an emoji to a record that the actor can see. Votes on the actor's own text, and any awards on system notes, are
 * rejected. Throws NotFound, Forbidden, and ValidationFailed for unknown emoji, and those that the actor has awarded already.
 */
export async function giveAward(context: Context, ref: AwardableRef, given: string): Promise<GivenAward> {
  const actor = requireActor(context);
  const awardable = await locateAwardable(context, ref);
  const { type, id: subjectId, authorId, system } = awardable;
  requireCommenting(actor, awardable);
  if (system) throw new Forbidden('System notes cannot be awarded').asWrongState();
  const name = await emojiNamed(given);
  if (name === null) throw new ValidationFailed({ name: ['is not included in the list'] });
  if (isVote(name) && authorId === actor.id) throw new Forbidden('You cannot vote on what you wrote yourself');
  const data = { subjectType: type, subjectId, userId: actor.id, name };
  try {
    return await context.db.$transaction(async (tx) => {
      await hold(tx, type, subjectId);
      const { id } = await tx.awardEmoji.create({ data, select: { id: true } });
      return { on: { type, id: subjectId }, id };
    });
  } catch (error) {
    if (violates(error))
      throw new ValidationFailed({ name: ['has already been taken'] }).asExisting({ type: 'AwardEmoji', where: data });
    throw error;
  }
}

const TABLES: Record<AwardableType, Prisma.Sql> = {
  Issue: Prisma.raw('issues'),
  MergeRequest: Prisma.raw('merge_requests'),
  Snippet: Prisma.raw('snippets'),
  Note: Prisma.raw('notes'),
};

/** Locks the record until the award is stored, so that both are deleted together. Throws NotFound if it is gone. */
async function hold(tx: Transaction, type: AwardableType, id: number): Promise<void> {
  const [found] = await tx.$queryRaw<unknown[]>`SELECT id FROM ${TABLES[type]} WHERE id = ${id} FOR KEY SHARE`;
  if (!found) throw new NotFound(type);
}
