import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const [owner, developer] = [await world.user(), await world.user()];
const api = world.api(developer);

async function flagged() {
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  return {
    project,
    flags: `/projects/${project.id}/feature_flags`,
    lists: `/projects/${project.id}/feature_flags_user_lists`,
  };
}

const client = '{ project(ref: $ref) { featureFlagsClient { url instanceId } } }';
const reset = `mutation ($ref: ProjectRef!) { resetFeatureFlagsInstanceId(input: { project: $ref }) {
  featureFlagsClient { url instanceId } } }`;

/** The instance ID of a project, as its masters see it. */
async function instanceOf({ id }: ProjectRow, who = owner): Promise<string> {
  const { body } = await world.graphql(`query ($ref: ProjectRef!) ${client}`, { ref: String(id) }, who);
  return body.data?.project?.featureFlagsClient?.instanceId ?? body.errors?.[0]?.extensions.code;
}

/** Asks as a client does. */
function ask({ id }: ProjectRow, what: string, headers: Record<string, string>, method = 'GET', body?: unknown) {
  return world.send(method, `/api/v4/feature_flags/unleash/${id}${what}`, { headers, body });
}

const clientOf = (instanceId: string, environment: string) => ({
  'UNLEASH-INSTANCEID': instanceId,
  'UNLEASH-APPNAME': environment,
});

const strategy = (name: string, parameters: object, ...scopes: string[]) => ({
  ...{ name, parameters },
  scopes: scopes.map((scope) => ({ environment_scope: scope })),
});

describe('Clients of Unleash', () => {
  it('read the flags that have a strategy in their environment, with these strategies', async () => {
    const { project, flags, lists } = await flagged();
    const { body: list } = await api.post(lists, { name: 'Testers', user_xids: 'ada,ben' });
    await api.post(flags, {
      name: 'many',
      description: 'Several',
      strategies: [
        strategy('default', {}, 'production'),
        strategy('userWithId', { userIds: '7' }, 'review/*', 'staging'),
        { ...strategy('gitlabUserList', {}, 'review/new_1'), user_list_id: list.id },
      ],
    });
    await api.post(flags, { name: 'off', active: false, strategies: [strategy('default', {}, '*')] });
    await api.post(flags, { name: 'nowhere' });
    const instanceId = await instanceOf(project);
    const off = { name: 'off', enabled: false, strategies: [{ name: 'default', parameters: {} }] };
    const many = (...strategies: object[]) => ({ name: 'many', description: 'Several', enabled: true, strategies });
    const everybody = { name: 'default', parameters: {} };
    const one = { name: 'userWithId', parameters: { userIds: '7' } };
    const listed = { name: 'userWithId', parameters: { userIds: 'ada,ben' } };
    for (const [environment, features] of [
      ['production', [many(everybody), off]],
      ['review/new_1', [many(one, listed), off]],
      ['review/newX1', [many(one), off]],
      ['Production', [off]],
      ['', []],
    ] as const) {
      const { status, body } = await ask(project, '/client/features', clientOf(instanceId, environment));
      expect([environment, status, body]).toEqual([environment, 200, { version: 1, features }]);
    }
    const query = `?instance_id=${encodeURIComponent(instanceId)}&app_name=review%2Fnew_1`;
    expect((await ask(project, `/features${query}`, {})).body.features).toEqual([many(one, listed), off]);
  });

  it('are answered 304 until something that they read has changed', async () => {
    const { project, flags, lists } = await flagged();
    const { body: list } = await api.post(lists, { name: 'Testers', user_xids: 'ada' });
    await api.post(flags, {
      name: 'flag',
      strategies: [{ ...strategy('gitlabUserList', {}, '*'), user_list_id: list.id }],
    });
    const headers = clientOf(await instanceOf(project), 'production');
    let etag = '';
    const read = async (more = {}) => {
      const answer = await ask(project, '/client/features', { ...headers, ...more, 'If-None-Match': etag });
      etag = String(answer.headers.etag);
      return answer;
    };
    expect((await read()).status).toBe(200);
    expect(await read()).toMatchObject({ status: 304, body: null, headers: { etag } });
    expect((await read({ 'UNLEASH-APPNAME': 'staging' })).status).toBe(200);
    expect((await read()).status).toBe(200);
    const changes: (() => Promise<unknown>)[] = [
      () => api.put(`${lists}/1`, { user_xids: 'ada,ben' }),
      () => api.put(`${flags}/flag`, { active: false }),
      () => api.post(flags, { name: 'other' }),
      () => api.delete(`${flags}/other`),
    ];
    for (const change of changes) {
      expect((await read()).status).toBe(304);
      await change();
      expect((await read()).status).toBe(200);
    }
    expect((await read({ 'UNLEASH-INSTANCEID': 'wrong' })).status).toBe(401);
  });

  it('may register and send metrics, which are not kept', async () => {
    const { project, flags } = await flagged();
    await api.post(flags, { name: 'flag' });
    const headers = clientOf(await instanceOf(project), 'production');
    expect((await ask(project, '', headers)).status).toBe(200);
    for (const what of ['/client/register', '/client/metrics']) {
      const answer = await ask(project, what, headers, 'POST', { appName: 'production', bucket: {} });
      expect([what, answer.status]).toEqual([what, 200]);
      const refused = await ask(project, what, clientOf('wrong', 'production'), 'POST', {});
      expect([what, refused.status]).toEqual([what, 401]);
    }
  });

  it(
    'are refused with another instance ID, that of another project, and while flags are switched off or the project is gone',
    LONG,
    async () => {
      const { project, flags } = await flagged();
      const elsewhere = await flagged();
      for (const list of [flags, elsewhere.flags])
        await api.post(list, { name: 'flag', strategies: [strategy('default', {}, '*')] });
      const instanceId = await instanceOf(project);
      const status = async (given: string, of = project) =>
        (await ask(of, '/client/features', { ...clientOf(given, 'production'), 'Private-Token': owner.token })).status;
      expect(await status(instanceId)).toBe(200);
      for (const given of ['', 'wrong', owner.token, await instanceOf(elsewhere.project), 'x'.repeat(300)]) {
        expect([given, await status(given)]).toEqual([given, 401]);
      }
      expect(await status(instanceId, { ...project, id: 2_147_483_646 })).toBe(401);
      const asOwner = world.api(owner);
      await asOwner.put(`/projects/${project.id}`, { feature_flags_access_level: 'disabled' });
      expect(await status(instanceId)).toBe(401);
      await asOwner.put(`/projects/${project.id}`, { feature_flags_access_level: 'private' });
      expect(await status(instanceId)).toBe(200);
      await asOwner.delete(`/projects/${project.id}`);
      expect(await status(instanceId)).toBe(401);
      const body = (await ask(project, '/client/features', clientOf('wrong', 'production'))).body;
      expect(body).toEqual({ message: '401 Unauthorized' });
    },
  );

  it('ask one statement of the database', LONG, async () => {
    const { project, flags } = await flagged();
    for (const name of ['one', 'two']) await api.post(flags, { name, strategies: [strategy('default', {}, '*')] });
    const headers = clientOf(await instanceOf(project), 'production');
    const statements = await world.statements(() => ask(project, '/client/features', headers));
    expect(statements).toHaveLength(1);
  });
});

describe('Instance IDs', () => {
  it('are shown to masters, who can replace them, after which the one before is refused', async () => {
    const { project, flags } = await flagged();
    expect(await instanceOf(project)).toBeUndefined();
    await api.post(flags, { name: 'flag', strategies: [strategy('default', {}, '*')] });
    const first = await instanceOf(project);
    expect(first).toMatch(/^gfci-\w{20}$/);
    expect(await instanceOf(project, developer)).toBe('FORBIDDEN');
    const replace = async (who = owner): Promise<Json> =>
      (await world.graphql(reset, { ref: project.fullPath }, who)).body;
    expect((await replace(developer)).errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await instanceOf(project)).toBe(first);
    const { url, instanceId } = (await replace()).data.resetFeatureFlagsInstanceId.featureFlagsClient;
    expect(url).toBe(`${world.url}/api/v4/feature_flags/unleash/${project.id}`);
    expect(await instanceOf(project)).toBe(instanceId);
    const status = async (given: string) => (await ask(project, '/client/features', clientOf(given, 'a'))).status;
    expect([await status(first), await status(instanceId)]).toEqual([401, 200]);
    const stored = await world.db.featureFlagClient.findUniqueOrThrow({ where: { projectId: project.id } });
    expect(JSON.stringify(stored)).not.toContain(instanceId);
    const [event] = await world.db.auditEvent.findMany({
      where: { projectId: project.id, action: 'feature_flags_instance_id_reset' },
    });
    expect(event).toMatchObject({ authorId: owner.id, oldValue: null, newValue: null });
  });
});
