import { describe, expect, it } from 'vitest';
import { authenticate } from '#src/access/credentials/authenticate.ts';
import { Mispresumed, presume } from '#src/access/credentials/presumption.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

/** A token that has come before. */
async function known() {
  const user = await world.user();
  const privateToken = await world.token(user);
  const actor = await authenticate(world.db, { privateToken });
  const revoke = () => world.db.personalAccessToken.updateMany({ where: { userId: user.id }, data: { revoked: true } });
  return { user, actor, privateToken, revoke };
}

const FORTY_TWO = Prisma.sql`to_json(42)`;

describe('Who asks is presumed', () => {
  it('of a token that has come before, sent alone', async () => {
    const { actor, privateToken } = await known();
    expect(presume(world.db, { privateToken })?.actor).toEqual(actor);
    expect(presume(world.db, { bearer: privateToken })?.actor).toEqual(actor);
    for (const more of [{ bearer: 'other' }, { sudo: 'root' }]) {
      expect(presume(world.db, { privateToken, ...more })).toBeNull();
    }
    expect(presume(world.db, { privateToken: 'never seen' })).toBeNull();
    expect(presume(world.db, {})).toBeNull();
  });

  it('and found out by the statement that reads the first JSON, which is its only one', async () => {
    const { privateToken } = await known();
    const statements = await world.statements(async () => {
      const presumption = presume(world.db, { privateToken });
      expect(await presumption?.read(FORTY_TWO)).toBe('42');
      await presumption?.settle(true);
    });
    expect(statements).toHaveLength(1);
  });

  it('once, however much is read', async () => {
    const { privateToken } = await known();
    const presumption = presume(world.db, { privateToken });
    const statements = await world.statements(async () => {
      const read = () => presumption?.read(FORTY_TWO);
      expect([...(await Promise.all([read(), read()])), await read()]).toEqual(['42', '42', '42']);
      await presumption?.settle(true);
    });
    expect(statements.filter((text) => text.includes('token_hash'))).toHaveLength(1);
    expect(statements).toHaveLength(3);
  });

  it('and found out by a statement of its own where nothing is read, or reading fails', async () => {
    const { privateToken } = await known();
    await presume(world.db, { privateToken })?.settle(true);
    const presumption = presume(world.db, { privateToken });
    await expect(presumption?.read(Prisma.sql`to_json(1 / 0)`)).rejects.toThrow('division by zero');
    await presumption?.settle(false);
  });

  it('wrongly once the token is revoked: nothing is read, and it is presumed no more', async () => {
    const { privateToken, revoke } = await known();
    const [reading, idle] = [presume(world.db, { privateToken }), presume(world.db, { privateToken })];
    await revoke();
    await expect(reading?.read(FORTY_TWO)).rejects.toThrow(Mispresumed);
    await expect(reading?.settle(true)).rejects.toThrow(Mispresumed);
    await expect(idle?.settle(true)).rejects.toThrow(Mispresumed);
    expect(presume(world.db, { privateToken })).toBeNull();
  });

  it('wrongly once the user is another in any way', async () => {
    const { user, privateToken } = await known();
    for (const change of [{ admin: true }, { external: true }, { username: world.unique('renamed') }]) {
      const presumption = presume(world.db, { privateToken });
      await world.db.user.update({ where: { id: user.id }, data: change });
      await expect(presumption?.read(FORTY_TWO)).rejects.toThrow(Mispresumed);
      expect(presume(world.db, { privateToken })?.actor).toMatchObject(change);
    }
  });
});
