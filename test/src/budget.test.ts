import { describe, expect, it } from 'vitest';
import { Prisma, queryPage } from '#src/platform/database/db.ts';
import { Budget, DEFAULT_BUDGET, within } from '#src/platform/limits/budget.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const { db } = world;

const limits = (some: Partial<typeof DEFAULT_BUDGET>) => ({ ...DEFAULT_BUDGET, ...some });
const page = { limit: 100, offset: 0, withTotal: false };
const one = () => db.$queryRaw`SELECT 1 AS one`;

describe('The budget of an operation', () => {
  it('ends with its statements, and says so', async () => {
    using budget = new Budget(limits({ statements: 3 }));
    const work = within(budget, async () => {
      for (;;) await one();
    });
    await expect(work).rejects.toThrow();
    expect(budget.exceeded?.message).toBe('The operation needs more than 3 database statements. Ask for less at once.');
    expect(await one()).toEqual([{ one: 1 }]);
  });

  it('counts what Prisma loads, and what stands in the JSON of a page', async () => {
    using loaded = new Budget(limits({ rows: 10 }));
    await within(loaded, async () => await db.user.findMany({ take: 5 }));
    expect(loaded.exceeded).toBeNull();
    const nodes = Prisma.sql`(SELECT json_agg(n) FROM generate_series(1, 11) AS n)`;
    await expect(within(loaded, () => queryPage(db, page, nodes, false))).rejects.toThrow('more than 10 records');
  });

  it('refuses more JSON at once than one answer may hold', LONG, async () => {
    const nodes = (megabytes: number) => Prisma.sql`json_build_array(repeat('x', ${megabytes * 1024 * 1024}::int))`;
    expect((await queryPage(db, page, nodes(1), false)).nodes.length).toBe(1);
    await expect(queryPage(db, page, nodes(25), false)).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' });
  });

  it('cancels the statement that runs when its time is over, and gives the connection back', LONG, async () => {
    using budget = new Budget(limits({ milliseconds: 200 }));
    await expect(within(budget, async () => await db.$queryRaw`SELECT pg_sleep(30)::text`)).rejects.toThrow();
    expect(budget.exceeded?.code).toBe('UNAVAILABLE');
    // All connections work, and run nothing.
    await Promise.all(Array.from({ length: 20 }, one));
    const running = await db.$queryRaw<
      unknown[]
    >`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()`;
    expect(running).toEqual([]);
  });

  it('rolls a transaction back that is over it', async () => {
    const user = await world.user();
    using budget = new Budget(limits({ statements: 2 }));
    const work = within(budget, () =>
      db.$transaction(async (tx) => {
        for (let n = 0; n < 5; n += 1) await tx.user.update({ where: { id: user.id }, data: { name: `Changed ${n}` } });
      }),
    );
    await expect(work).rejects.toThrow();
    expect((await db.user.findUniqueOrThrow({ where: { id: user.id } })).name).not.toContain('Changed');
  });

  it('is that of the operation alone, whoever it waits behind for a connection', async () => {
    using small = new Budget(limits({ statements: 1 }));
    using large = new Budget();
    const others = within(large, async () => await Promise.all(Array.from({ length: 60 }, one)));
    await within(small, async () => await one());
    await others;
    expect([small.exceeded, large.exceeded]).toEqual([null, null]);
  });
});
