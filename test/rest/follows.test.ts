// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { MAX_FOLLOWED_USERS } from '#src/domain/users/follow.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

async function people() {
  const [anna, ben, decoy] = [await world.user(), await world.user(), await world.user()];
  // Others are followed, too, and follow.
  await world.db.userFollow.create({ data: { followerId: decoy.id, followedId: (await world.user()).id } });
  return { anna, ben, decoy };
}

const ids = (body: { id: number }[]) => body.map(({ id }) => id);

describe('Following a user', () => {
  it('is told to both, counted, and undone', async () => {
    const { anna, ben } = await people();
    const api = world.api(anna);
    const followed = await api.post(`/users/${ben.id}/follow`);
    expect([followed.status, followed.body.username]).toEqual([201, ben.username]);
    expect((await api.post(`/users/${ben.id}/follow`)).status).toBe(304);
    expect(ids((await api.get(`/users/${ben.id}/followers`)).body)).toEqual([anna.id]);
    expect(ids((await world.api(ben).get(`/users/${anna.id}/following`)).body)).toEqual([ben.id]);
    expect((await api.get(`/users/${anna.id}/followers`)).body).toEqual([]);
    expect((await api.get(`/users/${ben.id}`)).body).toMatchObject({ followers: 1, following: 0, is_followed: true });
    expect((await world.api(ben).get(`/users/${anna.id}`)).body).toMatchObject({
      followers: 0,
      following: 1,
      is_followed: false,
    });
    expect((await api.post(`/users/${ben.id}/unfollow`)).status).toBe(201);
    expect((await api.post(`/users/${ben.id}/unfollow`)).status).toBe(304);
    expect((await api.get(`/users/${ben.id}/followers`)).body).toEqual([]);
  });

  it('is not possible for oneself, unknown users, and anonymous callers', async () => {
    const { anna, ben } = await people();
    expect((await world.api(anna).post(`/users/${anna.id}/follow`)).status).toBe(304);
    expect((await world.api(anna).post('/users/2147483647/follow')).status).toBe(404);
    expect((await world.api().post(`/users/${ben.id}/follow`)).status).toBe(401);
    expect((await world.api().get(`/users/${ben.id}/followers`)).status).toBe(401);
  });

  it('ends at a number of users, also for several requests at once', async () => {
    const { anna, ben, decoy } = await people();
    const many = Array.from({ length: MAX_FOLLOWED_USERS - 1 }, (_, n) => ({
      name: 'x',
      username: `${anna.username}-${n}`,
      email: `${anna.username}-${n}@example.org`,
    }));
    await world.db.$executeRaw`
      INSERT INTO users (name, username, email, password_hash, private_token_encrypted, private_token_hash, updated_at)
      SELECT 'x', 'f' || ${anna.id} || '-' || n, 'f' || ${anna.id} || '-' || n || '@example.org', 'x', 'x'::bytea,
        convert_to('f' || ${anna.id} || '-' || n, 'UTF8'), now() FROM generate_series(1, ${many.length}) n`;
    await world.db.$executeRaw`
      INSERT INTO user_follows (follower_id, followed_id) SELECT ${anna.id}, id FROM users WHERE name = 'x'`;
    const answers = await Promise.all([ben, decoy].map(({ id }) => world.api(anna).post(`/users/${id}/follow`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(await world.db.userFollow.count({ where: { followerId: anna.id } })).toBe(MAX_FOLLOWED_USERS);
  });

  it('is hidden from others by a private profile', async () => {
    const { anna, ben, decoy } = await people();
    await world.api(anna).post(`/users/${ben.id}/follow`);
    await world.db.user.update({ where: { id: ben.id }, data: { privateProfile: true } });
    expect((await world.api(decoy).get(`/users/${ben.id}/followers`)).body).toEqual([]);
    expect((await world.api(decoy).get(`/users/${ben.id}`)).body).toMatchObject({
      followers: null,
      is_followed: false,
    });
    expect(ids((await world.api(ben).get(`/users/${ben.id}/followers`)).body)).toEqual([anna.id]);
  });
});
