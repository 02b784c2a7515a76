import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Does what reads much in a transaction in which no statement may take longer than so many milliseconds; null where one does. */
export async function withinTime<T>(
  db: Db,
  milliseconds: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T | null> {
  try {
    return await db.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT set_config('statement_timeout', ${String(milliseconds)}, true)`;
        return work(tx);
      },
      { timeout: milliseconds * 2 },
    );
  } catch (error) {
    if (/57014|statement timeout/.test(saidBy(error))) return null;
    throw error;
  }
}

/** All that an error of the database says. */
export function saidBy(error: unknown): string {
  return error instanceof Error ? `${error.message} ${JSON.stringify('meta' in error ? error.meta : '')}` : '';
}
