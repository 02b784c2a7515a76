// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startWorldWithMail, twice } from '../support/accounts.ts';
import { PASSWORD } from '../support/world.ts';

const { mailbox, world, browser, pathOf } = await startWorldWithMail();
const owner = await world.user();

/** Invites a new address to a new private project, and follows the link in the mail. */
async function invited(visitor = browser()) {
  const project = await world.project({ owner, visibility: 'private' });
  const email = `${world.unique('guest')}@example.net`;
  await world.api(owner).post(`/projects/${project.id}/invitations`, { email, access_level: 30 });
  const { link } = await mailbox.next(email);
  await visitor.get(pathOf(link));
  expect(visitor.answer.headers).toMatchObject({ location: '/-/invites', 'referrer-policy': 'no-referrer' });
  await visitor.follow();
  const levelOf = async (username: string) =>
    (await world.db.member.findFirst({ where: { projectId: project.id, user: { username } } }))?.accessLevel;
  return { project, email, link, visitor, levelOf };
}

describe('The link of an invitation', () => {
  it('asks whoever is signed in, and makes them a member when they accept', async () => {
    const user = await world.user();
    const signedIn = browser();
    await signedIn.signIn(user.username, PASSWORD);
    const { project, visitor, levelOf } = await invited(signedIn);
    expect(visitor.page).toContain(`Invitation to ${project.fullPath}`);
    expect(visitor.page).toContain('as developer');
    expect(await levelOf(user.username)).toBeUndefined();
    const answer = await visitor.submit('/-/invites/accept', {});
    expect([answer.status, answer.headers.location]).toEqual([303, `/${project.fullPath}`]);
    expect(await levelOf(user.username)).toBe(30);
    expect((await visitor.get('/-/invites')).status).toBe(404);
  });

  it('leads visitors through signing in and back', async () => {
    const user = await world.user();
    const { project, visitor, levelOf } = await invited();
    expect(visitor.page).toContain('/users/sign_in?return_to=%2F-%2Finvites');
    expect((await visitor.submit('/-/invites/accept', {})).headers.location).toContain('/users/sign_in');
    await visitor.get('/users/sign_in?return_to=%2F-%2Finvites');
    expect(visitor.page).toContain('name="return_to" value="/-/invites"');
    const sent = { login: user.username, password: PASSWORD, return_to: '/-/invites' };
    const entered = await visitor.submit('/users/sign_in', sent);
    expect(entered.headers.location).toBe('/-/invites');
    await visitor.follow();
    const answer = await visitor.submit('/-/invites/accept', {});
    expect(answer.headers.location).toBe(`/${project.fullPath}`);
    expect(await levelOf(user.username)).toBe(30);
  });

  it('signs up its address without another confirmation, as a member', async () => {
    const { project, email, visitor, levelOf } = await invited();
    await visitor.get('/users/sign_up');
    expect(visitor.page).toContain(`value="${email}"`);
    const username = world.unique('newcomer');
    const fields = { username, name: 'New Comer', email, ...twice(PASSWORD) };
    const answer = await visitor.submit('/users/sign_up', fields);
    expect([answer.status, answer.headers.location]).toEqual([303, `/${project.fullPath}`]);
    expect(await levelOf(username)).toBe(30);
    const made = await world.db.user.findFirstOrThrow({ where: { username } });
    expect([made.email, made.confirmedAt !== null]).toEqual([email, true]);
    await world.idle();
    expect(mailbox.to(email)).toHaveLength(1);
  });

  it('has another address confirmed by mail first', async () => {
    const { visitor, levelOf } = await invited();
    await visitor.get('/users/sign_up');
    const username = world.unique('newcomer');
    const email = `${username}@example.com`;
    const answer = await visitor.submit('/users/sign_up', { username, name: 'New', email, ...twice(PASSWORD) });
    expect(answer.headers.location).toBe('/users/sign_in');
    expect(await levelOf(username)).toBeUndefined();
    expect((await world.db.user.findFirstOrThrow({ where: { username } })).confirmedAt).toBeNull();
    expect((await mailbox.next(email)).subject).toContain('Confirm');
  });

  it('declines without an account, and then is dead', async () => {
    const { link, visitor, project } = await invited();
    const answer = await visitor.submit('/-/invites/decline', {});
    expect([answer.status, visitor.page.includes('Invitation declined')]).toEqual([200, true]);
    expect(await world.db.invitation.count({ where: { projectId: project.id } })).toBe(0);
    const late = browser();
    await late.get(pathOf(link));
    expect((await late.follow()).status).toBe(404);
  });
});
