import type { Snapshot } from '#src/platform/database/snapshot.ts';

/** How many rows are read at a time. */
const BATCH_SIZE = 500;

/**
 * All rows of a statement, in batches; none if the table does not exist in an older database.
 *
 * @param statement takes the last ID before the batch, and how many rows to read
 */
export async function* rowsOf<Row extends { id: number }>(
  snapshot: Snapshot,
  table: string,
  statement: string,
): AsyncGenerator<Row> {
  const [known] = await snapshot.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [table]);
  if (!known?.there) return;
  for (let last = 0; ; ) {
    const found = await snapshot.query<Row>(statement, [last, BATCH_SIZE]);
    yield* found;
    last = found.at(-1)?.id ?? last;
    if (found.length < BATCH_SIZE) return;
  }
}
