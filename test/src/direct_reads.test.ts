import { afterAll, describe, expect, it } from 'vitest';
import { connect, Prisma, queryJson } from '#src/platform/database/db.ts';
import { Budget, DEFAULT_BUDGET, within } from '#src/platform/limits/budget.ts';
import { freshDatabase } from '../support/database.ts';
import { LONG } from '../support/long.ts';

const { sql } = Prisma;
const heard: string[] = [];
const db = connect(await freshDatabase(), { heard: (statement) => heard.push(statement), connections: 3 });
afterAll(() => db.$disconnect());
// There is no connection before the first statement.
await db.$connect();

/** Prisma's client itself, which knows of no shorter way. */
const client = { $queryRaw: db.$queryRaw.bind(db) } as Pick<typeof db, '$queryRaw'>;

const thrown = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (reason) => reason,
  );
  const { name, message, code, clientVersion, meta } = error;
  return {
    name,
    // Without the place of the call, which the client puts in front.
    message: message.split('\n').at(-1),
    code,
    clientVersion,
    meta: JSON.stringify(meta),
    isKnown: error instanceof Prisma.PrismaClientKnownRequestError,
  };
};

describe('A statement that is read past the client of Prisma', () => {
  const values: Record<string, Prisma.Sql> = {
    numbers: sql`json_build_array(${1}::int, ${2.5}::float8, ${-3}::bigint, ${9007199254740993n}::bigint)`,
    texts: sql`json_build_array(${'a "b" \\ \' ü 🙂'}::text, ${''}::text)`,
    booleans: sql`json_build_array(${true}::boolean, ${false}::boolean, ${null}::boolean)`,
    lists: sql`json_build_array(${[1, 2]}::int[], ${[]}::int[], ${['a,b', '"', '{}', 'NULL', '\\']}::text[])`,
    times: sql`json_build_array(${new Date(1_700_000_000_123)}::timestamptz, ${[new Date(0)]}::timestamptz[])`,
    bytes: sql`to_json(encode(${Buffer.from([0, 255, 10])}::bytea, 'hex'))`,
    nothing: sql`'null'::json`,
  };

  it.each(Object.entries(values))('takes %s as the client does', async (_, json) => {
    expect(await queryJson(db, json)).toEqual(await queryJson(client, json));
  });

  it.each([
    ['a broken rule', sql`to_json(1 / ${0}::int)`],
    ['a value of the wrong kind', sql`to_json(${'x'}::text::int)`],
    ['a character that cannot be kept', sql`to_json(${'\0'}::text)`],
    ['an unknown table', sql`(SELECT to_json(t) FROM nothing t)`],
    ['a syntax that there is not', sql`SELECT SELECT`],
  ])('tells of %s as the client does', async (_, json) => {
    const told = await thrown(queryJson(db, json));
    expect(told).toEqual(await thrown(queryJson(client, json)));
    expect(told).toMatchObject({ code: 'P2010', isKnown: true });
  });

  it('sees what its own transaction wrote, and nobody else does', async () => {
    const count = sql`to_json((SELECT count(*) FROM application_settings))`;
    const before = await queryJson<number>(db, count);
    const rollback = new Error('enough');
    const work = db.$transaction(async (tx) => {
      await tx.$executeRaw`DELETE FROM application_settings`;
      expect([await queryJson(tx, count), await queryJson(db, count)]).toEqual([0, before]);
      throw rollback;
    });
    await expect(work).rejects.toThrow(rollback);
  });

  it('counts against the budget of its operation', async () => {
    using budget = new Budget({ ...DEFAULT_BUDGET, statements: 2 });
    heard.length = 0;
    const read = () => within(budget, () => queryJson(db, sql`to_json('counted'::text)`));
    await read();
    await read();
    await expect(read()).rejects.toThrow('2 database statements');
    expect(budget.exceeded?.code).toBe('QUERY_TOO_LARGE');
    expect(heard.filter((text) => text.includes('counted')).length).toBe(2);
  });

  it('is cancelled when the time of its operation is over, and its connection runs on', LONG, async () => {
    using budget = new Budget({ ...DEFAULT_BUDGET, milliseconds: 200 });
    const slow = within(budget, () => queryJson(db, sql`(SELECT to_json(pg_sleep(30)::text))`));
    await expect(slow).rejects.toThrow();
    expect(budget.exceeded?.code).toBe('UNAVAILABLE');
    await Promise.all(Array.from({ length: 9 }, () => queryJson(db, sql`to_json(1)`)));
    const [running] = await db.$queryRaw<[{ count: number }]>`SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()`;
    expect(running.count).toBe(0);
  });

  it('fails with DatabaseUnavailable where there is no database', LONG, async () => {
    const away = connect('postgresql://nobody@127.0.0.1:1/none');
    await away.$connect();
    await expect(queryJson(away, sql`to_json(1)`)).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
  });
});
