// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { MAILS_OF_USER, MAILS_TO_ADDRESS } from '#src/domain/members/invitations/invite.ts';
import { addressOf, startWorldWithMail } from '../support/accounts.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/** people-and-projects.md 7, Records and Rules 9: inviting by e-mail address. */
const { mailbox, world } = await startWorldWithMail();
const owner = await world.user();
const newPlace = async (kind: 'project' | 'group') =>
  kind === 'project' ? world.project({ owner, visibility: 'private' }) : world.group({ owner });
const unknown = () => `${world.unique('guest')}@example.net`;
const KEYS = ['id', 'invite_email', 'access_level', 'created_at', 'expires_at', 'user_name', 'created_by_name'];
const invite = (path: string, given: object, by = owner) =>
  world.api(by).post(`${path}/invitations`, { access_level: 30, ...given });
const levelsIn = async (path: string) =>
  Object.fromEntries(
    (await world.api(owner).get(`${path}/members`)).body.map((one: { username: string; access_level: number }) => [
      one.username,
      one.access_level,
    ]),
  );

describe.each(['project', 'group'] as const)('Invitations to a %s', (kind) => {
  it('wait under the address, and are mailed there with a link that nobody else sees', async () => {
    const place = await newPlace(kind);
    const path = `/${kind}s/${place.id}`;
    const email = unknown();
    const given = { email: ` ${email.toUpperCase()} `, access_level: 20, expires_at: '2199-05-04' };
    expect(await invite(path, given)).toMatchObject({ status: 201, body: { status: 'success' } });
    await invite(path, { email: unknown() });
    const { body } = await world.api(owner).get(`${path}/invitations?query=${encodeURIComponent(email)}`);
    expect(body.map(Object.keys)).toEqual([KEYS]);
    expect(body).toMatchObject([
      {
        invite_email: email,
        access_level: 20,
        expires_at: '2199-05-04T00:00:00.000Z',
        user_name: null,
        created_by_name: expect.any(String),
      },
    ]);
    expect((await world.api(owner).get(`${path}/invitations`)).body).toHaveLength(2);
    expect((await world.api(owner).get(`${path}/invitations?query=${email.slice(1)}`)).body).toEqual([]);
    expect(Object.keys(await levelsIn(path))).not.toContain(email);
    const mail = await mailbox.next(email);
    expect(mail.subject).toBe(`Invitation to ${place.fullPath}`);
    expect(mail.text).toContain(`invites you to the ${kind} ${place.fullPath}, as reporter.`);
    const token = new URL(mail.link).searchParams.get('token') ?? '';
    expect(token).toMatch(/^[\w-]{43}$/);
    const [kept] = await world.db.$queryRaw<{ text: string }[]>`
      SELECT (SELECT json_agg(i)::text FROM invitations i) || (SELECT json_agg(j)::text FROM pgboss.job j) AS text`;
    expect(kept?.text).not.toContain(token);
  });

  it('make accounts of the addresses, and users by number, members at once', async () => {
    const path = `/${kind}s/${(await newPlace(kind)).id}`;
    const [named, mailed, secondary, member, asking, other] = (await Promise.all(
      Array.from({ length: 6 }, () => world.user()),
    )) as [TestUser, TestUser, TestUser, TestUser, TestUser, TestUser];
    const [second, unconfirmed] = [unknown(), unknown()];
    await world.db.email.create({ data: { userId: secondary.id, email: second, confirmedAt: new Date() } });
    await world.db.email.create({ data: { userId: other.id, email: unconfirmed } });
    await world.api(owner).post(`${path}/members`, { user_id: member.id, access_level: 10 });
    const place =
      kind === 'project' ? { projectId: Number(path.split('/')[2]) } : { namespaceId: Number(path.split('/')[2]) };
    await world.db.accessRequest.create({ data: { userId: asking.id, ...place } });
    const emails = [addressOf(mailed).toUpperCase(), second, addressOf(member), addressOf(asking), unconfirmed];
    const answer = await invite(path, { email: emails.join(','), user_id: `${named.id}` });
    expect(answer).toMatchObject({ status: 201, body: { status: 'success' } });
    expect(answer.body).not.toHaveProperty('message');
    const levels = await levelsIn(path);
    for (const user of [named, mailed, secondary, member, asking]) expect(levels[user.username]).toBe(30);
    expect(levels).not.toHaveProperty(other.username);
    expect(await world.db.accessRequest.count({ where: { userId: asking.id } })).toBe(0);
    const pending = (await world.api(owner).get(`${path}/invitations`)).body;
    expect(pending.map((one: { invite_email: string }) => one.invite_email)).toEqual([unconfirmed]);
  });

  it('say for each address why it was not invited, and invite the others', async () => {
    const path = `/${kind}s/${(await newPlace(kind)).id}`;
    const [first, second] = [unknown(), unknown()];
    await invite(path, { email: first });
    expect(await invite(path, { email: [first, second], user_id: [999_999_999] })).toMatchObject({
      status: 201,
      body: {
        status: 'error',
        message: { [first]: 'Invite email has already been taken', 999999999: 'User not found' },
      },
    });
    expect((await world.api(owner).get(`${path}/invitations`)).body).toHaveLength(2);
    const past = unknown();
    expect((await invite(path, { email: past, expires_at: '2020-01-01' })).body).toEqual({
      status: 'error',
      message: { [past]: 'Expires at cannot be a date in the past' },
    });
    const many = Array.from({ length: 101 }, unknown);
    expect((await invite(path, { email: many })).body).toEqual({
      status: 'error',
      message: 'Too many users specified (limit is 100)',
    });
    expect((await world.api(owner).get(`${path}/invitations`)).body).toHaveLength(2);
  });

  it('refuse what is missing, no address, and levels that the caller does not have', async () => {
    const path = `/${kind}s/${(await newPlace(kind)).id}`;
    const email = unknown();
    for (const [given, status, body] of [
      [{}, 400, { message: '400 Bad request - Must provide either email or user_id as a parameter' }],
      [{ email: `${email},nobody` }, 400, { error: 'email contains an invalid email address' }],
      [{ email, access_level: null }, 400, { error: 'access_level is invalid' }],
      [{ email, access_level: 15 }, 400, { message: { access_level: ['is not included in the list'] } }],
    ] as const) {
      expect(await invite(path, given)).toMatchObject({ status, body });
    }
    const [developer, stranger] = [await world.user(), await world.user()];
    await world.api(owner).post(`${path}/members`, { user_id: developer.id, access_level: 30 });
    expect((await invite(path, { email }, developer)).status).toBe(403);
    expect((await world.api(developer).get(`${path}/invitations`)).status).toBe(403);
    expect((await invite(path, { email }, stranger)).status).toBe(404);
    expect(await world.db.invitation.count({ where: { email } })).toBe(0);
  });

  it('can be changed and withdrawn by their address', async () => {
    const path = `/${kind}s/${(await newPlace(kind)).id}`;
    const [email, other] = [unknown(), unknown()];
    await invite(path, { email: [email, other] });
    const at = `${path}/invitations/${encodeURIComponent(email)}`;
    const changed = await world.api(owner).put(at, { access_level: 40, expires_at: '2199-01-02' });
    expect(changed).toMatchObject({
      status: 200,
      body: { invite_email: email, access_level: 40, expires_at: '2199-01-02T00:00:00.000Z' },
    });
    expect(await world.api(owner).put(at, {})).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('at least one parameter must be provided') },
    });
    expect(await world.api(owner).put(at, { expires_at: '2020-01-01' })).toMatchObject({ status: 400 });
    expect(await world.api(owner).put(at, { access_level: 60 })).toMatchObject({ status: 400 });
    const missing = `${path}/invitations/${encodeURIComponent(unknown())}`;
    expect((await world.api(owner).put(missing, { access_level: 10 })).status).toBe(404);
    expect((await world.api(owner).delete(missing)).status).toBe(404);
    expect(await world.api(owner).delete(at)).toMatchObject({ status: 204, body: null });
    const left = (await world.api(owner).get(`${path}/invitations`)).body;
    expect(left.map((one: { invite_email: string }) => one.invite_email)).toEqual([other]);
  });
});

describe('An invitation', () => {
  const tokenOf = async (email: string) => new URL((await mailbox.next(email)).link).searchParams.get('token');
  const ACCEPT = 'mutation($token: String!) { acceptInvitation(input: {token: $token}) { project { fullPath } } }';
  const accept = async (token: string | null, by: TestUser) => (await world.graphql(ACCEPT, { token }, by)).body;

  it('makes whoever has its token a member, once, with the level, the day and the giver of the invitation', async () => {
    const project = await newPlace('project');
    const path = `/projects/${project.id}`;
    const email = unknown();
    await invite(path, { email, expires_at: '2199-05-04' });
    const token = await tokenOf(email);
    const guest = await world.user();
    expect((await accept(token, guest)).data).toEqual({
      acceptInvitation: { project: { fullPath: project.fullPath } },
    });
    expect((await world.api(owner).get(`${path}/members/${guest.id}`)).body).toMatchObject({
      access_level: 30,
      expires_at: '2199-05-04',
      created_by: { username: owner.username },
    });
    const target = { projectId: project.id, targetType: 'Invitation', targetName: email };
    expect(await world.db.auditEvent.findMany({ where: target, orderBy: { id: 'asc' } })).toMatchObject([
      { action: 'invitation_created', authorId: owner.id, attribute: 'access_level', newValue: '30' },
      { action: 'invitation_accepted', authorId: guest.id },
    ]);
    const late = await world.user();
    expect((await accept(token, late)).errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
    expect((await world.api(owner).get(`${path}/invitations`)).body).toEqual([]);
  });

  it('leaves a higher level, and raises a lower one', async () => {
    const project = await newPlace('project');
    const path = `/projects/${project.id}`;
    const [low, high] = [await world.user(), await world.user()];
    await world.api(owner).post(`${path}/members`, { user_id: low.id, access_level: 10 });
    await world.api(owner).post(`${path}/members`, { user_id: high.id, access_level: 40 });
    for (const user of [low, high]) {
      const email = unknown();
      await invite(path, { email });
      await accept(await tokenOf(email), user);
    }
    expect(await levelsIn(path)).toMatchObject({ [low.username]: 30, [high.username]: 40 });
  });

  it('is void once who gave it could not give it any more, was blocked, or has withdrawn it', async () => {
    const group = await world.group({ owner });
    const path = `/groups/${group.id}`;
    const [demoted, blocked] = [await world.user(), await world.user()];
    for (const user of [demoted, blocked]) {
      await world.api(owner).post(`${path}/members`, { user_id: user.id, access_level: 50 });
    }
    const guest = await world.user();
    const codes = async (token: string | null) => (await accept(token, guest)).errors?.[0]?.extensions?.code;
    const emails = [unknown(), unknown(), unknown(), unknown()] as [string, string, string, string];
    await invite(path, { email: emails[0] }, demoted);
    await invite(path, { email: emails[1] }, blocked);
    await invite(path, { email: emails[2] });
    await invite(path, { email: emails[3] });
    const tokens = await Promise.all(emails.map(tokenOf));
    await world.api(owner).put(`${path}/members/${demoted.id}`, { access_level: 40 });
    await world.db.user.update({ where: { id: blocked.id }, data: { state: 'blocked' } });
    await world.api(owner).delete(`${path}/invitations/${encodeURIComponent(emails[2])}`);
    await world.db.invitation.updateMany({ where: { email: emails[3] }, data: { createdAt: new Date('2020-01-01') } });
    for (const token of tokens) expect(await codes(token)).toBe('NOT_FOUND');
    expect(await levelsIn(path)).not.toHaveProperty(guest.username);
    await world.api(owner).put(`${path}/members/${demoted.id}`, { access_level: 50 });
    expect(await codes(tokens[0] ?? null)).toBeUndefined();
  });

  it('is declined by whoever has its token', async () => {
    const path = `/groups/${(await newPlace('group')).id}`;
    const email = unknown();
    await invite(path, { email });
    const token = await tokenOf(email);
    const decline = async () =>
      (
        await world.graphql(
          'mutation($token: String!) { declineInvitation(input: {token: $token}) { declined } }',
          { token },
          owner,
        )
      ).body;
    expect((await decline()).data).toEqual({ declineInvitation: { declined: true } });
    expect((await decline()).errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
    expect((await world.api(owner).get(`${path}/invitations`)).body).toEqual([]);
  });

  it('is mailed to an address a few times an hour at most, and a user can cause so many', async () => {
    const email = unknown();
    const answers = [];
    for (let place = 0; place <= MAILS_TO_ADDRESS; place += 1) {
      answers.push((await invite(`/groups/${(await newPlace('group')).id}`, { email })).body.status);
    }
    expect(answers).toEqual([...Array(MAILS_TO_ADDRESS).fill('success'), 'error']);
    const path = `/groups/${(await newPlace('group')).id}`;
    const key = `invitations #${owner.id}`;
    await world.db.signInFailures.update({ where: { key }, data: { count: MAILS_OF_USER } });
    expect((await invite(path, { email: unknown() })).status).toBe(429);
    const account = await world.user();
    expect((await invite(path, { email: addressOf(account) })).body.status).toBe('success');
  });

  it('goes to addresses without an account only where these could sign up', async () => {
    const path = `/groups/${(await newPlace('group')).id}`;
    const admin = await world.user({ admin: true });
    const email = unknown();
    await world.api(admin).put('/application/settings', { signup_enabled: false });
    try {
      expect((await invite(path, { email })).body).toMatchObject({
        status: 'error',
        message: { [email]: expect.stringContaining('sign-up is disabled') },
      });
    } finally {
      await world.api(admin).put('/application/settings', { signup_enabled: true });
    }
    const silent = await startWorld();
    const user = await silent.user();
    const group = await silent.group({ owner: user });
    const { body } = await silent.api(user).post(`/groups/${group.id}/invitations`, { email, access_level: 30 });
    expect(body).toMatchObject({ status: 'error', message: { [email]: expect.stringContaining('sends no mail') } });
    expect(await silent.db.invitation.count()).toBe(0);
  });
});
