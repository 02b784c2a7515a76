import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { projectToken, registerRunner } from '../support/runner.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const api = world.api(master);
const anonymous = world.api();
let project: ProjectRow;
let sha: string;
let at: string;

const CONFIG = `
unit: {script: test, environment: review/$WHERE}
only-triggered: {script: x, only: [triggers]}
only-pushed: {script: x, only: [pushes]}
`;

beforeAll(async () => {
  ({ project, sha } = await projectWithCommit(world, owner, { config: CONFIG }));
  at = `/projects/${project.id}/triggers`;
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.idle();
});

const KEYS = ['id', 'token', 'description', 'created_at', 'updated_at', 'deleted_at', 'last_used', 'owner'];
const create = async (who = master, place = at) =>
  (await world.api(who).post(place, { description: world.unique('trigger ') })).body;
const notFound = { status: 404, body: { message: '404 Not found' } };
const pipelines = () => world.db.pipeline.count({ where: { projectId: project.id, source: 'trigger' } });

describe('POST /projects/:id/triggers', () => {
  it('creates a trigger with a token of its own', async () => {
    const { status, body } = await api.post(at, { description: 'for the nightly build' });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({
      description: 'for the nightly build',
      deleted_at: null,
      last_used: null,
      owner: { id: master.id, username: master.username },
    });
    expect(body.token).toMatch(/^gtr-[A-Za-z0-9]{20}$/);
    const stored = await world.db.trigger.findUniqueOrThrow({ where: { id: body.id } });
    expect(JSON.stringify(stored)).not.toContain(body.token);
    expect(Buffer.from(stored.tokenEncrypted).includes(body.token)).toBe(false);
  });

  it.each([
    [{}, { error: 'description is missing' }],
    [{ description: '' }, { message: { description: ["can't be blank"] } }],
    [{ description: 'x'.repeat(256) }, { message: { description: ['is too long (maximum is 255 characters)'] } }],
  ])('400 for %j', async (body, answer) => {
    const before = await world.db.trigger.count();
    expect(await api.post(at, body)).toMatchObject({ status: 400, body: answer });
    expect(await world.db.trigger.count()).toBe(before);
  });
});

describe('GET /projects/:id/triggers', () => {
  it('lists oldest first, and each alone, with the tokens', LONG, async () => {
    const own = await projectWithCommit(world, owner);
    const path = `/projects/${own.project.id}/triggers`;
    const made = [await create(owner, path), await create(owner, path)];
    const { status, headers, body } = await world.api(owner).get(path);
    expect([status, headers['x-total'], body]).toEqual([200, '2', made]);
    expect(await world.api(owner).get(`${path}/${made[1].id}`)).toMatchObject({ status: 200, body: made[1] });
    const statements = async () => (await world.statements(() => world.api(owner).get(path))).length;
    for (let time = 0; time < 2; time += 1) await statements();
    const few = await statements();
    for (let n = 0; n < 4; n += 1) await create(owner, path);
    expect(await statements()).toBe(few);
  });

  it('shows the tokens of others by four characters, also after a change and over GraphQL', async () => {
    const { id, token } = await create();
    const short = token.slice('gtr-'.length, 'gtr-'.length + 4);
    const query = 'query($ref: ProjectRef!, $id: ID!) { project(ref: $ref) { trigger(id: $id) { token } } }';
    const shownTo = async (who: typeof owner) => [
      (await world.api(who).get(at)).body.find((one: { id: number }) => one.id === id).token,
      (await world.api(who).get(`${at}/${id}`)).body.token,
      (await world.api(who).put(`${at}/${id}`, { description: 'as before' })).body.token,
      (await world.graphql(query, { ref: project.id, id: String(id) }, who)).body.data.project.trigger.token,
    ];
    const admin = await world.user({ admin: true });
    expect(await shownTo(master)).toEqual([token, token, token, token]);
    for (const who of [owner, admin]) expect(await shownTo(who)).toEqual([short, short, short, short]);
  });

  it('is for masters: 403 below them, 404 for who does not see the project', async () => {
    const { id } = await create();
    for (const path of [at, `${at}/${id}`]) {
      expect((await world.api(developer).get(path)).status).toBe(403);
      expect((await world.api(await world.user()).get(path)).status).toBe(404);
      expect((await anonymous.get(path)).status).toBe(401);
    }
    expect(await api.get(`${at}/999999`)).toMatchObject(notFound);
  });
});

describe('PUT, take_ownership and DELETE', () => {
  it('change the description, the owner, and remove it', LONG, async () => {
    const { id, token } = await create();
    const changed = await api.put(`${at}/${id}`, { description: 'new' });
    expect(changed).toMatchObject({ status: 200, body: { description: 'new', token, owner: { id: master.id } } });
    expect((await api.put(`${at}/${id}`, {})).body.description).toBe('new');
    expect((await api.put(`${at}/${id}`, { description: ' ' })).status).toBe(400);
    const { status, body } = await world.api(owner).post(`${at}/${id}/take_ownership`);
    expect([status, body.owner.id]).toEqual([200, owner.id]);
    expect(body.token).toMatch(/^gtr-[A-Za-z0-9]{20}$/);
    const fire = { ref: 'master', token };
    expect((await anonymous.post(`/projects/${project.id}/trigger/pipeline`, fire)).status).toBe(404);
    expect(
      (await anonymous.post(`/projects/${project.id}/trigger/pipeline`, { ...fire, token: body.token })).status,
    ).toBe(201);
    expect(await api.delete(`${at}/${id}`)).toMatchObject({ status: 204, body: null });
    expect(await api.delete(`${at}/${id}`)).toMatchObject(notFound);
    expect((await anonymous.post(`/projects/${project.id}/trigger/pipeline`, { token, ref: 'master' })).status).toBe(
      404,
    );
  });

  it('403 for developers', async () => {
    const { id, description } = await create();
    const low = world.api(developer);
    expect((await low.put(`${at}/${id}`, { description: 'new' })).status).toBe(403);
    expect((await low.post(`${at}/${id}/take_ownership`)).status).toBe(403);
    expect((await low.delete(`${at}/${id}`)).status).toBe(403);
    expect(await world.db.trigger.findUnique({ where: { id } })).toMatchObject({ description, ownerId: master.id });
  });
});

describe('POST /projects/:id/trigger/pipeline', () => {
  const fire = (body: object, id: number | string = project.id) =>
    anonymous.post(`/projects/${id}/trigger/pipeline`, body);

  it('starts a pipeline without login, as the owner of the trigger', async () => {
    const { id, token } = await create();
    const { status, body } = await fire({ token, ref: 'master', variables: { WHERE: 'there', b: 'ü' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ref: 'master', sha, status: 'pending', user: { id: master.id } });
    const jobs = await world.db.job.findMany({ where: { pipelineId: body.id }, orderBy: { id: 'asc' } });
    expect(jobs.map(({ name, environment }) => [name, environment])).toEqual([
      ['unit', 'review/there'],
      ['only-triggered', null],
    ]);
    const stored = await world.db.pipeline.findUniqueOrThrow({ where: { id: body.id } });
    expect(stored).toMatchObject({ source: 'trigger', triggerId: id });
    const told = decrypt(stored.variablesEncrypted ?? new Uint8Array(), world.as(owner).secret);
    expect(JSON.parse(told)).toEqual({ WHERE: 'there', b: 'ü' });
    expect((await api.get(`${at}/${id}`)).body.last_used).not.toBeNull();
  });

  it('takes variables of a form, and the ref of the path before that of the body', async () => {
    const { token } = await create();
    await createBranch(world.as(owner), project.id, 'feature/x', 'master');
    const query = `token=${token}&ref=nowhere&variables[WHERE]=form`;
    for (const ref of ['feature/x', 'feature%2Fx']) {
      const { status, body } = await anonymous.post(`/projects/${project.id}/ref/${ref}/trigger/pipeline?${query}`);
      expect([status, body.ref]).toEqual([201, 'feature/x']);
      const job = await world.db.job.findFirst({ where: { pipelineId: body.id } });
      expect(job?.environment).toBe('review/form');
    }
  });

  it('tells jobs what a webhook said, in a file, and how the tokens of trigger and runner begin', LONG, async () => {
    const { token } = await create();
    const hook = { object_kind: 'push', ref: 'refs/heads/elsewhere', commits: [{ id: '1' }] };
    const { status, body } = await anonymous.post(
      `/projects/${project.id}/ref/master/trigger/pipeline?token=${token}`,
      hook,
    );
    expect([status, body.ref]).toEqual([201, 'master']);
    const { body: variables } = await api.get(`/projects/${project.id}/pipelines/${body.id}/variables`);
    expect(variables).toEqual([
      { key: 'TRIGGER_PAYLOAD', value: expect.any(String), variable_type: 'file', raw: true },
    ]);
    expect(JSON.parse(variables[0].value)).toEqual(hook);
    // A request that says nothing else has no payload, and one that is too large is left out.
    const plain = await anonymous.post(`/projects/${project.id}/trigger/pipeline`, { token, ref: 'master' });
    const large = { token, ref: 'master', text: 'x'.repeat(300_000) };
    const cut = await anonymous.post(`/projects/${project.id}/trigger/pipeline`, large);
    for (const { body: made } of [plain, cut]) {
      expect((await api.get(`/projects/${project.id}/pipelines/${made.id}/variables`)).body).toEqual([]);
    }
    const runner = await registerRunner(world, { token: await projectToken(world, master, project.id) });
    await world.db.job.updateMany({
      where: { projectId: project.id, pipelineId: { not: body.id } },
      data: { status: 'canceled' },
    });
    const job = await runner.take();
    const shown = Object.fromEntries(job.variables.map((one: { key: string; value: string }) => [one.key, one.value]));
    expect(shown).toMatchObject({
      CI_TRIGGER_SHORT_TOKEN: token.replace('gtr-', '').slice(0, 4),
      CI_RUNNER_SHORT_TOKEN: runner.token.replace('grt-', '').slice(0, 8),
    });
    const payload = job.variables.find(({ key }: { key: string }) => key === 'TRIGGER_PAYLOAD');
    expect(payload).toMatchObject({ file: true, raw: true, public: false });
  });

  it('starts one for a tag', LONG, async () => {
    const { token } = await create();
    await createTag(world.as(owner), project.id, { name: 'v1', target: 'master' });
    expect((await fire({ token, ref: 'v1' })).body).toMatchObject({ ref: 'v1', tag: true });
  });

  it.each([
    [{ ref: 'master' }, { error: 'token is missing' }],
    [{}, { error: 'token is missing, ref is missing' }],
  ])('400 for %j', async (body, answer) => {
    expect(await fire(body)).toMatchObject({ status: 400, body: answer });
  });

  it.each([['text'], [['a']], [{ a: 1 }], [{ a: { b: 'c' } }], [{ a: null }]])(
    '400 for the variables %j',
    async (variables) => {
      const { token } = await create();
      const before = await pipelines();
      expect(await fire({ token, ref: 'master', variables })).toMatchObject({
        status: 400,
        body: { message: 'variables needs to be a map of key-valued strings' },
      });
      expect(await pipelines()).toBe(before);
    },
  );

  it('400 when no pipeline comes of it', LONG, async () => {
    const { id, token } = await create();
    const refused = { status: 400, body: { message: 'No pipeline created' } };
    expect(await fire({ token, ref: 'nowhere' })).toMatchObject(refused);
    await createBranch(world.as(owner), project.id, 'broken', 'master');
    await commitFile(world, owner, project, 'unit: {}', 'broken');
    expect(await fire({ token, ref: 'broken' })).toMatchObject(refused);
    const leaver = await world.user();
    await world.db.trigger.update({ where: { id }, data: { ownerId: leaver.id } });
    await world.member(project, leaver, 'reporter');
    expect(await fire({ token, ref: 'master' })).toMatchObject(refused);
    expect((await api.get(`${at}/${id}`)).body.last_used).toBeNull();
  });

  it(
    '401 for the token of another project, 404 for unknown tokens and projects, and for those that its owner cannot see',
    LONG,
    async () => {
      const { token } = await create();
      const { project: other } = await projectWithCommit(world, master);
      const { project: hidden } = await projectWithCommit(world, await world.user());
      expect(await fire({ token, ref: 'master' }, other.id)).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized' },
      });
      const missing = { status: 404, body: { message: '404 Project Not Found' } };
      expect(await fire({ token, ref: 'master' }, hidden.id)).toMatchObject(missing);
      expect(await fire({ token, ref: 'master' }, 999_999)).toMatchObject(missing);
      for (const id of [project.id, hidden.id, 999_999]) {
        const answer = await fire({ token: 'gtr-unknown', ref: 'master' }, id);
        expect(answer).toMatchObject({ status: 404, body: { message: '404 Not Found' } });
      }
      expect(await world.db.pipeline.count({ where: { projectId: { in: [other.id, hidden.id] } } })).toBe(0);
    },
  );

  it('starts none as somebody who is blocked or gone', LONG, async () => {
    const gone = await world.user();
    await world.member(project, gone, 'master');
    const { id, token } = await create(gone);
    await world.db.user.update({ where: { id: gone.id }, data: { state: 'blocked' } });
    const before = await pipelines();
    expect((await fire({ token, ref: 'master' })).status).toBe(404);
    const admin = await world.user({ admin: true });
    await world.api(admin).delete(`/users/${gone.id}`);
    expect((await fire({ token, ref: 'master' })).status).toBe(404);
    expect((await api.get(`${at}/${id}`)).body.owner).toBeNull();
    expect(await pipelines()).toBe(before);
  });
});

describe('By GraphQL', () => {
  it('who fires a trigger sees its pipeline, and nothing that the owner of the trigger sees beyond', async () => {
    const { token } = await create();
    const stranger = await world.user();
    const fire = (selection: string) =>
      world.graphql(
        `mutation ($input: FireTriggerInput!) { fireTrigger(input: $input) { pipeline { ref ${selection} } } }`,
        { input: { project: project.id, token, ref: 'master' } },
        stranger,
      );
    expect((await fire('commit { sha }')).body.data.fireTrigger.pipeline).toEqual({ ref: 'master', commit: null });
    const { body } = await fire('jobs { nodes { name } }');
    expect([body.data, body.errors[0].extensions.code]).toEqual([{ fireTrigger: null }, 'NOT_FOUND']);
  });

  it('triggers are created, changed, taken, fired and deleted', async () => {
    const run = async (name: string, type: string, selection: string, input: object, who?: typeof owner) => {
      const text = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
      const { body } = await world.graphql(text, { input: { project: project.id, ...input } }, who);
      return body.errors ? body.errors[0].extensions.code : body.data[name];
    };
    const selection = 'trigger { databaseId token description owner { username } }';
    const { trigger } = await run('createTrigger', 'CreateTriggerInput', selection, { description: 'graph' }, master);
    expect(trigger).toMatchObject({ description: 'graph', owner: { username: master.username } });
    const { databaseId: id } = trigger;
    const updated = await run('updateTrigger', 'UpdateTriggerInput', selection, { id, description: 'new' }, master);
    expect(updated.trigger.description).toBe('new');
    const taken = await run('takeTriggerOwnership', 'TakeTriggerOwnershipInput', selection, { id }, owner);
    expect(taken.trigger.owner.username).toBe(owner.username);
    const pipeline = 'pipeline { status source user { username } }';
    const what = { ref: 'master', variables: { WHERE: 'g' } };
    expect(await run('fireTrigger', 'FireTriggerInput', pipeline, { token: taken.trigger.token, ...what })).toEqual({
      pipeline: { status: 'PENDING', source: 'TRIGGER', user: { username: owner.username } },
    });
    expect(await run('fireTrigger', 'FireTriggerInput', pipeline, { token: 'no', ref: 'master' })).toBe('NOT_FOUND');
    expect(await run('deleteTrigger', 'DeleteTriggerInput', 'deletedTriggerId', { id }, developer)).toBe('FORBIDDEN');
    expect(await run('deleteTrigger', 'DeleteTriggerInput', 'deletedTriggerId', { id }, master)).toEqual({
      deletedTriggerId: toGlobalId('Trigger', id),
    });
  });
});
