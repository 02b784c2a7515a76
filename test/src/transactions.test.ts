import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, Prisma } from '#src/platform/database/db.ts';
import { meteredPool } from '#src/platform/database/pool.ts';
import { DatabaseUnavailable } from '#src/platform/database_unavailable.ts';
import { freshDatabase } from '../support/database.ts';
import { LONG } from '../support/long.ts';

const url = await freshDatabase();
const db = connect(url, { connections: 3 });
const other = new pg.Client({ connectionString: url });
await other.connect();
await other.query('CREATE TABLE slots (id int PRIMARY KEY, value int NOT NULL)');
await other.query('INSERT INTO slots SELECT n, 0 FROM generate_series(1, 10) n');
afterAll(async () => {
  await db.$disconnect();
  await other.end();
});

const add = (tx: Pick<typeof db, '$executeRaw'>, id: number) =>
  tx.$executeRaw`UPDATE slots SET value = value + 1 WHERE id = ${id}`;

async function readSlot(id: number): Promise<number> {
  return (await other.query('SELECT value FROM slots WHERE id = $1', [id])).rows[0].value;
}

async function endConnection(tx: Pick<typeof db, '$queryRaw'>): Promise<void> {
  const [{ pid }] = await tx.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
  await other.query('SELECT pg_terminate_backend($1)', [pid]);
}

describe('A transaction', () => {
  it('that is the loser of a deadlock runs anew, and both are done', LONG, async () => {
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    let runs = 0;
    const crossing = (mine: number, theirs: number, reached: () => void, others: Promise<void>) =>
      db.$transaction(async (tx) => {
        runs += 1;
        await add(tx, mine);
        reached();
        await others;
        await add(tx, theirs);
      });
    await Promise.all([crossing(1, 2, first.resolve, second.promise), crossing(2, 1, second.resolve, first.promise)]);
    expect(runs).toBe(3);
    expect([await readSlot(1), await readSlot(2)]).toEqual([2, 2]);
  });

  it('that loses its connection before it is to be committed runs anew, and is done once', async () => {
    let runs = 0;
    await db.$transaction(async (tx) => {
      runs += 1;
      await add(tx, 3);
      if (runs === 1) await endConnection(tx);
      await add(tx, 3);
    });
    expect(runs).toBe(2);
    expect(await readSlot(3)).toBe(2);
  });

  it('that does more than change the database has a time of its own, and runs once', async () => {
    let runs = 0;
    const lost = db.$transaction(
      async (tx) => {
        runs += 1;
        await add(tx, 4);
        await endConnection(tx);
        await add(tx, 4);
      },
      { timeout: 20_000 },
    );
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    expect(runs).toBe(1);
    expect(await readSlot(4)).toBe(0);
  });

  it('that fails for another reason does so at once', async () => {
    let runs = 0;
    const refused = db.$transaction(async (tx) => {
      runs += 1;
      await tx.$executeRaw`INSERT INTO slots VALUES (1, 1)`;
    });
    await expect(refused).rejects.toThrow(Prisma.PrismaClientKnownRequestError);
    expect(runs).toBe(1);
  });
});

describe('A statement', () => {
  it('that only reads is asked again when its connection is lost', LONG, async () => {
    const reading = db.$queryRaw<{ value: number }[]>`SELECT value, pg_sleep(0.5)::text FROM slots WHERE id = 5`;
    await new Promise((resolve) => setTimeout(resolve, 200));
    await other.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.5)%' AND pid <> pg_backend_pid()",
    );
    expect((await reading)[0]?.value).toBe(0);
  });

  it('that changes something is not, as nobody knows whether it was done', async () => {
    const changing = db.$executeRaw`UPDATE slots SET value = value + 1 WHERE id = 6 AND pg_sleep(0.5) IS NOT NULL`;
    changing.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await other.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.5)%' AND pid <> pg_backend_pid()",
    );
    await expect(changing).rejects.toThrow(DatabaseUnavailable);
    expect(await readSlot(6)).toBe(0);
  });
});

describe('A pool', () => {
  it('tells who waits for too long that all of its connections are in use', LONG, async () => {
    const pool = meteredPool({ connectionString: url, max: 1 });
    const held = await pool.connect();
    await expect(pool.query('SELECT 1')).rejects.toThrow('All connections to the database are in use.');
    held.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});
