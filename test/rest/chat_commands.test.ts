import { describe, expect, it } from 'vitest';
import { connectToken } from '#src/domain/chat_commands/link.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

/** A project whose integration has this token, and what a chat sends there. */
async function withChat(slug = 'slack-slash-commands') {
  const project = await world.project({ owner });
  const token = world.unique('chat-token');
  const { status, body } = await world.api(owner).put(`/projects/${project.id}/integrations/${slug}`, { token });
  expect([status, body.properties]).toEqual([200, {}]);
  const chatUser = { team_id: 'T1', team_domain: 'works', user_id: world.unique('U'), user_name: 'ada' };
  const send = (text: string, given: object = {}) =>
    world.api().post(`/projects/${encodeURIComponent(project.fullPath)}/integrations/${slug}/trigger`, {
      ...{ token, ...chatUser, command: '/gantry', channel_name: 'general' },
      ...{ text, ...given },
    });
  return { project, token, send, slug };
}

/** Follows the link that the chat shows, as a user who agrees. */
async function connect(text: string, user = owner) {
  const [link = ''] = /http[^|)>\s]+/.exec(text) ?? [];
  const browser = await signedIn(world, user);
  const { pathname, search, searchParams } = new URL(link);
  await browser.get(`${pathname}${search}`);
  expect(browser.page).toContain('ada');
  await browser.submit(pathname, { request: String(searchParams.get('token')) });
  expect(browser.answer.headers.location).toBe('/profile/chat');
  return browser;
}

describe('Slash commands', () => {
  it('ask a user of the chat to connect an account, and then run as that account', async () => {
    const { project, send } = await withChat();
    const first = await send('issue new Leak');
    expect(first).toMatchObject({ status: 200, body: { response_type: 'ephemeral' } });
    expect(first.body.text).toContain('|connect your account>');
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(0);
    const browser = await connect(first.body.text);
    await browser.get('/profile/chat');
    expect(browser.page).toContain('ada · works');

    const made = await send('issue new A <new> issue\nWith words & more');
    const url = `${world.url}/${project.fullPath}/-/issues/1`;
    expect(made.body).toEqual({
      response_type: 'in_channel',
      text: `${owner.username} created <${url}|#1 A &lt;new&gt; issue>`,
    });
    const row = await world.db.issue.findFirstOrThrow({ where: { projectId: project.id } });
    expect(row).toMatchObject({ title: 'A <new> issue', description: 'With words & more', authorId: owner.id });
    expect((await send('issue show #1')).body.text).toBe(
      `<${url}|#1 A &lt;new&gt; issue> is open\nWith words &amp; more`,
    );
    expect((await send('issue search new')).body).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('#1 A'),
    });
    expect((await send('issue close 1')).body.text).toContain('closed <');
    expect((await send('issue close 1')).body.text).toContain('is closed already');
    expect((await send('issue show 99')).body).toEqual({
      response_type: 'ephemeral',
      text: 'There is no such thing, or you cannot see it.',
    });
    expect((await send('dance')).body.text).toContain('issue search WORDS');

    const { id } = await world.db.chatConnection.findFirstOrThrow({
      where: { userId: owner.id, integration: { projectId: project.id } },
    });
    await browser.confirm(`/profile/chat/${id}/delete`, {});
    expect((await send('issue show 1')).body.text).toContain('connect your account');
  });

  it('have the rights of the account alone, and show what is confidential to the sender alone', async () => {
    const { project, send } = await withChat('mattermost-slash-commands');
    const guest = await world.user();
    const { body } = await send('help');
    expect(body.text).toContain('[connect your account](');
    await connect(body.text, guest);
    expect((await send('issue show 1')).body.text).toBe('There is no such thing, or you cannot see it.');
    await world.member(project, guest, 'guest');
    const secret = await world.issue(project, owner, { title: 'Hidden', confidential: true });
    expect((await send(`issue show ${secret.iid}`)).body.text).not.toContain('Hidden');
    const own = await world.issue(project, guest, { title: 'Own', confidential: true });
    expect((await send(`issue show ${own.iid}`)).body).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('Own'),
    });
    const other = await world.issue(project, owner);
    expect((await send(`issue close ${other.iid}`)).body.response_type).toBe('ephemeral');
    expect((await world.db.issue.findUniqueOrThrow({ where: { id: other.id } })).state).toBe('opened');
    await world.db.user.update({ where: { id: guest.id }, data: { state: 'blocked' } });
    expect((await send(`issue show ${own.iid}`)).body.text).toContain('connect your account');
  });

  it('end with the token by which the chat was connected', async () => {
    const { project, token, send, slug } = await withChat();
    await connect((await send('help')).body.text);
    await world.issue(project, owner, { title: 'Known' });
    expect((await send('issue show 1')).body.text).toContain('Known');
    const at = `/projects/${project.id}/integrations/${slug}`;
    // Saving it with what it has changes nothing.
    expect((await world.api(owner).put(at, { token })).status).toBe(200);
    expect((await send('issue show 1')).body.text).toContain('Known');
    expect((await world.api(owner).put(at, { token: 'another-token' })).status).toBe(200);
    expect((await send('issue show 1', { token: 'another-token' })).body.text).toContain('connect your account');
  });

  it('need the token of an active integration, whoever calls', async () => {
    const { project, send, slug } = await withChat();
    const missing = { status: 404, body: { message: '404 Integration Not Found' } };
    expect(await send('help', { token: 'wrong' })).toMatchObject(missing);
    expect(await send('help', { token: '' })).toMatchObject(missing);
    const api = world.api(owner);
    const given = { token: 'wrong', team_id: 'T', user_id: 'U' };
    expect(await api.post(`/projects/${project.id}/integrations/slack/trigger`, given)).toMatchObject(missing);
    expect(await api.post(`/projects/0/integrations/${slug}/trigger`, given)).toMatchObject(missing);
    await api.put(`/projects/${project.id}/integrations/${slug}`, { active: false });
    expect(await send('help')).toMatchObject(missing);
    const text = JSON.stringify((await api.get(`/projects/${project.id}/integrations/${slug}`)).body);
    expect(text).not.toContain('chat-token');
  });

  it('take links of this server that have not expired', async () => {
    const { project } = await withChat();
    const { id: integrationId } = await world.db.integration.findFirstOrThrow({ where: { projectId: project.id } });
    const user = { integrationId, teamId: 'T', chatUserId: 'U', teamName: 'works', chatUserName: 'ada' };
    const { secret } = world.as(owner);
    const connecting = (request: string) =>
      world.graphql(
        'mutation ($request: String!) { connectChat(input: { request: $request }) { databaseId } }',
        { request },
        owner,
      );
    const late = connectToken(secret, user, Date.now() - 16 * 60_000);
    for (const wrong of [late, connectToken('another', user), `${connectToken(secret, user)}x`, '']) {
      expect((await connecting(wrong)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    }
    expect((await connecting(connectToken(secret, user))).body.errors).toBeUndefined();
  });
});
