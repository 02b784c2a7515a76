import { withBoss } from '#src/platform/background/boss.ts';
import { DEAD_LETTERS } from '#src/platform/background/queue.ts';

/** A job that failed as often as it may. */
export interface DeadLetter {
  /** UUID. */
  id: string;
  /** The job's name. */
  name: string;
  data: object;
  /** When it was given up. */
  since: Date;
  /** What went wrong the last time, in a line. */
  reason: string;
}

/** The dead letters, oldest first. */
export async function listDeadLetters(url: string): Promise<DeadLetter[]> {
  return withBoss(url, async (boss) => {
    const found = await boss.findJobs<object>(DEAD_LETTERS, { queued: true });
    return found
      .map(({ id, data, sourceName, createdOn, output }) => {
        return { id, name: sourceName ?? DEAD_LETTERS, data, since: createdOn, reason: reasonOf(output) };
      })
      .sort((one, other) => one.since.getTime() - other.since.getTime());
  });
}

/** Puts dead letters back into their queues: those with the IDs, or all. How many there were. */
export async function retryDeadLetters(url: string, ids?: readonly string[]): Promise<number> {
  return withBoss(url, (boss) => boss.redrive(DEAD_LETTERS, ids ? { ids: [...ids] } : {}));
}

function reasonOf(output: unknown): string {
  const { message } = (output ?? {}) as { message?: unknown };
  return String(message ?? '').split('\n')[0] ?? '';
}
