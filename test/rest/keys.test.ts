import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { encodeKey, newKey, SAMPLES } from '../support/ssh_keys.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(user);
const refused = { status: 401, body: { message: '401 Unauthorized' } };
const forbidden = { status: 403, body: { message: '403 Forbidden' } };
const noKey = { status: 404, body: { message: '404 Key Not Found' } };
const noUser = { status: 404, body: { message: '404 User Not Found' } };
const taken = { fingerprint: ['has already been taken'], key: ['has already been taken'] };
const KEYS = ['id', 'title', 'key', 'created_at', 'expires_at', 'usage_type', 'last_used_at', 'can_push'];

describe('POST /user/keys', () => {
  it('adds a key and answers with exactly its fields', async () => {
    const key = newKey();
    const { status, body } = await api.post('/user/keys', { title: 'laptop', key });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(KEYS);
    expect(body).toMatchObject({ title: 'laptop', key, can_push: false });
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await world.db.sshKey.findUnique({ where: { id: body.id } })).toMatchObject({ userId: user.id });
  });

  it.each(SAMPLES)('takes $key with the fingerprints that ssh-keygen gives', async ({ key, md5, sha256 }) => {
    const { status, body } = await api.post('/user/keys', { title: 'sample', key: `  ${key.replace(' ', '\t  ')}\n` });
    expect([status, body.key]).toEqual([201, key]);
    expect(await world.db.sshKey.findUnique({ where: { id: body.id } })).toMatchObject({
      fingerprint: md5,
      fingerprintSha256: sha256,
    });
  });

  it('takes keys of security keys', async () => {
    const point = Buffer.concat([Buffer.from([4]), randomBytes(64)]);
    for (const key of [
      encodeKey('sk-ssh-ed25519@openssh.com', [randomBytes(32), 'ssh:']),
      encodeKey('sk-ecdsa-sha2-nistp256@openssh.com', ['nistp256', point, 'ssh:']),
    ]) {
      expect(await api.post('/user/keys', { title: 'token', key })).toMatchObject({ status: 201, body: { key } });
    }
  });

  it('names what is missing', async () => {
    expect(await api.post('/user/keys', {})).toMatchObject({
      status: 400,
      body: { error: 'title is missing, key is missing' },
    });
  });

  const rsa = (bits: number) => {
    const modulus = randomBytes(bits / 8);
    modulus[0] = 0x80 | (modulus[0] ?? 0);
    return encodeKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.concat([Buffer.from([0]), modulus])]);
  };
  const unreadable = { key: ['is invalid'], fingerprint: ['cannot be generated'] };
  it.each([
    ['a blank key', '  ', { key: ["can't be blank"] }],
    ['two keys', `${newKey()}\n${newKey()}`, { key: ['should be a single line'] }],
    ['a key with a carriage return inside', newKey('a\rb'), { key: ['should be a single line'] }],
    [
      'a key of more than 5000 characters',
      newKey('x'.repeat(5000)),
      { key: ['is too long (maximum is 5000 characters)'] },
    ],
    [
      'a private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n',
      unreadable,
    ],
    ['garbage', 'garbage', unreadable],
    ['an unknown type', encodeKey('ssh-rot13', [randomBytes(32)]), unreadable],
    ['a type of Object.prototype', encodeKey('constructor', [randomBytes(32)]), unreadable],
    ['no base64', 'ssh-rsa öäü', unreadable],
    ['a key that is cut off', newKey('').slice(0, -8), unreadable],
    ['another type inside', newKey().replace('ssh-ed25519', 'ssh-rsa'), unreadable],
    ['too short an ed25519 key', encodeKey('ssh-ed25519', [randomBytes(31)]), unreadable],
    ['fields too many', encodeKey('ssh-ed25519', [randomBytes(32), 'more']), unreadable],
    ['an RSA key of 512 bits', rsa(512), unreadable],
    [
      'an RSA key with a negative modulus',
      encodeKey('ssh-rsa', [Buffer.from([3]), Buffer.alloc(256, 0xff)]),
      unreadable,
    ],
    ['a point of another curve', encodeKey('ecdsa-sha2-nistp384', ['nistp256', Buffer.alloc(97, 4)]), unreadable],
    ['options before the key', `command="rm" ${newKey()}`, unreadable],
    ['a control character in the comment', newKey('a\u001bb'), unreadable],
  ])('refuses %s', async (_what, key, message) => {
    const before = await world.db.sshKey.count();
    const answer = await api.post('/user/keys', { title: 'bad', key });
    expect([answer.status, answer.body]).toEqual([400, { message }]);
    expect(await world.db.sshKey.count()).toBe(before);
  });

  it('takes an RSA key of 1024 bits', async () => {
    expect(await api.post('/user/keys', { title: 'old', key: rsa(1024) })).toMatchObject({ status: 201 });
  });

  it('refuses a blank title and one that is too long, and says both at once', async () => {
    expect((await api.post('/user/keys', { title: ' ', key: 'x' })).body).toEqual({
      message: { title: ["can't be blank"], ...unreadable },
    });
    expect((await api.post('/user/keys', { title: 'x'.repeat(256), key: newKey() })).body).toEqual({
      message: { title: ['is too long (maximum is 255 characters)'] },
    });
  });

  it('refuses a key that anybody has, under both names, whatever its comment', async () => {
    const key = newKey('mine');
    await world.api(other).post('/user/keys', { title: 'first', key });
    const answer = await api.post('/user/keys', { title: 'second', key: key.replace('mine', 'also mine') });
    expect([answer.status, answer.body]).toEqual([400, { message: taken }]);
  });

  it('lets one of many win who add the same key at once', LONG, async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => world.api(n % 2 ? user : other).post('/user/keys', { title: 'race', key })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400, 400, 400]);
  });

  it('is for signed-in users with full reach', async () => {
    expect(await world.api().post('/user/keys', {})).toMatchObject(refused);
    const reader = world.api(await world.token(user, ['read_user']));
    expect(await reader.post('/user/keys', { title: 'x', key: newKey() })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    });
  });
});

describe('GET /user/keys', () => {
  it('lists own keys alone, newest first, in pages', async () => {
    const owner = await world.user();
    const mine = world.api(owner);
    for (const title of ['one', 'two', 'three']) await mine.post('/user/keys', { title, key: newKey() });
    const { status, headers, body } = await mine.get('/user/keys?per_page=2');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2', 'x-next-page': '2' });
    expect(body.map((key: { title: string }) => key.title)).toEqual(['three', 'two']);
    expect(Object.keys(body[0])).toEqual(KEYS);
    expect(await mine.get(`/user/keys/${body[0].id}`)).toMatchObject({ status: 200, body: body[0] });
    expect(await api.get(`/user/keys/${body[0].id}`)).toMatchObject(noKey);
    expect(await world.api().get(`/user/keys/${body[0].id}`)).toMatchObject(refused);
  });

  it('takes a number as ID', async () => {
    expect(await api.get('/user/keys/x')).toMatchObject({ status: 400, body: { error: 'key_id is invalid' } });
    expect(await api.get('/user/keys/99999999999')).toMatchObject(noKey);
  });

  it('is reached by read_user', async () => {
    const reader = world.api(await world.token(user, ['read_user']));
    expect(await reader.get('/user/keys')).toMatchObject({ status: 200 });
  });

  it('takes the same few statements however many there are', async () => {
    const [few, many] = [await world.user(), await world.user()];
    await world.api(few).post('/user/keys', { title: 'k', key: newKey() });
    for (let n = 0; n < 20; n += 1) await world.api(many).post('/user/keys', { title: 'k', key: newKey() });
    const count = async (who: typeof few) =>
      (await world.statements(() => world.api(who).get('/user/keys?per_page=100'))).length;
    expect(await count(many)).toBe(await count(few));
  });
});

describe('DELETE /user/keys/:key_id', () => {
  it('deletes an own key, and is 200 without a body when there is none', async () => {
    const { body: key } = await api.post('/user/keys', { title: 'doomed', key: newKey() });
    expect(await api.delete(`/user/keys/${key.id}`)).toMatchObject({ status: 200, body: key });
    expect(await world.db.sshKey.findUnique({ where: { id: key.id } })).toBeNull();
    expect(await api.delete(`/user/keys/${key.id}`)).toMatchObject({ status: 200, body: null });
  });

  it('leaves the keys of others alone', async () => {
    const { body: key } = await world.api(other).post('/user/keys', { title: 'kept', key: newKey() });
    expect(await api.delete(`/user/keys/${key.id}`)).toMatchObject({ status: 200, body: null });
    expect(await world.api().delete(`/user/keys/${key.id}`)).toMatchObject(refused);
    expect(await world.db.sshKey.findUnique({ where: { id: key.id } })).not.toBeNull();
  });
});

describe('/users/:id/keys', () => {
  it('lists, adds and deletes the keys of another user for administrators', async () => {
    const owner = await world.user();
    const at = `/users/${owner.id}/keys`;
    const asAdmin = world.api(admin);
    const { status, body: key } = await asAdmin.post(at, { title: 'given', key: newKey() });
    expect([status, Object.keys(key)]).toEqual([201, KEYS]);
    expect(await asAdmin.get(at)).toMatchObject({ status: 200, headers: { 'x-total': '1' }, body: [key] });
    expect(await world.api(owner).get('/user/keys')).toMatchObject({ body: [key] });
    expect(await asAdmin.delete(`${at}/${key.id}`)).toMatchObject({ status: 200 });
    expect(await asAdmin.delete(`${at}/${key.id}`)).toMatchObject(noKey);
  });

  it('is 404 for users and keys that are not there, after what is missing', async () => {
    const asAdmin = world.api(admin);
    expect(await asAdmin.post('/users/999999/keys', {})).toMatchObject({ status: 400 });
    expect(await asAdmin.post('/users/999999/keys', { title: 'x', key: newKey() })).toMatchObject(noUser);
    expect(await asAdmin.get('/users/999999/keys')).toMatchObject(noUser);
    expect(await asAdmin.delete('/users/999999/keys/1')).toMatchObject(noUser);
    expect(await asAdmin.get('/users/abc/keys')).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
    const { body: key } = await world.api(other).post('/user/keys', { title: 'kept', key: newKey() });
    expect(await asAdmin.delete(`/users/${user.id}/keys/${key.id}`)).toMatchObject(noKey);
    expect(await world.db.sshKey.findUnique({ where: { id: key.id } })).not.toBeNull();
  });

  it('is for administrators alone, even where it is about oneself', async () => {
    const { body: key } = await api.post('/user/keys', { title: 'kept', key: newKey() });
    for (const { id } of [user, other]) {
      expect(await api.get(`/users/${id}/keys`)).toMatchObject(forbidden);
      expect(await api.post(`/users/${id}/keys`, { title: 'x', key: newKey() })).toMatchObject(forbidden);
      expect(await api.delete(`/users/${id}/keys/${key.id}`)).toMatchObject(forbidden);
    }
    expect(await api.post(`/users/${user.id}/keys`, { title: 'x' })).toMatchObject({ status: 400 });
    expect(await world.api().get(`/users/${user.id}/keys`)).toMatchObject(refused);
    expect(await world.db.sshKey.findUnique({ where: { id: key.id } })).not.toBeNull();
  });

  it('is read by an administrator with read_user', async () => {
    const reader = world.api(await world.token(admin, ['read_user']));
    expect(await reader.get(`/users/${user.id}/keys`)).toMatchObject({ status: 200 });
    expect(await world.api(await world.token(user, ['read_user'])).get(`/users/${user.id}/keys`)).toMatchObject(
      forbidden,
    );
  });
});

describe('GET /keys/:id', () => {
  it('shows any key with its user to administrators', async () => {
    const { body: key } = await api.post('/user/keys', { title: 'found', key: newKey() });
    const { status, body } = await world.api(admin).get(`/keys/${key.id}`);
    expect([status, Object.keys(body)]).toEqual([200, [...KEYS, 'user']]);
    expect(body).toMatchObject({ ...key, user: { username: user.username, email: `${user.username}@example.org` } });
    expect(await world.api(admin).get('/keys/999999')).toMatchObject(noKey);
    expect(await api.get(`/keys/${key.id}`)).toMatchObject(forbidden);
    expect(await world.api().get(`/keys/${key.id}`)).toMatchObject(refused);
  });
});

describe('Keys in GraphQL', () => {
  const CREATE = `mutation ($input: CreateSshKeyInput!) { createSshKey(input: $input) {
    sshKey { id databaseId title fingerprint fingerprintSha256 user { username } } } }`;

  it('are added, read and deleted by the same rules', async () => {
    const key = newKey();
    const created = await world.graphql(CREATE, { input: { title: 'api', key } }, user);
    const { id, databaseId, ...rest } = created.body.data.createSshKey.sshKey;
    expect(rest).toMatchObject({ title: 'api', user: { username: user.username } });
    const again = await world.graphql(CREATE, { input: { title: 'api', key, userId: user.id } }, admin);
    expect(again.body.errors[0].extensions).toMatchObject({
      code: 'CONFLICT',
      fields: { 'input.key': taken.key },
    });
    const foreign = await world.graphql(CREATE, { input: { title: 'api', key: newKey(), userId: user.id } }, other);
    expect(foreign.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const list = '{ viewer { sshKeys(limit: 1) { totalCount nodes { databaseId } } } }';
    expect((await world.graphql(list, {}, user)).body.data.viewer.sshKeys.nodes).toEqual([{ databaseId }]);
    const node = 'query ($id: ID!) { node(id: $id) { ... on SshKey { title } } }';
    expect((await world.graphql(node, { id }, user)).body.data.node).toEqual({ title: 'api' });
    expect((await world.graphql(node, { id }, other)).body.data.node).toBeNull();
    const sideways = `{ user(id: ${user.id}) { sshKeys { nodes { key } } } }`;
    expect((await world.graphql(sideways, {}, other)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const gone = `mutation { deleteSshKey(input: {id: ${databaseId}}) { sshKey { title } } }`;
    expect((await world.graphql(gone, {}, user)).body.data.deleteSshKey.sshKey).toEqual({ title: 'api' });
    expect((await world.graphql(gone, {}, user)).body.data.deleteSshKey.sshKey).toBeNull();
  });
});

describe('A key', () => {
  it('keeps what it is for, and until when, which is both and for ever unless it is said', async () => {
    const plain = (await api.post('/user/keys', { title: 'plain', key: newKey() })).body;
    expect(plain).toMatchObject({ expires_at: null, usage_type: 'auth_and_signing', last_used_at: null });
    const given = { title: 'signer', key: newKey(), usage_type: 'signing', expires_at: '2199-05-04T12:00:00Z' };
    const own = (await api.post('/user/keys', given)).body;
    expect(own).toMatchObject({ usage_type: 'signing', expires_at: '2199-05-04T12:00:00.000Z' });
    const byAdmin = { ...given, key: newKey(), usage_type: 'auth' };
    expect((await world.api(admin).post(`/users/${user.id}/keys`, byAdmin)).body.usage_type).toBe('auth');
    const past = { title: 'old', key: newKey(), expires_at: '2020-01-01T00:00:00Z' };
    expect(await api.post('/user/keys', past)).toMatchObject({
      status: 400,
      body: { message: { expires_at: ['must be in the future'] } },
    });
    const odd = { title: 'odd', key: newKey(), usage_type: 'driving' };
    expect(await api.post('/user/keys', odd)).toMatchObject({
      status: 400,
      body: { error: 'usage_type does not have a valid value' },
    });
  });

  it('of a user is shown to administrators by its number', async () => {
    const { body: key } = await api.post('/user/keys', { title: 'one', key: newKey() });
    expect(await world.api(admin).get(`/users/${user.id}/keys/${key.id}`)).toMatchObject({ status: 200, body: key });
    expect(await world.api(admin).get(`/users/${other.id}/keys/${key.id}`)).toMatchObject(noKey);
    expect(await api.get(`/users/${user.id}/keys/${key.id}`)).toMatchObject(forbidden);
  });
});

describe('GET /keys', () => {
  const find = (fingerprint: string, who = admin) =>
    world.api(who).get(`/keys?fingerprint=${encodeURIComponent(fingerprint)}`);

  it('finds the key of a user by either fingerprint', async () => {
    await api.post('/user/keys', { title: 'decoy', key: newKey() });
    const { body: key } = await api.post('/user/keys', { title: 'wanted', key: newKey() });
    const { fingerprint, fingerprintSha256 } = await world.db.sshKey.findUniqueOrThrow({ where: { id: key.id } });
    for (const text of [`SHA256:${fingerprintSha256}`, fingerprint, `MD5:${fingerprint.toUpperCase()}`]) {
      const { status, body } = await find(text);
      expect([status, body.id, body.title, body.user.username]).toEqual([200, key.id, 'wanted', user.username]);
      expect(body).not.toHaveProperty('deploy_keys_projects');
    }
  });

  it('finds a deploy key with who added it and the projects that it opens', LONG, async () => {
    const [first, second] = [await world.project({ owner: user }), await world.project({ owner: user })];
    const sent = { title: 'server', key: newKey(), can_push: true };
    const { body: key } = await api.post(`/projects/${first.id}/deploy_keys`, sent);
    await api.post(`/projects/${second.id}/deploy_keys/${key.id}/enable`);
    const { fingerprintSha256 } = await world.db.deployKey.findUniqueOrThrow({ where: { id: key.id } });
    const { status, body } = await find(`SHA256:${fingerprintSha256}`);
    expect([status, body.id, body.user.username]).toEqual([200, key.id, user.username]);
    expect(body.deploy_keys_projects).toEqual(
      [first, second].map(({ id }) => ({ deploy_key_id: key.id, project_id: id, can_push: true })),
    );
  });

  it('refuses what is no fingerprint, unknown ones, and callers who are no administrators', async () => {
    expect(await find('SHA256:short')).toMatchObject({ status: 400, body: { error: 'fingerprint is invalid' } });
    expect(await world.api(admin).get('/keys')).toMatchObject({ status: 400 });
    expect(await find(`SHA256:${'A'.repeat(43)}`)).toMatchObject(noKey);
    expect(await find(`SHA256:${'A'.repeat(43)}`, user)).toMatchObject(forbidden);
  });
});
