import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const other = await world.user();
const reporter = await world.user();
const guest = await world.user();
let project: ProjectRow;

beforeAll(async () => {
  ({ project } = await projectWithCommit(world, owner));
  await world.member(project, developer, 'developer');
  await world.member(project, other, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

const KEYS = [
  'id',
  'sha',
  'ref',
  'status',
  'name',
  'target_url',
  'description',
  'created_at',
  'started_at',
  'finished_at',
  'allow_failure',
  'coverage',
  'author',
];

/** A commit of its own, with ways to post and list its statuses. */
async function fresh() {
  const sha = await commitFile(world, owner, project);
  const list = `/projects/${project.id}/repository/commits/${sha}/statuses`;
  return {
    sha,
    post: (body: object, who = developer) => world.api(who).post(`/projects/${project.id}/statuses/${sha}`, body),
    list: (query = '', who = developer) => world.api(who).get(`${list}${query}`),
    pipelines: () => world.db.pipeline.findMany({ where: { projectId: project.id, sha }, orderBy: { id: 'asc' } }),
    async status() {
      const { body } = await world.api(developer).get(`/projects/${project.id}/repository/commits/${sha}`);
      return body.status;
    },
  };
}

describe('POST /projects/:id/statuses/:sha', () => {
  it('posts a status with its defaults, and makes the pipeline that it belongs to', LONG, async () => {
    const commit = await fresh();
    const { status, body } = await commit.post({ state: 'pending' });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({
      sha: commit.sha,
      ref: 'master',
      status: 'pending',
      name: 'default',
      target_url: null,
      description: null,
      started_at: null,
      finished_at: null,
      allow_failure: false,
      coverage: null,
      author: { id: developer.id, username: developer.username },
    });
    expect(await commit.pipelines()).toMatchObject([
      { ref: 'master', tag: false, status: 'pending', source: 'external', userId: developer.id },
    ]);
  });

  it('keeps all that is said', async () => {
    const commit = await fresh();
    const said = {
      target_url: 'https://ci.example.org/1',
      description: 'Grün',
      coverage: 97.5,
      ref: 'topic',
      name: 'x',
    };
    const { body } = await commit.post({ state: 'success', ...said });
    expect(body).toMatchObject({ ...said, status: 'success' });
    expect(body.finished_at).not.toBeNull();
    expect((await commit.pipelines())[0]).toMatchObject({ ref: 'topic', status: 'success', coverage: 97.5 });
  });

  it('is of the pipeline that is named, which is one of the commit and the branch', LONG, async () => {
    const [commit, other] = [await fresh(), await fresh()];
    await commit.post({ state: 'running', ref: 'topic' });
    await commit.post({ state: 'running' });
    const [topic, latest] = (await commit.pipelines()).map(({ id }) => id) as [number, number];
    const named = { state: 'success', name: 'named', pipeline_id: topic };
    expect(await commit.post(named)).toMatchObject({ status: 201, body: { ref: 'topic', name: 'named' } });
    const where = { name: 'named', projectId: project.id };
    expect(await world.db.job.findMany({ where, select: { pipelineId: true } })).toEqual([{ pipelineId: topic }]);
    const notFound = { status: 404, body: { message: '404 Not found' } };
    expect(await commit.post({ ...named, ref: 'master' })).toMatchObject(notFound);
    expect(await other.post(named)).toMatchObject(notFound);
    expect(await commit.post({ state: 'success', pipeline_id: '' })).toMatchObject({ status: 201 });
    expect(await world.db.pipeline.findUnique({ where: { id: latest } })).toMatchObject({ status: 'success' });
  });

  it('takes `context` for the name, and `name` before it', LONG, async () => {
    const commit = await fresh();
    expect((await commit.post({ state: 'pending', context: 'ci/a' })).body.name).toBe('ci/a');
    expect((await commit.post({ state: 'pending', context: 'ci/b', name: 'b' })).body.name).toBe('b');
  });

  it('takes query and form too, and a branch or short hash for the commit', LONG, async () => {
    const commit = await fresh();
    const byQuery = await world
      .api(developer)
      .post(`/projects/${project.id}/statuses/${commit.sha.slice(0, 10)}?state=running`);
    expect(byQuery).toMatchObject({ status: 201, body: { status: 'running', sha: commit.sha } });
    const byName = await world.api(developer).post(`/projects/${project.id}/statuses/master`, { state: 'success' });
    expect(byName.body).toMatchObject({ sha: commit.sha, id: byQuery.body.id });
  });

  it('moves a status that has not finished, with its times, and what is not said stays', LONG, async () => {
    const commit = await fresh();
    const { body: pending } = await commit.post({ state: 'pending', description: 'stays' });
    const { body: running } = await commit.post({ state: 'running' });
    expect(running).toMatchObject({ id: pending.id, status: 'running', description: 'stays', finished_at: null });
    expect(running.started_at).not.toBeNull();
    const { body: done } = await commit.post({ state: 'failed', description: 'changed' });
    expect(done).toMatchObject({
      id: pending.id,
      status: 'failed',
      started_at: running.started_at,
      description: 'changed',
    });
    expect(done.finished_at).not.toBeNull();
  });

  itEveryNth(4, [
    [['pending', 'pending'], 'enqueue', 'pending'],
    [['running', 'running'], 'run', 'running'],
    [['running', 'pending'], 'enqueue', 'running'],
  ])('refuses %j: there is no way back', async ([first, second], event, from) => {
    const commit = await fresh();
    await commit.post({ state: first });
    const before = await commit.list('?all=true');
    const { status, body } = await commit.post({ state: second, description: 'not kept' });
    expect(status).toBe(400);
    expect(body.message).toBe(
      `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
    );
    expect((await commit.list('?all=true')).body).toEqual(before.body);
  });

  itEveryNth(3, ['success', 'failed', 'canceled'])('adds a new status behind one that is %s', async (state) => {
    const commit = await fresh();
    const first = await commit.post({ state });
    const second = await commit.post({ state: 'pending' });
    expect(second.status).toBe(201);
    expect(second.body.id).toBeGreaterThan(first.body.id);
    expect((await commit.pipelines()).length).toBe(1);
  });

  it('leaves alone what somebody else posted under the name', LONG, async () => {
    const commit = await fresh();
    const first = await commit.post({ state: 'pending' });
    const second = await commit.post({ state: 'pending' }, other);
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('says of which branch it is when nobody tells: the first that has the commit', LONG, async () => {
    const commit = await fresh();
    await createBranch(world.as(owner), project.id, world.unique('a-branch'), commit.sha);
    const { body } = await commit.post({ state: 'pending', name: 'later' });
    expect(body.ref).toMatch(/^a-branch/);
  });

  it('finds the branch among many, and whatever the clocks of committers said', LONG, async () => {
    const history = new HistoryBuilder();
    const root = history.commit({ branch: 'main' });
    for (let n = 0; n < 200; n += 1) history.commit({ branch: `a-${n}`, from: [root] });
    const future = history.commit({ branch: 'b', from: [root], time: 2_000_000_000, message: 'Future' });
    history.commit({ branch: 'b', from: [future], time: 1_000_000_000, message: 'Past' });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const post = async (sha: string) =>
      (await world.api(owner).post(`/projects/${own.id}/statuses/${sha}`, { state: 'success' })).body.ref;
    const { body } = await world.api(owner).get(`/projects/${own.id}/repository/commits?ref_name=b`);
    const [past, before, first] = body.map(({ id }: { id: string }) => id);
    expect([await post(past), await post(before), await post(first)]).toEqual(['b', 'b', 'a-0']);
  });

  it('404 when no branch has the commit', LONG, async () => {
    const { project: bare, sha } = await projectWithCommit(world, owner);
    await createBranch(world.as(owner), bare.id, 'topic', 'master');
    const lost = await commitFile(world, owner, bare, undefined, 'topic');
    await world.api(owner).delete(`/projects/${bare.id}/repository/branches/topic`);
    const post = (oid: string) => world.api(owner).post(`/projects/${bare.id}/statuses/${oid}`, { state: 'pending' });
    expect(await post(lost)).toMatchObject({ status: 404, body: { message: '404 References for commit Not Found' } });
    expect((await post(sha)).status).toBe(201);
    expect(await world.db.pipeline.count({ where: { projectId: bare.id } })).toBe(1);
  });

  itEveryNth(4, [
    [{}, { error: 'state is missing' }],
    [{ state: 'created' }, { error: 'state does not have a valid value' }],
    [{ state: 'SUCCESS' }, { error: 'state does not have a valid value' }],
    [{ state: 'success', coverage: 'much' }, { error: 'coverage is invalid' }],
    [{ state: 'success', target_url: 'javascript:alert(1)' }, { message: { target_url: ['must be a valid URL'] } }],
    [{ state: 'success', target_url: 'nowhere' }, { message: { target_url: ['must be a valid URL'] } }],
    [
      { state: 'success', target_url: `http://a/${'b'.repeat(255)}` },
      { message: { target_url: ['is too long (maximum is 255 characters)'] } },
    ],
    [{ state: 'success', name: 'n'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
  ])('400 for %j', async (body, answer) => {
    const commit = await fresh();
    expect(await commit.post(body)).toMatchObject({ status: 400, body: answer });
    expect(await commit.pipelines()).toEqual([]);
  });

  it('404 for an unknown commit', async () => {
    const answer = await world
      .api(developer)
      .post(`/projects/${project.id}/statuses/${'1'.repeat(40)}`, { state: 'success' });
    expect(answer).toMatchObject({ status: 404, body: { message: '404 Commit Not Found' } });
  });

  it('makes one pipeline and one status of many that are posted at once', LONG, async () => {
    const commit = await fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => commit.post({ state: 'pending' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)]);
    const named = await Promise.all(
      Array.from({ length: 8 }, (_, n) => commit.post({ state: 'running', name: `job ${n}` })),
    );
    expect(named.every(({ status }) => status === 201)).toBe(true);
    const pipelines = await commit.pipelines();
    expect(pipelines).toMatchObject([{ status: 'running' }]);
    expect(await world.db.job.count({ where: { pipelineId: pipelines[0]?.id } })).toBe(9);
  });
});

describe('GET /projects/:id/repository/commits/:sha/statuses', () => {
  it('lists the latest of each name and pipeline, oldest first; all of them where asked for', LONG, async () => {
    const commit = await fresh();
    for (const state of ['failed', 'success', 'pending']) await commit.post({ state, name: 'a' });
    await commit.post({ state: 'success', name: 'b' });
    await commit.post({ state: 'success', name: 'a', ref: 'topic' });
    const names = ({ body }: { body: { name: string; status: string; ref: string }[] }) =>
      body.map(({ name, status, ref }) => `${name} ${status} ${ref}`);
    const latest = await commit.list();
    expect([latest.status, latest.headers['x-total'], Object.keys(latest.body[0])]).toEqual([200, '3', KEYS]);
    expect(names(latest)).toEqual(['a pending master', 'b success master', 'a success topic']);
    expect(names(await commit.list('?all=yes'))).toEqual([
      'a failed master',
      'a success master',
      'a pending master',
      'b success master',
      'a success topic',
    ]);
    expect(names(await commit.list('?ref=topic'))).toEqual(['a success topic']);
    expect(names(await commit.list('?name=b'))).toEqual(['b success master']);
    expect((await commit.list('?stage=external')).body.length).toBe(3);
    expect((await commit.list('?stage=test')).body).toEqual([]);
    expect((await commit.list('?all=1&per_page=2&page=2')).body.length).toBe(2);
  });

  it('lets reporters read, and nobody below them in a private project', async () => {
    const commit = await fresh();
    expect((await commit.list('', reporter)).status).toBe(200);
    expect((await commit.list('', guest)).status).toBe(403);
    expect((await commit.post({ state: 'success' }, reporter)).status).toBe(403);
    expect((await world.api().get(`/projects/${project.id}/repository/commits/${commit.sha}/statuses`)).status).toBe(
      401,
    );
  });
});

describe('The status of a commit', () => {
  it('is that of its latest pipeline', async () => {
    const commit = await fresh();
    expect(await commit.status()).toBeNull();
    await commit.post({ state: 'running' });
    expect(await commit.status()).toBe('running');
    await commit.post({ state: 'failed' });
    expect(await commit.status()).toBe('failed');
    await commit.post({ state: 'success', ref: 'topic' });
    expect(await commit.status()).toBe('success');
  });

  it('takes one statement for a list of commits', LONG, async () => {
    for (let n = 0; n < 4; n += 1) await (await fresh()).post({ state: 'success' });
    const query = `query ($id: ProjectRef!, $n: Int!) {
      project(ref: $id) { repository { commits(limit: $n) { nodes { sha status } } } } }`;
    const count = async (n: number) => {
      let nodes: unknown[] = [];
      const statements = await world.statements(async () => {
        nodes = (await world.graphql(query, { id: project.id, n }, developer)).body.data.project.repository.commits
          .nodes;
      });
      expect(nodes.length).toBe(n);
      expect(nodes[0]).toMatchObject({ status: 'SUCCESS' });
      return statements.length;
    };
    await count(1);
    expect(await count(4)).toBe(await count(1));
  });
});

describe('By GraphQL', () => {
  it('a status is posted and read back', LONG, async () => {
    const { sha, pipelines } = await fresh();
    const post = `mutation ($input: PostCommitStatusInput!) {
      postCommitStatus(input: $input) { status { name status stage generic pipelineId author { username } } } }`;
    const input = { project: project.id, sha, state: 'RUNNING', name: 'ci' };
    const { body } = await world.graphql(post, { input }, developer);
    const [pipeline] = await pipelines();
    const status = {
      name: 'ci',
      status: 'RUNNING',
      stage: 'external',
      generic: true,
      pipelineId: pipeline?.id,
      author: { username: developer.username },
    };
    expect(body.data.postCommitStatus).toEqual({ status });
    const refused = await world.graphql(post, { input }, developer);
    expect(refused.body.errors[0].extensions.code).toBe('CONFLICT');
    expect((await world.graphql(post, { input }, reporter)).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
