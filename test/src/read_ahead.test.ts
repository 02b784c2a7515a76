import { describe, expect, it } from 'vitest';
import { authenticate } from '#src/access/credentials/authenticate.ts';
import { Mispresumed, presume } from '#src/access/credentials/presumption.ts';
import { LIMITS } from '#src/access/credentials/read_ahead.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const { sql } = Prisma;

const number = (value: number) => sql`to_json(${value}::int)`;
const first = number(0);

/** A caller who sends requests of one name: each reads the first expression, and then others. */
async function caller() {
  const user = await world.user();
  const privateToken = await world.token(user);
  await authenticate(world.db, { privateToken });
  const name = Buffer.from(world.unique('request'));
  const presumed = () => {
    const presumption = presume(world.db, { privateToken }, { name });
    if (!presumption) throw new Error('The token is not known');
    return presumption;
  };
  const ask = async (...next: Prisma.Sql[]) => {
    const texts: (string | null)[] = [];
    const statements = await world.statements(async () => {
      const presumption = presumed();
      await presumption.read(first);
      for (const json of next) texts.push(await presumption.read(json));
      await presumption.settle(true);
    });
    return { texts, statements: statements.length };
  };
  return { ask, presumed };
}

describe('What a request reads after its first statement', () => {
  it('is read in the first statement once two such requests have read the same', async () => {
    const { ask } = await caller();
    for (const statements of [3, 3, 1, 1])
      expect(await ask(number(1), number(2))).toEqual({ texts: ['1', '2'], statements });
  });

  it('is read anew each time', async () => {
    const [{ ask }, other] = [await caller(), await world.user()];
    const username = sql`(SELECT to_json(username) FROM users WHERE id = ${other.id})`;
    for (let time = 0; time < 3; time++) await ask(username);
    const renamed = world.unique('renamed');
    await world.db.user.update({ where: { id: other.id }, data: { username: renamed } });
    expect(await ask(username)).toEqual({ texts: [JSON.stringify(renamed)], statements: 1 });
  });

  it('is read by itself where a value or the text is another, and nothing is read ahead the next time', async () => {
    for (const other of [number(2), sql`to_json(${1}::bigint)`]) {
      const { ask } = await caller();
      for (let time = 0; time < 3; time++) await ask(number(1));
      expect((await ask(other)).statements).toBe(2);
      expect(await ask(number(1))).toEqual({ texts: ['1'], statements: 2 });
    }
  });

  it('is read ahead only as far as such requests still read it', async () => {
    const { ask } = await caller();
    for (let time = 0; time < 3; time++) await ask(number(1), number(2));
    expect(await ask(number(2))).toEqual({ texts: ['2'], statements: 1 });
    for (const statements of [2, 1]) expect(await ask(number(2))).toEqual({ texts: ['2'], statements });
  });

  it('is told apart by caller', async () => {
    const [one, two] = [await caller(), await caller()];
    for (let time = 0; time < 3; time++) await one.ask(number(1));
    expect([(await one.ask(number(1))).statements, (await two.ask(number(1))).statements]).toEqual([1, 2]);
  });

  it('is not read ahead if it is long, or much', async () => {
    const many = Array.from({ length: LIMITS.expressions + 1 }, (_, index) => number(index + 1));
    const much = sql`to_json(repeat('x', ${LIMITS.json}::int))`;
    const long = sql`to_json(length(${'x'.repeat(LIMITS.text)}))`;
    for (const next of [many, [much], [long]]) {
      const { ask } = await caller();
      for (let time = 0; time < 4; time++) expect((await ask(...next)).statements).toBe(next.length + 1);
    }
  });

  it('is read by itself once there is too much of it', async () => {
    const [{ ask }, other] = [await caller(), await world.user()];
    const much = sql`(SELECT to_json(repeat('x', projects_limit)) FROM users WHERE id = ${other.id})`;
    for (let time = 0; time < 3; time++) await ask(much);
    await world.db.user.update({ where: { id: other.id }, data: { projectsLimit: LIMITS.json } });
    const { texts, statements } = await ask(much);
    expect([texts[0]?.length, statements]).toEqual([LIMITS.json + 2, 2]);
  });

  it('is not read ahead if it is read beside the first', async () => {
    const { presumed } = await caller();
    for (let time = 0; time < 4; time++) {
      const statements = await world.statements(async () => {
        const presumption = presumed();
        await Promise.all([presumption.read(first), presumption.read(number(1))]);
        await presumption.settle(true);
      });
      expect(statements).toHaveLength(2);
    }
  });

  it('is not kept of requests that fail', async () => {
    const { presumed } = await caller();
    for (let time = 0; time < 4; time++) {
      const statements = await world.statements(async () => {
        const presumption = presumed();
        await presumption.read(first);
        await presumption.read(number(1));
        await presumption.settle(false);
      });
      expect(statements).toHaveLength(2);
    }
  });

  it('fails no request that does not ask for it any more', async () => {
    const [{ ask, presumed }, other] = [await caller(), await world.user()];
    const risky = sql`(SELECT to_json(1 / projects_limit) FROM users WHERE id = ${other.id})`;
    for (let time = 0; time < 3; time++) await ask(risky);
    await world.db.user.update({ where: { id: other.id }, data: { projectsLimit: 0 } });
    const presumption = presumed();
    await expect(presumption.read(first)).rejects.toThrow(Mispresumed);
    await expect(presumption.settle(false)).rejects.toThrow(Mispresumed);
    expect(await ask()).toEqual({ texts: [], statements: 1 });
  });
});
