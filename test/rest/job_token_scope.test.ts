// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { remotes } from '../support/git_remote.ts';
import { endJob, type TakenJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

/** people-and-projects.md 4 and its rule 3: what jobs of other projects reach by their tokens. */
const world = await startWorld();
const owner = await world.user();
const other = await world.user();
const api = world.api(owner);
const { address } = remotes(world, owner);
const group = await world.group({ owner });
let used: ProjectRow;
let from: ProjectRow;
let job: TakenJob;
let scope: string;

const bearing = (token = job.token) => ({ 'JOB-TOKEN': token });
const fetched = async (project: ProjectRow, token = job.token) =>
  (
    await world.send('GET', `/${project.fullPath}.git/info/refs?service=git-upload-pack`, {
      headers: { Authorization: `Basic ${Buffer.from(`gitlab-ci-token:${token}`).toString('base64')}` },
    })
  ).status;
const releases = async (project: ProjectRow, token = job.token) =>
  (await world.send('GET', `/api/v4/projects/${project.id}/releases`, { headers: bearing(token) })).status;

beforeAll(async () => {
  used = await world.project({ owner, visibility: 'private' });
  from = await world.project({ owner, visibility: 'private', namespaceId: group.id });
  const work = await workingCopy('file');
  await commitFile(work, 'a.txt', 'one\n');
  await run(work, 'push', '--quiet', address(used, owner), 'main');
  job = await takenJob(world, owner, from);
  scope = `/projects/${used.id}/job_token_scope`;
}, 60_000);

describe('GET /job', () => {
  it('shows the running job of the token, however that is sent, and nothing to others', async () => {
    for (const headers of [bearing(), { Authorization: `Bearer ${job.token}` }]) {
      expect(await world.send('GET', '/api/v4/job', { headers })).toMatchObject({
        status: 200,
        body: { id: job.id, status: 'running', user: { id: owner.id }, pipeline: { id: job.pipelineId } },
      });
    }
    expect(await api.get('/job')).toMatchObject({ status: 404, body: { message: '404 Job Not Found' } });
    expect(await world.api().get('/job')).toMatchObject({ status: 401 });
    const ended = await takenJob(world, owner, from);
    await endJob(world, ended.id);
    expect(await world.send('GET', '/api/v4/job', { headers: bearing(ended.token) })).toMatchObject({ status: 401 });
  });
});

describe('Jobs of other projects', () => {
  it('reach a private project where it allows theirs, as far as their users do', async () => {
    expect([await fetched(used), await releases(used)]).toEqual([401, 404]);
    expect(await api.post(`${scope}/allowlist`, { target_project_id: from.id })).toMatchObject({
      status: 201,
      body: { source_project_id: used.id, target_project_id: from.id },
    });
    expect([await fetched(used), await releases(used)]).toEqual([200, 200]);
    // Of somebody who cannot see the project.
    const foreign = await takenJob(world, other, from);
    expect([await fetched(used, foreign.token), await releases(used, foreign.token)]).toEqual([404, 404]);
    // What the token is no credential for stays closed.
    expect((await world.send('GET', `/api/v4/projects/${used.id}/issues`, { headers: bearing() })).status).not.toBe(
      200,
    );
    expect(await api.delete(`${scope}/allowlist/${from.id}`)).toMatchObject({ status: 204, body: null });
    expect([await fetched(used), await releases(used)]).toEqual([401, 404]);
  });

  it('reach it where it allows a group around theirs, or jobs of any project', async () => {
    expect(await api.post(`${scope}/groups_allowlist`, { target_group_id: group.id })).toMatchObject({
      status: 201,
      body: { source_project_id: used.id, target_group_id: group.id },
    });
    expect(await fetched(used)).toBe(200);
    expect(await api.delete(`${scope}/groups_allowlist/${group.id}`)).toMatchObject({ status: 204 });
    expect(await fetched(used)).toBe(401);
    expect(await api.patch(scope, { enabled: false })).toMatchObject({ status: 204, body: null });
    expect(await fetched(used)).toBe(200);
    expect(await api.patch(scope, { enabled: true })).toMatchObject({ status: 204 });
    expect(await fetched(used)).toBe(401);
  });

  it('never push to it', async () => {
    await api.post(`${scope}/allowlist`, { target_project_id: from.id });
    const push = await world.send('GET', `/${used.fullPath}.git/info/refs?service=git-receive-pack`, {
      headers: { Authorization: `Basic ${Buffer.from(`gitlab-ci-token:${job.token}`).toString('base64')}` },
    });
    expect(push.status).toBe(403);
    await api.delete(`${scope}/allowlist/${from.id}`);
  });
});

describe('Jobs of the project itself', () => {
  it('push to it where it allows that, as far as their users may, and start no pipelines by that', async () => {
    const home = await world.project({ owner, visibility: 'private' });
    const at = `/projects/${home.id}`;
    const work = await workingCopy();
    await commitFile(work, 'a.txt', 'one\n');
    await run(work, 'push', '--quiet', address(home, owner), 'main');
    const { token } = await takenJob(world, owner, home);
    const push = (to: ProjectRow, by: string, ref = 'main') => {
      const remote = address(to).replace('://', `://gitlab-ci-token:${by}@`);
      return gitClient(work, 'push', '--quiet', remote, `HEAD:${ref}`);
    };
    const head = await commitFile(work, '.gitlab-ci.yml', 'test: {script: ["true"]}\n');
    expect((await api.get(at)).body.ci_push_repository_for_job_token_allowed).toBe(false);
    expect((await push(home, token)).said).toMatch(/403/);
    const developer = await world.user();
    await world.member(home, developer, 'developer');
    const allowed = { ci_push_repository_for_job_token_allowed: true };
    expect((await world.api(developer).put(at, allowed)).status).toBe(403);
    expect((await api.put(at, allowed)).body).toMatchObject(allowed);
    expect(await push(home, token)).toMatchObject({ code: 0 });
    await world.idle();
    expect((await api.get(`${at}/repository/branches/main`)).body.commit.id).toBe(head);
    expect(await world.db.pipeline.count({ where: { projectId: home.id, sha: head } })).toBe(0);
    // Neither does it let it push to the wiki, to other projects, nor beyond what its user may.
    expect((await push({ ...home, fullPath: `${home.fullPath}.wiki` }, token)).said).toMatch(/403/);
    await api.put(`/projects/${used.id}`, allowed);
    await api.post(`${scope}/allowlist`, { target_project_id: home.id });
    expect((await push(used, token)).said).toMatch(/403/);
    const reporter = await world.user();
    await world.member(home, reporter, 'reporter');
    const theirs = await takenJob(world, reporter, home);
    expect((await push(home, theirs.token, 'other')).said).toMatch(/403/);
    const ended = await takenJob(world, owner, home);
    await endJob(world, ended.id);
    expect((await push(home, ended.token, 'other')).code).not.toBe(0);
    const branches = (await api.get(`${at}/repository/branches`)).body;
    expect(branches.map(({ name }: { name: string }) => name)).toEqual(['main']);
    const fork = await world.api(developer).post(`${at}/fork`);
    expect(fork.body.ci_push_repository_for_job_token_allowed).toBe(false);
    await api.put(`/projects/${used.id}`, { ci_push_repository_for_job_token_allowed: false });
    await api.delete(`${scope}/allowlist/${home.id}`);
  });
});

describe('The scope of job tokens', () => {
  it('is shown and listed for masters, with the project itself, without what they cannot see', async () => {
    const hidden = await world.project({ owner: other, visibility: 'private' });
    const seen = await world.project({ owner, visibility: 'private' });
    await world.project({ owner, name: 'decoy' });
    await api.post(`${scope}/allowlist`, { target_project_id: seen.id });
    await api.post(`${scope}/groups_allowlist`, { target_group_id: group.id });
    await world.db.jobTokenProject.create({ data: { projectId: used.id, allowedProjectId: hidden.id } });
    expect((await api.get(scope)).body).toEqual({ inbound_enabled: true, outbound_enabled: false });
    const list = await api.get(`${scope}/allowlist`);
    expect(list.body.map(({ id }: { id: number }) => id)).toEqual([used.id, seen.id]);
    expect(list.headers['x-total']).toBe('2');
    expect((await api.get(`${scope}/groups_allowlist`)).body).toEqual([
      { id: group.id, web_url: expect.stringContaining(group.fullPath), name: group.name },
    ]);
    const developer = await world.user();
    await world.member(used, developer, 'developer');
    for (const path of [scope, `${scope}/allowlist`, `${scope}/groups_allowlist`]) {
      expect(await world.api(developer).get(path)).toMatchObject({ status: 403 });
    }
    expect(await world.api(developer).patch(scope, { enabled: false })).toMatchObject({ status: 403 });
    await world.db.jobTokenProject.deleteMany({ where: { projectId: used.id } });
    await world.db.jobTokenGroup.deleteMany({ where: { projectId: used.id } });
  });

  it('names what is wrong', async () => {
    const hidden = await world.project({ owner: other, visibility: 'private' });
    expect(await api.post(`${scope}/allowlist`, { target_project_id: hidden.id })).toMatchObject({ status: 404 });
    expect(await api.post(`${scope}/allowlist`, {})).toMatchObject({
      status: 400,
      body: { error: 'target_project_id is missing' },
    });
    expect(await api.post(`${scope}/allowlist`, { target_project_id: used.id })).toMatchObject({ status: 400 });
    expect(await api.delete(`${scope}/allowlist/${used.id}`)).toMatchObject({ status: 400 });
    expect(await api.delete(`${scope}/allowlist/${from.id}`)).toMatchObject({ status: 404 });
    expect(await api.patch(scope, {})).toMatchObject({ status: 400, body: { error: 'enabled is missing' } });
    await api.post(`${scope}/allowlist`, { target_project_id: from.id });
    expect(await api.post(`${scope}/allowlist`, { target_project_id: from.id })).toMatchObject({ status: 400 });
    const made: { id: number }[] = [];
    while (made.length < 199) {
      const shown = { creatorId: owner.id, namespaceId: from.namespaceId, name: world.unique('many') };
      const runnersToken = Buffer.from(world.unique('token'));
      made.push(
        await world.db.project.create({ data: { ...shown, path: shown.name, runnersToken }, select: { id: true } }),
      );
    }
    await world.db.jobTokenProject.createMany({
      data: made.map(({ id }) => ({ projectId: used.id, allowedProjectId: id })),
    });
    const one = await world.project({ owner });
    expect(await api.post(`${scope}/allowlist`, { target_project_id: one.id })).toMatchObject({ status: 400 });
    await world.db.jobTokenProject.deleteMany({ where: { projectId: used.id } });
  });
});
