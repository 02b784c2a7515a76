// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectWithCommit } from '../support/ci.ts';
import { projectToken, registerRunner, sendAsRunner, type TestRunner } from '../support/runner.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const master = await world.user();
const reporter = await world.user();
const stranger = await world.user();
let project: ProjectRow;
let hidden: ProjectRow;
let own: TestRunner;
let shared: TestRunner;

const ask = async (query: string, variables: Record<string, unknown>, who?: TestUser) =>
  (await world.graphql(query, variables, who)).body;
const ofProject = async (place: ProjectRow, values: Record<string, unknown> = {}) =>
  registerRunner(world, { token: await projectToken(world, master, place.id), ...values });

beforeAll(async () => {
  const config = 'unit: {script: x, tags: [t]}';
  ({ project } = await projectWithCommit(world, master, { config, visibility: 'public' }));
  ({ project: hidden } = await projectWithCommit(world, master, { config }));
  await world.idle();
  await world.member(project, reporter, 'reporter');
  shared = await registerRunner(world, { tag_list: 't', description: 'shared' });
  own = await ofProject(project, { tag_list: 't', description: 'own' });
  for (let n = 0; n < 2; n += 1) await shared.update(await shared.take(), 'failed');
});

describe('Runners', () => {
  const query = `query ($id: ID!) { runner(id: $id) { id databaseId description active isShared name online runUntagged locked
    tagList version revision platform architecture contactedAt createdAt
    projects(first: 5) { totalCount nodes { databaseId } } jobs(first: 5) { totalCount nodes { name status failureReason timeout tags project { databaseId } } } } }`;

  it('are seen in full, with the jobs that the caller may read', async () => {
    const { data } = await ask(query, { id: shared.id }, master);
    expect(data.runner).toMatchObject({
      id: toGlobalId('Runner', shared.id),
      databaseId: shared.id,
      description: 'shared',
      active: true,
      isShared: true,
      name: 'test-runner',
      online: true,
      runUntagged: true,
      locked: false,
      tagList: ['t'],
      version: '9.1.0',
      revision: '0123abcd',
      platform: 'linux',
      architecture: 'amd64',
      projects: { totalCount: 0, nodes: [] },
      jobs: { totalCount: 2 },
    });
    expect(data.runner.jobs.nodes[0]).toEqual({
      name: 'unit',
      status: 'FAILED',
      failureReason: 'SCRIPT',
      timeout: 3600,
      tags: ['t'],
      project: { databaseId: hidden.id },
    });
    const { data: seen } = await ask(query, { id: shared.id }, stranger);
    expect(seen.runner.jobs.nodes.map((job: { project: { databaseId: number } }) => job.project.databaseId)).toEqual([
      project.id,
    ]);
    const { data: all } = await ask(query, { id: shared.id }, admin);
    expect(all.runner.jobs.totalCount).toBe(2);
  });

  it('show jobs of no project that has them turned off', async () => {
    await world.db.project.update({ where: { id: hidden.id }, data: { jobsEnabled: false } });
    const { data } = await ask(query, { id: shared.id }, master);
    await world.db.project.update({ where: { id: hidden.id }, data: { jobsEnabled: true } });
    expect(data.runner.jobs.totalCount).toBe(1);
  });

  it('of projects are refused to others, and missing for anonymous callers', async () => {
    for (const who of [reporter, stranger]) {
      const { errors } = await ask(query, { id: own.id }, who);
      expect(errors).toMatchObject([{ message: 'No access granted', extensions: { code: 'FORBIDDEN' } }]);
    }
    expect((await ask(query, { id: own.id })).errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect((await ask(query, { id: 999_999 }, master)).errors[0].extensions.code).toBe('NOT_FOUND');
  });

  it('show their name alone to those who only see their jobs', async () => {
    const { body } = await world.api(master).post(`/projects/${project.id}/pipeline?ref=master`);
    await own.update(await own.take(), 'success');
    const text = `query ($id: ID!, $ref: ProjectRef!) { project(ref: $ref) { pipeline(id: $id) { jobs { nodes {
      runner { description name tagList version contactedAt projects { totalCount } } } } } } }`;
    const variables = { id: body.id, ref: String(project.id) };
    const nodes = async (who: TestUser) => (await ask(text, variables, who)).data.project.pipeline.jobs.nodes;
    expect(await nodes(stranger)).toEqual([
      {
        runner: {
          description: 'own',
          name: 'test-runner',
          tagList: null,
          version: null,
          contactedAt: null,
          projects: { totalCount: 1 },
        },
      },
    ]);
    expect((await nodes(master))[0].runner).toMatchObject({ tagList: ['t'], version: '9.1.0' });
  });

  it('are found by node, for those who see them', async () => {
    const text = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Runner { databaseId } } }';
    const both = [own, shared].map(({ id }) => toGlobalId('Runner', id));
    expect((await ask(text, { ids: both }, master)).data.nodes).toEqual([
      { databaseId: own.id },
      { databaseId: shared.id },
    ]);
    expect((await ask(text, { ids: both }, stranger)).data.nodes).toEqual([null, { databaseId: shared.id }]);
  });

  it('are listed with a constant number of statements', async () => {
    const text = `query { runners(all: true, first: 50) { totalCount nodes { description tagList version
      projects(first: 2) { nodes { name } } allProjects { name } jobs(first: 2) { nodes { name runner { description version } } } } } }`;
    await ask(text, {}, admin);
    const count = async () => (await world.statements(() => ask(text, {}, admin))).length;
    const few = await count();
    const made = await ofProject(hidden);
    await registerRunner(world);
    expect(await count()).toBe(few);
    await world.api(admin).delete(`/runners/${made.id}`);
  });

  it('of a project are for its masters', async () => {
    const text =
      'query ($ref: ProjectRef!) { project(ref: $ref) { runners(scope: SPECIFIC) { nodes { databaseId } } } }';
    const { data } = await ask(text, { ref: String(project.id) }, master);
    expect(data.project.runners.nodes).toEqual([{ databaseId: own.id }]);
    expect((await ask(text, { ref: String(project.id) }, reporter)).errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('Mutations of runners', () => {
  it('change, enable, disable and delete one', async () => {
    const runner = await ofProject(project);
    const id = toGlobalId('Runner', runner.id);
    const update =
      'mutation ($input: UpdateRunnerInput!) { updateRunner(input: $input) { runner { description tagList } } }';
    const { data } = await ask(update, { input: { id, description: 'new', tagList: ['z'] } }, master);
    expect(data.updateRunner.runner).toEqual({ description: 'new', tagList: ['z'] });
    const enable = `mutation ($input: EnableRunnerInput!) { enableRunner(input: $input) { runner { projects { totalCount } } } }`;
    const input = { project: hidden.fullPath, runner: id };
    expect((await ask(enable, { input }, master)).data.enableRunner.runner.projects.totalCount).toBe(2);
    expect((await ask(enable, { input }, master)).errors[0].extensions.code).toBe('CONFLICT');
    const disable = `mutation ($input: DisableRunnerInput!) { disableRunner(input: $input) { runner { projects { totalCount } } } }`;
    expect((await ask(disable, { input }, master)).data.disableRunner.runner.projects.totalCount).toBe(1);
    expect((await ask(disable, { input }, master)).errors[0].extensions.code).toBe('NOT_FOUND');
    const remove = 'mutation ($input: DeleteRunnerInput!) { deleteRunner(input: $input) { deletedRunnerId } }';
    expect((await ask(remove, { input: { id } }, stranger)).errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await ask(remove, { input: { id } }, master)).data.deleteRunner).toEqual({ deletedRunnerId: id });
    expect(await world.db.runner.count({ where: { id: runner.id } })).toBe(0);
  });
});

describe('Registration tokens', () => {
  const read = '{ applicationSettings { registrationToken } }';
  const reset = 'mutation { resetRunnersRegistrationToken(input: {}) { registrationToken } }';
  const register = (token: string) => sendAsRunner(world.url, 'POST', '/runners', { token });

  it('of the server are read and replaced by administrators; it is stored encrypted', async () => {
    const { data } = await ask(read, {}, admin);
    const old = data.applicationSettings.registrationToken;
    expect(old).toMatch(/^grr-[A-Za-z0-9]{20}$/);
    expect((await ask(read, {}, admin)).data.applicationSettings.registrationToken).toBe(old);
    expect((await register(old)).status).toBe(201);
    const replaced = (await ask(reset, {}, admin)).data.resetRunnersRegistrationToken.registrationToken;
    expect([(await register(old)).status, (await register(replaced)).status]).toEqual([403, 201]);
    const row = await world.db.applicationSettings.findUniqueOrThrow({ where: { id: 1 } });
    expect(Buffer.from(row.runnersTokenEncrypted ?? []).includes(replaced)).toBe(false);
    for (const query of [read, reset]) {
      expect((await ask(query, {}, master)).errors[0].extensions.code).toBe('FORBIDDEN');
      expect((await ask(query, {})).errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
  });

  it('of the server are the same for two who read them first at once', async () => {
    await world.db.applicationSettings.update({ where: { id: 1 }, data: { runnersTokenEncrypted: null } });
    const tokens = await Promise.all(Array.from({ length: 5 }, () => ask(read, {}, admin)));
    expect(new Set(tokens.map(({ data }) => data.applicationSettings.registrationToken)).size).toBe(1);
  });

  it('of a project are replaced by its masters', async () => {
    const old = await projectToken(world, master, project.id);
    const text = `mutation ($ref: ProjectRef!) {
      resetProjectRunnersToken(input: { project: $ref }) { project { runnersToken } } }`;
    const variables = { ref: String(project.id) };
    expect((await ask(text, variables, reporter)).errors[0].extensions.code).toBe('FORBIDDEN');
    const { data } = await ask(text, variables, master);
    const replaced = data.resetProjectRunnersToken.project.runnersToken;
    expect([(await register(old)).status, (await register(replaced)).status]).toEqual([403, 201]);
  });
});

describe('The time that jobs may take', () => {
  const text = `mutation ($input: UpdateProjectInput!) { updateProject(input: $input) { project { buildTimeout } } }`;

  it('is set by masters of the project, and told to runners', async () => {
    const input = { project: project.fullPath, buildTimeout: 120 };
    expect((await ask(text, { input }, master)).data.updateProject.project.buildTimeout).toBe(120);
    expect((await ask(text, { input }, reporter)).errors[0].extensions.code).toBe('FORBIDDEN');
    await world.api(master).post(`/projects/${project.id}/pipeline?ref=master`);
    const job = await own.take();
    expect(job.runner_info).toMatchObject({ timeout: 120 });
    await own.update(job, 'success');
  });

  it.each([0, 59, 2_592_001, -1])('is not %s seconds', async (buildTimeout) => {
    const { errors } = await ask(text, { input: { project: project.fullPath, buildTimeout } }, master);
    expect(errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('Protected variables', () => {
  it('are made and changed as such, by REST too', async () => {
    const create = `mutation ($input: CreateVariableInput!) { createVariable(input: $input) { variable { key isProtected } } }`;
    const input = { project: project.fullPath, key: 'LIVE', value: 'x', isProtected: true };
    expect((await ask(create, { input }, master)).data.createVariable.variable).toEqual({
      key: 'LIVE',
      isProtected: true,
    });
    const isProtected = async () =>
      (await world.db.variable.findFirstOrThrow({ where: { projectId: project.id, key: 'LIVE' } })).protected;
    await world.api(master).put(`/projects/${project.id}/variables/LIVE`, { value: 'y' });
    expect(await isProtected()).toBe(true);
    await world.api(master).put(`/projects/${project.id}/variables/LIVE`, { value: 'y', protected: false });
    expect(await isProtected()).toBe(false);
  });
});
