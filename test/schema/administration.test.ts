// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startSession } from '#src/access/credentials/sessions/session.ts';
import { startIssuer } from '../support/issuer.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });

const ADMINISTRATIVE = [
  '{ health { name status summary advice } }',
  '{ storages { name projects repositorySize freeSpace } }',
  '{ configuredSignInProviders { name address } }',
  '{ jobMetrics { dead { uuid reason } } }',
  'mutation { testSignInProvider(input: { name: "company" }) { succeeded message } }',
  'mutation { retryDeadJobs(input: {}) { retried } }',
];

it.each(ADMINISTRATIVE)('administration is for administrators alone: %s', async (document) => {
  const codeFor = async (who?: Parameters<typeof world.graphql>[2]) => {
    const { body } = await world.graphql(document, {}, who);
    return body.errors?.[0]?.extensions.code;
  };
  expect(await codeFor()).toBe('UNAUTHENTICATED');
  expect(await codeFor(await world.user())).toBe('FORBIDDEN');
  expect(['NOT_FOUND', undefined]).toContain(await codeFor(admin));
});

it('a test of a provider of sign-in says that it works, or what is wrong, and no secret', async () => {
  const issuer = await startIssuer();
  const settings = issuer.settings({ clientSecret: 'very-secret' });
  const away = { ...settings, name: 'away', label: 'Away', issuer: 'http://127.0.0.1:9' };
  world.useProviders([settings, away]);
  const list = await world.graphql('{ configuredSignInProviders { name label type address enabled } }', {}, admin);
  expect(list.body.data.configuredSignInProviders.map(({ name }: { name: string }) => name)).toEqual([
    settings.name,
    'away',
  ]);
  const test = async (name: string) => {
    const document = 'mutation ($name: String!) { testSignInProvider(input: { name: $name }) { succeeded message } }';
    return (await world.graphql(document, { name }, admin)).body;
  };
  const [works, fails] = [await test(settings.name), await test('away')];
  expect(works.data.testSignInProvider).toMatchObject({ succeeded: true });
  expect(fails.data.testSignInProvider.succeeded).toBe(false);
  expect(fails.data.testSignInProvider.message).toMatch(/ECONNREFUSED|bad port|fetch failed/);
  expect(JSON.stringify([list.body, works, fails])).not.toContain('very-secret');
  expect((await test('none')).errors[0].extensions.code).toBe('NOT_FOUND');
});

it('storages have the projects that lie there, with their sizes', async () => {
  const project = await world.project({ owner: await world.user() });
  await world.db.projectCounters.update({
    where: { projectId: project.id },
    data: { repositorySize: 1_000, lfsObjectsSize: 20 },
  });
  const { body } = await world.graphql('{ storages { name projects repositorySize lfsObjectsSize } }', {}, admin);
  expect(body.data.storages).toEqual([{ name: 'default', projects: 1, repositorySize: 1_000, lfsObjectsSize: 20 }]);
});

it('sessions are those of the caller, who ends one or all', async () => {
  const [user, other] = [await world.user(), await world.user()];
  for (const { id } of [user, user, other]) await startSession(world.db, id, { address: '192.0.2.1' });
  const document = '{ viewerSessions { databaseId address current impersonation } }';
  const sessions = (await world.graphql(document, {}, user)).body.data.viewerSessions;
  expect(sessions).toHaveLength(2);
  expect(sessions[0]).toMatchObject({ address: '192.0.2.1', current: false, impersonation: false });
  const end = (id: string) => `mutation { endSession(input: { id: "${id}" }) { ended } }`;
  const foreign = await world.db.session.findFirstOrThrow({ where: { userId: other.id } });
  expect((await world.graphql(end(String(foreign.id)), {}, user)).body.errors[0].extensions.code).toBe('NOT_FOUND');
  expect((await world.graphql(end(sessions[0].databaseId), {}, user)).body.errors).toBeUndefined();
  const all = 'mutation { endSessions(input: { exceptCurrent: true }) { ended } }';
  expect((await world.graphql(all, {}, user)).body.data.endSessions.ended).toBe(1);
  expect(await world.db.session.count({ where: { userId: other.id } })).toBe(1);
});

it('the only administrator and the only owner of a group keep their accounts', async () => {
  const remove = (who: { username: string; token: string }, username = who.username) => {
    const document =
      'mutation ($username: String!, $password: String) { deleteAccount(input: { username: $username, password: $password }) { deletedAccountId } }';
    return world.graphql(document, { username, password: PASSWORD }, who as typeof admin);
  };
  expect((await remove(admin)).body.errors[0].extensions.code).toBe('CONFLICT');
  const [first, second] = [await world.user(), await world.user()];
  const group = await world.group({ owner: first });
  expect((await remove(first)).body.errors[0].message).toContain(group.fullPath);
  await world.member(group, second, 'owner');
  // Of two owners who leave at once, one stays.
  const answers = await Promise.all([remove(first), remove(second)]);
  expect(answers.filter(({ body }) => body.errors === undefined)).toHaveLength(1);
  expect(await world.db.user.count({ where: { id: { in: [first.id, second.id] } } })).toBe(1);
});
