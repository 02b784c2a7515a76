// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { resetTokenFromCommandLine } from '#src/domain/users/reset_password.ts';
import { twice } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();

describe('Without mail', () => {
  it('who creates an account is confirmed and signed in at once', async () => {
    const visitor = new Browser(world.send);
    await visitor.get('/users/sign_up');
    const username = world.unique('newcomer');
    const fields = { username, name: 'New Comer', email: `${username}@example.net`, ...twice(PASSWORD) };
    expect((await visitor.submit('/users/sign_up', fields)).headers.location).toBe('/');
    const { status, body } = await visitor.get('/api/v4/user');
    expect([status, body.username, typeof body.confirmed_at]).toEqual([200, username, 'string']);
    expect((await visitor.get('/users/sign_up')).status).toBe(303);
    const other = new Browser(world.send);
    await other.get('/users/sign_up');
    await other.submit('/users/sign_up', { ...fields, username: `${username}x` });
    expect(other.page).toContain('Email has already been taken');
  });

  it('nobody waits for mail that does not come', async () => {
    const user = await world.user();
    const visitor = new Browser(world.send);
    for (const path of ['/users/password/new', '/users/confirmation/new']) {
      await visitor.get(path);
      expect(visitor.page).toContain('This server does not send email');
      expect(visitor.page).not.toContain('name="email"');
    }
    await visitor.get('/users/sign_in');
    expect(visitor.page).not.toContain('Forgot your password?');
    const answer = await visitor.submit('/users/password', { email: `${user.username}@example.org` });
    expect(answer.status).toBe(409);
    await world.db.user.update({ where: { id: user.id }, data: { confirmedAt: null } });
    expect((await world.api(user).get('/user')).status).toBe(200);
    expect((await visitor.signIn(user.username, PASSWORD)).status).toBe(303);
    expect((await world.api(user).post('/user/emails', { email: 'more@example.net' })).status).toBe(201);
    expect((await world.db.email.findFirstOrThrow({ where: { userId: user.id } })).confirmedAt).not.toBeNull();
  });

  it('a link of the command line leads to a new password', async () => {
    const user = await world.user();
    const token = await resetTokenFromCommandLine(world.db, user.username.toUpperCase());
    const visitor = new Browser(world.send);
    await visitor.get(`/users/password/edit?token=${token}`);
    await visitor.follow();
    expect((await visitor.submit('/users/password/edit', twice('chosen password'))).status).toBe(303);
    expect((await visitor.signIn(user.username, 'chosen password')).headers.location).toBe('/');
    const blocked = await world.user({ blocked: true });
    await expect(resetTokenFromCommandLine(world.db, blocked.username)).rejects.toThrow('or they are blocked');
  });
});
