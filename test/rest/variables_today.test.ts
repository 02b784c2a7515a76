// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { isScopeOf } from '#src/domain/ci/variables/of_pipeline.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { projectToken, registerRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

const { world, owner, api, projectWithJobs } = await startRunnerWorld();
const admin = await world.user({ admin: true });
const master = await world.user();
let group: { id: number; fullPath: string };
let child: { id: number };
let project: { id: number };

beforeAll(async () => {
  group = await world.group({ owner });
  child = await world.group({ owner, parentId: group.id });
  project = await world.project({ owner, namespaceId: child.id });
  await world.member(project, master, 'master');
});

const DEFAULTS = {
  variable_type: 'env_var',
  protected: false,
  masked: false,
  hidden: false,
  raw: false,
  environment_scope: '*',
  description: null,
};

describe.each([
  ['a project', () => `/projects/${project.id}/variables`, '404 Variable Not Found'],
  ['a group', () => `/groups/${group.id}/variables`, '404 GroupVariable Not Found'],
  ['the server', () => '/admin/ci/variables', '404 InstanceVariable Not Found'],
])('Variables of %s', (place, path, missing) => {
  const isServer = place === 'the server';
  const who = () => world.api(isServer ? admin : owner);

  it('are created, listed in that order, read, changed and deleted', LONG, async () => {
    const at = path();
    const [one, two] = [world.unique('ONE'), world.unique('TWO')];
    const { hidden: _hidden, environment_scope: _scope, ...ofServer } = DEFAULTS;
    const record = { key: one, value: 'a value', ...(isServer ? ofServer : DEFAULTS) };
    const made = await who().post(at, { key: one, value: 'a value' });
    expect([made.status, made.body]).toEqual([201, record]);
    const given = { variable_type: 'file', protected: true, masked: true, raw: true, description: 'said' };
    const { body: second } = await who().post(at, { key: two, value: 'a-$value', ...given });
    expect(second).toMatchObject({ key: two, value: 'a-$value', ...given });
    const keys = (await who().get(`${at}?per_page=100`)).body.map(({ key }: Json) => key);
    expect(keys.filter((key: string) => [one, two].includes(key))).toEqual([one, two]);
    expect((await who().get(`${at}/${one}`)).body).toEqual(record);
    const changed = await who().put(`${at}/${one}`, { value: 'another', description: 'new' });
    expect([changed.status, changed.body]).toEqual([200, { ...record, value: 'another', description: 'new' }]);
    // What is not said stays.
    expect((await who().put(`${at}/${two}`, { value: 'long-$value' })).body).toMatchObject(given);
    expect((await who().delete(`${at}/${one}`)).status).toBe(204);
    const gone = { status: 404, body: { message: missing } };
    for (const method of ['get', 'delete'] as const) expect(await who()[method](`${at}/${one}`)).toMatchObject(gone);
    expect(await who().put(`${at}/${one}`, { value: 'x' })).toMatchObject(gone);
    expect((await who().get(`${at}/${two}`)).status).toBe(200);
  });

  it.each([
    [{ key: 'A-B', value: 'x' }, { key: ["can contain only letters, digits and '_'."] }],
    [{ key: 'A', value: 'short', masked: true }, { value: ['is invalid'] }],
    [{ key: 'A', value: 'with a space', masked: true }, { value: ['is invalid'] }],
    [{ key: 'A', value: 'two\nlines-long', masked: true }, { value: ['is invalid'] }],
    [{ key: 'A', value: 'with-$variable', masked: true }, { value: ['is invalid'] }],
    [
      { key: 'A', value: 'x', description: 'x'.repeat(256) },
      { description: ['is too long (maximum is 255 characters)'] },
    ],
  ])('are refused: %j', async (values, message) => {
    expect(await who().post(path(), values)).toMatchObject({ status: 400, body: { message } });
    expect((await who().get(`${path()}/A`)).status).toBe(404);
  });

  it('have a key once', async () => {
    const key = world.unique('KEY');
    await who().post(path(), { key, value: 'x' });
    expect(await who().post(path(), { key, value: 'y' })).toMatchObject({
      status: 400,
      body: { message: { key: ['has already been taken'] } },
    });
    await who().delete(`${path()}/${key}`);
  });

  it('are for those who administer the place', async () => {
    const statuses = await Promise.all(
      [master, await world.user(), undefined].map(async (user) => (await world.api(user).get(path())).status),
    );
    expect(statuses).toEqual(
      { 'a project': [200, 404, 401], 'a group': [403, 404, 401], 'the server': [403, 403, 401] }[place],
    );
    const created = (await world.api(await world.user()).post(path(), { key: 'B', value: 'x' })).status;
    expect(created).toBe(isServer ? 403 : 404);
  });
});

describe('Variables of the server', () => {
  it('have values of 10,000 characters at most', async () => {
    expect(
      await world.api(admin).post('/admin/ci/variables', { key: 'LONG', value: 'x'.repeat(10_001) }),
    ).toMatchObject({
      status: 400,
      body: { message: { value: ['is too long (maximum is 10000 characters)'] } },
    });
  });
});

describe('Several variables of a key', () => {
  it('are told apart by their environment scopes', LONG, async () => {
    const at = `/projects/${project.id}/variables`;
    for (const scope of ['*', 'live', 'review/*']) {
      expect((await api.post(at, { key: 'URL', value: scope, environment_scope: scope })).status).toBe(201);
    }
    expect((await api.post(at, { key: 'URL', value: 'x', environment_scope: 'live' })).status).toBe(400);
    expect(await api.get(`${at}/URL`)).toMatchObject({
      status: 409,
      body: {
        message: "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
      },
    });
    const filter = (scope: string) => `${at}/URL?filter[environment_scope]=${encodeURIComponent(scope)}`;
    expect((await api.get(filter('live'))).body.value).toBe('live');
    expect((await api.get(filter('nowhere'))).status).toBe(404);
    expect((await api.put(`${at}/URL`, { value: 'new' })).status).toBe(409);
    const put = { value: 'new', filter: { environment_scope: 'review/*' }, environment_scope: 'review' };
    expect((await api.put(`${at}/URL`, put)).body).toMatchObject({ value: 'new', environment_scope: 'review' });
    expect((await api.delete(`${at}/URL`)).status).toBe(409);
    expect((await api.delete(filter('review'))).status).toBe(204);
    expect((await api.get(at)).body.map((one: Json) => one.environment_scope)).toEqual(
      expect.arrayContaining(['*', 'live']),
    );
    for (const scope of ['*', 'live']) await api.delete(filter(scope));
    expect(await api.post(at, { key: 'URL', value: 'x', environment_scope: 'a&b' })).toMatchObject({
      status: 400,
      body: { message: { environment_scope: [expect.stringMatching(/^can contain only/)] } },
    });
  });

  it.each([
    ['*', null, true],
    ['live', null, false],
    ['*', 'live', true],
    ['live', 'live', true],
    ['live', 'Live', false],
    ['review/*', 'review/topic', true],
    ['review/*', 'review', false],
    ['*/topic', 'review/topic', true],
    ['r*w/*c', 'review/topic', true],
    ['r*x*c', 'review/topic', false],
    ['ab*ba', 'aba', false],
  ])('%s is for the environment %s: %s', (scope, environment, expected) => {
    expect(isScopeOf(scope, environment)).toBe(expected);
  });
});

describe('A hidden variable', () => {
  it('is masked, and its value is in no answer', async () => {
    const at = `/projects/${project.id}/variables`;
    const { status, body } = await api.post(at, { key: 'HIDDEN', value: 'secret-value', masked_and_hidden: true });
    expect([status, body.value, body.masked, body.hidden]).toEqual([201, null, true, true]);
    const changed = await api.put(`${at}/HIDDEN`, { value: 'other-secret' });
    expect([changed.body.value, changed.body.hidden]).toEqual([null, true]);
    expect(JSON.stringify([(await api.get(at)).body, (await api.get(`${at}/HIDDEN`)).body])).not.toMatch(/secret/);
    const query = `{ project(ref: "${project.id}") { variable(key: "HIDDEN") { value isHidden } } }`;
    expect((await world.graphql(query, {}, owner)).body.data.project.variable).toEqual({ value: null, isHidden: true });
    await api.delete(`${at}/HIDDEN`);
  });
});

describe('A job', () => {
  it('gets the variables of the server, of groups and of its project, of which the nearest win', LONG, async () => {
    const own = await projectWithJobs(
      'plain: {script: x}\nlive: {script: x, environment: live}\nrules: {script: x, rules: [{if: "$LEVEL == \\"project\\""}]}',
    );
    const inGroup = await world.project({ owner, namespaceId: child.id });
    const levels: [string, string][] = [
      ['/admin/ci/variables', 'server'],
      [`/groups/${group.id}/variables`, 'group'],
      [`/groups/${child.id}/variables`, 'child'],
    ];
    const prefix = world.unique('V').toUpperCase();
    for (const [at, level] of levels) {
      const by = world.api(level === 'server' ? admin : owner);
      for (const key of ['LEVEL', level.toUpperCase()])
        await by.post(at, { key: `${prefix}_${key}`, value: `of-${level}` });
    }
    const { url, db } = world;
    expect(url).toContain('http');
    // The project below both groups has jobs, and another one has not their variables.
    await db.project.update({ where: { id: own.project.id }, data: { namespaceId: child.id } });
    const at = `/projects/${own.project.id}/variables`;
    await api.post(at, { key: 'SECRET', value: 'masked-value', masked: true });
    await api.post(at, { key: 'FILE', value: 'content', variable_type: 'file', raw: true });
    await api.post(at, { key: 'SCOPED', value: 'everywhere' });
    await api.post(at, { key: 'SCOPED', value: 'live', environment_scope: 'live' });
    await api.post(at, { key: 'SCOPED', value: 'l*', environment_scope: 'l*' });
    await api.post(at, { key: 'ONLY_LIVE', value: 'x', environment_scope: 'live' });
    const runner = await registerRunner(world, { token: await projectToken(world, owner, own.project.id) });
    const jobs: Record<string, Json[]> = {};
    await runner.runAll((job) => {
      jobs[job.job_info.name] = job.variables;
      return 'success';
    });
    const last = (name: string, key: string) => jobs[name]?.filter((one) => one.key === key).at(-1);
    expect([last('plain', `${prefix}_LEVEL`)?.value, last('plain', `${prefix}_GROUP`)?.value]).toEqual([
      'of-child',
      'of-group',
    ]);
    expect(last('plain', `${prefix}_SERVER`)?.value).toBe('of-server');
    expect(last('plain', 'SECRET')).toEqual({
      key: 'SECRET',
      value: 'masked-value',
      public: false,
      file: false,
      masked: true,
    });
    expect(last('plain', 'FILE')).toEqual({ key: 'FILE', value: 'content', public: false, file: true, raw: true });
    expect([last('plain', 'SCOPED')?.value, last('live', 'SCOPED')?.value]).toEqual(['everywhere', 'live']);
    expect([last('plain', 'ONLY_LIVE'), last('live', 'ONLY_LIVE')?.value]).toEqual([undefined, 'x']);
    expect(last('plain', 'CI_JOB_TOKEN')).toMatchObject({ masked: true, public: false });
    await api.delete(`/projects/${inGroup.id}`);
    await world.api(admin).delete(`/admin/ci/variables/${prefix}_LEVEL`);
    await world.api(admin).delete(`/admin/ci/variables/${prefix}_SERVER`);
  });
});
