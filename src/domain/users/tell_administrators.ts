import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** How many administrators are told of somebody who waits. */
const MAX_NOTIFIED_ADMINISTRATORS = 20;

/** Tells administrators by mail that somebody waits for their approval. */
export async function tellAdministrators(jobs: JobQueue, tx: Transaction): Promise<void> {
  const administrators = await tx.user.findMany({
    where: { admin: true, state: 'active', confirmedAt: { not: null } },
    select: { email: true, username: true },
    orderBy: { id: 'asc' },
    take: MAX_NOTIFIED_ADMINISTRATORS,
  });
  for (const one of administrators) await jobs.enqueue(tx, 'mail.send', { kind: 'approval_wanted', ...one });
}
