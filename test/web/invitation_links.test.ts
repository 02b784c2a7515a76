// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { handedOverToken } from '#src/domain/members/invitations/token.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { addressOf, startWorldWithMail, twice } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const mailing = await startWorldWithMail();

const pathOf = (link: string) => link.slice(new URL(link).origin.length);

it.each(['project', 'group'] as const)(
  'a server without mail shows the link of an invitation to a %s once, and who follows it becomes a member',
  async (kind) => {
    const owner = await world.user();
    const place = kind === 'project' ? await world.project({ owner }) : await world.group({ owner });
    const members =
      kind === 'project' ? `/${place.fullPath}/-/project_members` : `/groups/${place.fullPath}/-/group_members`;
    const member = await world.user();
    const email = `${world.unique('guest')}@example.net`;
    const browser = await signedIn(world, owner);
    await browser.get(`${members}/invitations/new`);
    const fields = { emails: `${email}\n${addressOf(member)}`, accessLevel: 'reporter', expiresAt: '2099-02-03' };
    await browser.submit(`${members}/invitations/new`, fields);
    expect(browser.answer.status).toBe(200);
    const { link = '' } = /value="(?<link>[^"]*\/-\/invites\?token=[^"]*)"/.exec(browser.page)?.groups ?? {};
    expect(browser.page).toContain(`>${email}</label>`);
    expect(browser.page.match(/\/-\/invites\?token=/g)).toHaveLength(1);
    await browser.get(`${members}/invitations`);
    expect(browser.page).toContain(email);
    expect(browser.page).not.toContain('token=');

    const visitor = new Browser(world.send);
    await visitor.get(pathOf(link));
    await visitor.follow();
    expect(visitor.page).toContain('as reporter');
    await visitor.get('/users/sign_up');
    const username = world.unique('newcomer');
    await visitor.submit('/users/sign_up', { username, name: 'New', email, ...twice(PASSWORD) });
    expect(visitor.answer.headers.location).toBe(`/${place.fullPath}`);
    const where = kind === 'project' ? { projectId: place.id } : { namespaceId: place.id };
    const made = await world.db.member.findFirst({ where: { ...where, user: { username } } });
    expect([made?.accessLevel, made?.expiresAt?.toISOString().slice(0, 10)]).toEqual([20, '2099-02-03']);
    await visitor.get(pathOf(link));
    await visitor.follow();
    expect(visitor.answer.status).toBe(404);
  },
);

it('links to hand over keep to rights and domains, and are not made again for an address that has one', async () => {
  const [owner, developer] = [await world.user(), await world.user()];
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  const links = async (user: typeof owner, ...emails: string[]) =>
    (
      await world.graphql(
        `mutation ($input: InviteMembersInput!) {
        inviteMembers(input: $input) { status message links { email token uri } }
      }`,
        { input: { project: project.fullPath, emails, accessLevel: 'REPORTER', handOver: true } },
        user,
      )
    ).body;
  const email = `${world.unique('guest')}@example.net`;
  const refused = await links(developer, email);
  expect(refused.errors[0].extensions.code).toBe('FORBIDDEN');
  expect(await world.db.invitation.count({ where: { email } })).toBe(0);
  expect((await links(owner, email)).data).toMatchObject({
    inviteMembers: { status: 'success', message: null, links: [{ email, uri: expect.stringContaining('/-/invites') }] },
  });
  const admin = await world.user({ admin: true });
  await world.api(admin).put('/application/settings', { domain_allowlist: ['only.example'] });
  const elsewhere = await links(owner, `${world.unique('guest')}@example.net`);
  await world.api(admin).put('/application/settings', { domain_allowlist: [] });
  expect(elsewhere.data).toMatchObject({ inviteMembers: { status: 'error', links: [] } });
  const again = await links(owner, email);
  expect(again.data).toMatchObject({
    inviteMembers: { status: 'error', message: { [email]: 'Invite email has already been taken' }, links: [] },
  });
});

it('the link that was handed over proves no address once the server sends mail: that is confirmed first', async () => {
  const { world: other, mailbox, browser } = mailing;
  const owner = await other.user();
  const project = await other.project({ owner });
  const email = `${other.unique('guest')}@example.net`;
  const token = handedOverToken();
  await other.db.invitation.create({
    data: { projectId: project.id, email, accessLevel: 20, createdById: owner.id, tokenHash: tokenHash(token) },
  });
  const visitor = browser();
  await visitor.get(`/-/invites?token=${token}`);
  await visitor.follow();
  expect(visitor.page).toContain('as reporter');
  await visitor.get('/users/sign_up');
  const username = other.unique('newcomer');
  await visitor.submit('/users/sign_up', { username, name: 'New', email, ...twice(PASSWORD) });
  expect(visitor.answer.headers.location).toBe('/users/sign_in');
  expect((await other.db.user.findFirstOrThrow({ where: { username } })).confirmedAt).toBeNull();
  expect(await other.db.member.count({ where: { projectId: project.id, user: { username } } })).toBe(0);
  expect((await mailbox.next(email)).subject).toContain('Confirm');
});
