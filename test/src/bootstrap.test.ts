import { expect, it } from 'vitest';
import { bootstrapAdministrator } from '#src/users/bootstrap.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const start = () =>
  bootstrapAdministrator(world.db, 'a secret', { password: 'long enough', privateToken: 'x'.repeat(20) });

it('The administrator of the first start comes once, and not back after a new name or a deletion', async () => {
  await world.user();
  expect(await start()).toBe(true);
  expect(await start()).toBe(false);
  const root = await world.db.user.findFirstOrThrow({ where: { username: 'root' } });
  const other = await world.user({ admin: true });
  expect(await world.api(other).put(`/users/${root.id}`, { username: 'boss' })).toMatchObject({ status: 200 });
  expect(await start()).toBe(false);
  expect(await world.api(other).delete(`/users/${root.id}`)).toMatchObject({ status: 200 });
  expect(await start()).toBe(false);
  expect(await world.db.user.count({ where: { admin: true } })).toBe(1);
});
