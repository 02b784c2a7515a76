import type { Db } from '#src/platform/database/db.ts';

export type SubjectType = 'Issue' | 'Label' | 'MergeRequest';

/** Records whether the user is subscribed. Returns false if `current`, the effective value, is the same. */
export async function setSubscription(
  db: Db,
  userId: number,
  subject: { type: SubjectType; id: number },
  current: boolean,
  subscribed: boolean,
): Promise<boolean> {
  if (current === subscribed) return false;
  const { type: subjectType, id: subjectId } = subject;
  await db.subscription.upsert({
    where: { subjectType_subjectId_userId: { subjectType, subjectId, userId } },
    create: { subjectType, subjectId, userId, subscribed },
    update: { subscribed },
  });
  return true;
}
