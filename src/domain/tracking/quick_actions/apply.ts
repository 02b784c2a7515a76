import type { Subject } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { approvalStanding } from '#src/domain/tracking/approvals/standing.ts';
import type { PendingEffects } from '#src/domain/tracking/quick_actions/interpret.ts';
import { addApproval, removeApproval } from '#src/domain/tracking/reviews/approvals.ts';
import { addTodos, finishTodos } from '#src/domain/tracking/subjects/todos.ts';
import { writeEstimate, writeSpentTime } from '#src/domain/tracking/subjects/write_time.ts';
import type { Transaction } from '#src/platform/database/db.ts';

export function hasEffects(effects: PendingEffects): boolean {
  return Object.keys(effects).length > 0;
}

/**
 * Applies the effects of quick actions other than changed attributes, in the transaction of the command. Throws ValidationFailed
 * for subtracting more time than was spent.
 */
export async function applyEffects(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  { approved, subscribed, estimate, spent = [], awards = [], todo }: PendingEffects,
): Promise<void> {
  if (approved !== undefined) await approve(tx, context, actor, subject, approved);
  if (subscribed !== undefined) await subscribe(tx, actor, subject, subscribed);
  if (estimate !== undefined) await writeEstimate(tx, context, actor, subject, estimate);
  for (const { duration, day } of spent) await writeSpentTime(tx, context, actor, subject, duration, { day });
  for (const award of awards) await give(tx, actor, subject, award);
  // Last, as the actions before it mark existing todos as done.
  if (todo === 'add') await addTodos(tx, actor, subject, [{ userId: actor.id, action: 'marked' }]);
  if (todo === 'done') await finishTodos(tx, actor.id, subject);
}

/** Approves an open merge request, or takes that back; nothing if it is so already, or the rules ask for somebody else. */
async function approve(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  approved: boolean,
): Promise<void> {
  const { state, refusesUser } = await approvalStanding(tx, subject.id, actor.id);
  if (state !== 'opened' || (approved && refusesUser)) return;
  await (approved ? addApproval : removeApproval)(tx, context, actor, subject);
}

async function subscribe(
  tx: Transaction,
  { id: userId }: { id: number },
  { type: subjectType, id: subjectId }: Subject,
  subscribed: boolean,
): Promise<void> {
  await tx.subscription.upsert({
    where: { subjectType_subjectId_userId: { subjectType, subjectId, userId } },
    create: { subjectType, subjectId, userId, subscribed },
    update: { subscribed },
  });
}

/** Awards the emoji. */
async function give(
  tx: Transaction,
  { id: userId }: { id: number },
  { type: subjectType, id: subjectId }: Subject,
  name: string,
): Promise<void> {
  await tx.awardEmoji.createMany({ data: [{ subjectType, subjectId, userId, name }], skipDuplicates: true });
}
