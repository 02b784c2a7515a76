import { expect, it } from 'vitest';
import { withinTime } from '#src/platform/database/within_time.ts';
import { startWorld } from '../support/world.ts';

const { db } = await startWorld();

it('a statement that takes longer than it may is ended, and others are answered as ever', async () => {
  const slept = (seconds: number, milliseconds: number) =>
    withinTime(db, milliseconds, (tx) => tx.$queryRaw<object[]>`SELECT 1 AS one FROM pg_sleep(${seconds})`);
  expect(await slept(300, 200)).toBeNull();
  expect(await slept(0, 20_000)).toEqual([{ one: 1 }]);
  // The limit ends with the transaction.
  expect(await db.$queryRaw`SELECT current_setting('statement_timeout') AS timeout`).toEqual([{ timeout: '0' }]);
  await expect(withinTime(db, 20_000, (tx) => tx.$queryRaw`SELECT 1 / 0`)).rejects.toThrow('division by zero');
});
