// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { MAX_KEY_LENGTH } from '#src/domain/users/gpg_keys/save.ts';
import { gpgFixtures } from '../support/gpg.ts';
import { startWorld } from '../support/world.ts';

/** people-and-projects.md 8 and Rules 10: keys of OpenPGP. */
const world = await startWorld();
const user = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(user);
const KEYS = ['id', 'key', 'created_at'];
const missing = { status: 404, body: { message: '404 GPG Key Not Found' } };
const { ann, bob, both, secret, revoked } = gpgFixtures;
const add = (key: string, path = '/user/gpg_keys', who = user) => world.api(who).post(path, { key });
const clear = () => world.db.gpgKey.deleteMany();

describe('GPG keys', () => {
  it('are added, listed, shown and deleted by their user', async () => {
    await clear();
    const { status, body } = await add(`\n${ann.key}\n`);
    expect([status, Object.keys(body), body.key]).toEqual([201, KEYS, ann.key.trim()]);
    const { body: second } = await add(bob.key);
    expect((await api.get('/user/gpg_keys')).body).toEqual([second, body]);
    expect((await api.get(`/user/gpg_keys/${body.id}`)).body).toEqual(body);
    expect(await world.api(other).get(`/user/gpg_keys/${body.id}`)).toMatchObject(missing);
    expect(await world.api(other).delete(`/user/gpg_keys/${body.id}`)).toMatchObject(missing);
    expect(await api.delete(`/user/gpg_keys/${body.id}`)).toMatchObject({ status: 204, body: null });
    expect(await api.delete(`/user/gpg_keys/${body.id}`)).toMatchObject(missing);
    expect((await api.post(`/user/gpg_keys/${second.id}/revoke`, {})).status).toBe(202);
    expect((await api.get('/user/gpg_keys')).body).toEqual([]);
  });

  it('of a user are read by whoever is signed in, and changed by administrators', async () => {
    await clear();
    const path = `/users/${user.id}/gpg_keys`;
    expect((await add(ann.key, path, other)).status).toBe(403);
    const { status, body } = await add(ann.key, path, admin);
    expect(status).toBe(201);
    expect((await world.api(other).get(path)).body).toEqual([body]);
    expect((await world.api(other).get(`${path}/${body.id}`)).body).toEqual(body);
    expect(await world.api(other).get(`/users/${other.id}/gpg_keys/${body.id}`)).toMatchObject(missing);
    expect((await world.send('GET', `/api/v4${path}`)).status).toBe(401);
    expect((await world.api(other).delete(`${path}/${body.id}`)).status).toBe(403);
    expect((await world.api(admin).delete(`${path}/${body.id}`)).status).toBe(204);
  });

  it('are refused when they are none, several, private or too long', async () => {
    await clear();
    const invalid = { status: 400, body: { message: { key: [expect.stringContaining('is invalid')] } } };
    const [head = ''] = ann.key.split('\n\n');
    for (const key of [
      'nothing',
      `${ann.key}\n${bob.key}`,
      both,
      secret,
      secret.replaceAll('PRIVATE', 'PUBLIC'),
      `${head}\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----`,
      ann.key.replace(/\n[^\n]{20}/, '\n'),
    ]) {
      expect(await add(key)).toMatchObject(invalid);
    }
    expect(await add('x'.repeat(MAX_KEY_LENGTH + 1))).toMatchObject({
      status: 400,
      body: { message: { key: [expect.stringContaining('is too long')] } },
    });
    expect(await api.post('/user/gpg_keys', {})).toMatchObject({ status: 400, body: { error: 'key is missing' } });
    expect(await world.db.gpgKey.count()).toBe(0);
  });

  it('belong to one account each', async () => {
    await clear();
    await add(ann.key);
    const taken = ['has already been taken'];
    expect(await add(ann.key, '/user/gpg_keys', other)).toMatchObject({
      status: 400,
      body: { message: { fingerprint: taken, primary_keyid: taken } },
    });
  });

  it('tell over GraphQL what they say of themselves, and which of their addresses are confirmed ones', async () => {
    await clear();
    await add(ann.key);
    await add(revoked.key, '/user/gpg_keys', other);
    const ask = async (id: number) =>
      (
        await world.graphql(
          `query($id: ID!) { user(id: $id) { gpgKeys { nodes { fingerprint primaryKeyId userIds { name email }
            verifiedEmails revoked expiresAt subkeys { keyId } } } } }`,
          { id },
          admin,
        )
      ).body.data.user.gpgKeys.nodes;
    const [key] = await ask(user.id);
    expect(key).toEqual({
      fingerprint: ann.fingerprint,
      primaryKeyId: ann.fingerprint.slice(-16),
      userIds: [{ name: 'Ann Example', email: ann.email }],
      verifiedEmails: [],
      revoked: false,
      expiresAt: null,
      subkeys: ann.subkeys.map((keyId) => ({ keyId })),
    });
    await world.db.email.create({ data: { userId: user.id, email: ann.email, confirmedAt: null } });
    expect((await ask(user.id))[0].verifiedEmails).toEqual([]);
    await world.db.email.updateMany({ where: { email: ann.email }, data: { confirmedAt: new Date() } });
    expect((await ask(user.id))[0].verifiedEmails).toEqual([ann.email]);
    await world.db.email.deleteMany({ where: { email: ann.email } });
    expect((await ask(other.id))[0].revoked).toBe(true);
  });
});
