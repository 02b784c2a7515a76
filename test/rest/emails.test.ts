// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(user);
const refused = { status: 401, body: { message: '401 Unauthorized' } };
const forbidden = { status: 403, body: { message: '403 Forbidden' } };
const noEmail = { status: 404, body: { message: '404 Email Not Found' } };
const noUser = { status: 404, body: { message: '404 User Not Found' } };
const taken = { email: ['has already been taken'] };
const address = () => `${world.unique('second')}@example.org`;

describe('POST /user/emails', () => {
  it('adds an address, normalised, and answers with exactly its fields', async () => {
    const email = address();
    const { status, body } = await api.post('/user/emails', { email: `  ${email.toUpperCase()} ` });
    expect([status, Object.keys(body), body.email]).toEqual([201, ['id', 'email'], email]);
    expect(await world.db.email.findUnique({ where: { id: body.id } })).toMatchObject({ userId: user.id, email });
  });

  it('refuses what is no address', async () => {
    expect(await api.post('/user/emails', {})).toMatchObject({ status: 400, body: { error: 'email is missing' } });
    for (const email of ['', 'x', 'a b@c', 'a@', '@b', 'a@b@c', 'a@b\nc', `${'x'.repeat(255)}@y.z`]) {
      const answer = await api.post('/user/emails', { email });
      expect([answer.status, answer.body]).toEqual([400, { message: { email: ['is invalid'] } }]);
    }
  });

  it('refuses an address that anybody has, as primary or secondary one, whatever its case', async () => {
    const email = address();
    await world.api(other).post('/user/emails', { email });
    for (const taking of [
      email,
      email.toUpperCase(),
      `${other.username}@example.ORG`,
      `${user.username}@example.org`,
    ]) {
      const answer = await api.post('/user/emails', { email: taking });
      expect([taking, answer.status, answer.body]).toEqual([taking, 400, { message: taken }]);
    }
    const before = await world.db.user.findUniqueOrThrow({ where: { id: user.id } });
    const clash = await world.api(admin).put(`/users/${user.id}`, { email });
    expect([clash.status, clash.body]).toEqual([404, { message: 'Email has already been taken' }]);
    expect((await world.db.user.findUniqueOrThrow({ where: { id: user.id } })).email).toBe(before.email);
  });

  it('lets one of many win who want the same address at once', LONG, async () => {
    const email = address();
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => api.post('/user/emails', { email })),
      ...Array.from({ length: 4 }, () => world.api(admin).put(`/users/${other.id}`, { email })),
    ]);
    const won = answers.filter(({ status }) => status < 300);
    const [primary, secondary] = [
      await world.db.user.count({ where: { email } }),
      await world.db.email.count({ where: { email } }),
    ];
    expect(primary + secondary).toBe(1);
    expect(won.length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => [200, 201, 400, 404].includes(status))).toBe(true);
  });

  it('lets primary and secondary of the same user race for an address without trouble', LONG, async () => {
    const email = address();
    const target = await world.user();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2
          ? world.api(target).post('/user/emails', { email })
          : world.api(admin).put(`/users/${target.id}`, { email }),
      ),
    );
    expect(answers.every(({ status }) => [200, 201, 400, 404].includes(status))).toBe(true);
    expect((await world.db.user.count({ where: { email } })) + (await world.db.email.count({ where: { email } }))).toBe(
      1,
    );
  });

  it('is for signed-in users with full reach', async () => {
    expect(await world.api().post('/user/emails', {})).toMatchObject(refused);
    const reader = world.api(await world.token(user, ['read_user']));
    expect(await reader.post('/user/emails', { email: address() })).toMatchObject({ status: 403 });
    expect(await reader.get('/user/emails')).toMatchObject({ status: 200 });
  });
});

describe('GET /user/emails', () => {
  it('lists own addresses alone, newest first, in pages, and each by its ID', async () => {
    const owner = await world.user();
    const mine = world.api(owner);
    const emails = [address(), address(), address()];
    for (const email of emails) await mine.post('/user/emails', { email });
    const { status, headers, body } = await mine.get('/user/emails?per_page=2');
    expect([status, headers['x-total'], headers['x-total-pages']]).toEqual([200, '3', '2']);
    expect(body.map((each: { email: string }) => each.email)).toEqual([emails[2], emails[1]]);
    expect(await mine.get(`/user/emails/${body[0].id}`)).toMatchObject({ status: 200, body: body[0] });
    expect(await api.get(`/user/emails/${body[0].id}`)).toMatchObject(noEmail);
    expect(await world.api().get('/user/emails')).toMatchObject(refused);
  });
});

describe('DELETE /user/emails/:email_id', () => {
  it('deletes an own address, and is 200 without a body when there is none', async () => {
    const { body: email } = await api.post('/user/emails', { email: address() });
    expect(await api.delete(`/user/emails/${email.id}`)).toMatchObject({ status: 200, body: email });
    expect(await api.delete(`/user/emails/${email.id}`)).toMatchObject({ status: 200, body: null });
    expect(await world.api(other).post('/user/emails', { email: email.email })).toMatchObject({ status: 201 });
  });

  it('leaves the addresses of others alone', async () => {
    const { body: email } = await world.api(other).post('/user/emails', { email: address() });
    expect(await api.delete(`/user/emails/${email.id}`)).toMatchObject({ status: 200, body: null });
    expect(await world.api().delete(`/user/emails/${email.id}`)).toMatchObject(refused);
    expect(await world.db.email.findUnique({ where: { id: email.id } })).not.toBeNull();
  });
});

describe('/users/:id/emails', () => {
  it('lists, adds and deletes the addresses of another user for administrators', async () => {
    const owner = await world.user();
    const at = `/users/${owner.id}/emails`;
    const asAdmin = world.api(admin);
    const { status, body: email } = await asAdmin.post(at, { email: address() });
    expect([status, Object.keys(email)]).toEqual([201, ['id', 'email']]);
    expect(await asAdmin.get(at)).toMatchObject({ status: 200, headers: { 'x-total': '1' }, body: [email] });
    expect(await asAdmin.post(at, { email: email.email })).toMatchObject({ status: 400, body: { message: taken } });
    expect(await asAdmin.delete(`${at}/${email.id}`)).toMatchObject({ status: 200 });
    expect(await asAdmin.delete(`${at}/${email.id}`)).toMatchObject(noEmail);
  });

  it('is 404 for users who are not there', async () => {
    const asAdmin = world.api(admin);
    expect(await asAdmin.get('/users/999999/emails')).toMatchObject(noUser);
    expect(await asAdmin.post('/users/999999/emails', {})).toMatchObject({ status: 400 });
    expect(await asAdmin.post('/users/999999/emails', { email: address() })).toMatchObject(noUser);
    expect(await asAdmin.delete('/users/999999/emails/1')).toMatchObject(noUser);
    expect(await asAdmin.get('/users/abc/emails')).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
  });

  it('is for administrators alone', async () => {
    const { body: email } = await api.post('/user/emails', { email: address() });
    expect(await api.get(`/users/${user.id}/emails`)).toMatchObject(forbidden);
    expect(await api.post(`/users/${user.id}/emails`, { email: address() })).toMatchObject(forbidden);
    expect(await api.delete(`/users/${user.id}/emails/${email.id}`)).toMatchObject(forbidden);
    expect(await world.api().get(`/users/${user.id}/emails`)).toMatchObject(refused);
    expect(await world.db.email.findUnique({ where: { id: email.id } })).not.toBeNull();
  });
});

describe('Secondary addresses in GraphQL', () => {
  it('are added, read and deleted by the same rules', async () => {
    const create = `mutation ($input: CreateEmailInput!) { createEmail(input: $input) { email { databaseId email } } }`;
    const email = address();
    const { databaseId } = (await world.graphql(create, { input: { email } }, user)).body.data.createEmail.email;
    const again = await world.graphql(create, { input: { email, userId: other.id } }, admin);
    expect(again.body.errors[0].extensions).toMatchObject({
      code: 'CONFLICT',
      fields: { 'input.email': taken.email },
    });
    const list = '{ viewer { secondaryEmails(first: 1) { nodes { email } } } }';
    expect((await world.graphql(list, {}, user)).body.data.viewer.secondaryEmails.nodes).toEqual([{ email }]);
    const sideways = `{ user(id: ${user.id}) { secondaryEmails { nodes { email } } } }`;
    expect((await world.graphql(sideways, {}, other)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await world.graphql(sideways, {}, admin)).body.data.user.secondaryEmails.nodes).toContainEqual({ email });
    const gone = `mutation { deleteEmail(input: {id: ${databaseId}}) { email { email } } }`;
    expect((await world.graphql(gone, {}, user)).body.data.deleteEmail.email).toEqual({ email });
    expect((await world.graphql(gone, {}, user)).body.data.deleteEmail.email).toBeNull();
  });
});
