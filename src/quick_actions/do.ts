import type { Subject } from '#src/activity/change.ts';
import type { Transaction } from '#src/platform/db.ts';
import type { WantedDeeds } from '#src/quick_actions/interpret.ts';

export function hasDeeds(deeds: WantedDeeds): boolean {
  return Object.keys(deeds).length > 0;
}

/** Does what quick actions want beside changes of attributes, in the transaction of the command. */
export async function doDeeds(
  tx: Transaction,
  actor: { id: number },
  { type: subjectType, id: subjectId }: Subject,
  { subscribed }: WantedDeeds,
): Promise<void> {
  if (subscribed !== undefined) {
    await tx.subscription.upsert({
      where: { subjectType_subjectId_userId: { subjectType, subjectId, userId: actor.id } },
      create: { subjectType, subjectId, userId: actor.id, subscribed },
      update: { subscribed },
    });
  }
}
