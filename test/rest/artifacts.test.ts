import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { LONG } from '../support/long.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const stranger = await world.user();
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

const notFound = { status: 404, body: { message: '404 Not Found' } };

/** A job that has ended, with artifacts. */
async function finishedJob(options: Parameters<typeof storeArtifacts>[2] & { ref?: string; name?: string } = {}) {
  const { ref = 'master', name = 'unit', ...artifacts } = options;
  const job = await takenJob(world, owner, project, { name });
  const content = await storeArtifacts(world, { id: job.id, projectId: project.id }, artifacts);
  await endJob(world, job.id);
  await world.db.pipeline.update({ where: { id: job.pipelineId }, data: { status: 'success', ref } });
  return { ...job, content, at: `/projects/${project.id}/jobs/${job.id}/artifacts` };
}

async function fetched(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const all = { 'PRIVATE-TOKEN': owner.token, ...headers };
  const answer = await fetch(`${world.url}/api/v4${path}`, { method, headers: all });
  return { status: answer.status, content: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
}

describe('GET /projects/:id/jobs/:job_id/artifacts', () => {
  it('streams the archive as a file that no browser opens', LONG, async () => {
    const { at, content } = await finishedJob();
    const answer = await fetched(at);
    expect([answer.status, answer.content.equals(content)]).toEqual([200, true]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="artifacts.zip"',
      'content-length': String(content.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    });
    const head = await fetched(at, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.content.length]).toEqual([
      200,
      String(content.length),
      0,
    ]);
  });

  it('gives parts, and 304 to who has it', async () => {
    const { at, content } = await finishedJob();
    const part = await fetched(at, { Range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range'), part.content.equals(content.subarray(10, 20))]).toEqual([
      206,
      `bytes 10-19/${content.length}`,
      true,
    ]);
    expect((await fetched(at, { Range: `bytes=${content.length}-` })).status).toBe(416);
    const etag = part.headers.get('etag') ?? '';
    expect((await fetched(at, { 'If-None-Match': etag })).status).toBe(304);
    const changed = await fetched(at, { Range: 'bytes=10-19', 'If-Range': '"other"' });
    expect([changed.status, changed.content.length]).toEqual([200, content.length]);
  });

  it('404 without any, when their time is over, and when the file is lost', async () => {
    const api = world.api(owner);
    const { id } = await takenJob(world, owner, project);
    expect(await api.get(`/projects/${project.id}/jobs/${id}/artifacts`)).toMatchObject(notFound);
    expect(await api.get(`/projects/${project.id}/jobs/999999/artifacts`)).toMatchObject(notFound);
    const expired = await finishedJob({ expireAt: new Date(Date.now() - 1_000) });
    expect(await api.get(expired.at)).toMatchObject(notFound);
    const lost = await finishedJob();
    const { projectId, secret } = await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: lost.id } });
    await artifactsStore(world).remove({ projectId, secret });
    expect(await api.get(lost.at)).toMatchObject(notFound);
  });

  it('for guests while jobs are public, for reporters always, 404 for who does not see the project', async () => {
    const { at } = await finishedJob();
    const other = await world.project({ owner: stranger });
    const status = async (who?: typeof owner) => (await world.api(who).get(at)).status;
    expect([await status(reporter), await status(guest), await status(stranger), await status()]).toEqual([
      200, 200, 404, 401,
    ]);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: false } });
    expect([await status(reporter), await status(guest)]).toEqual([200, 403]);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: true } });
    const elsewhere = at.replace(`/projects/${project.id}/`, `/projects/${other.id}/`);
    expect(await world.api(stranger).get(elsewhere)).toMatchObject(notFound);
  });

  it('holds nothing up and little in memory while somebody reads slowly, and lets go of who leaves', LONG, async () => {
    const { at } = await finishedJob({ content: Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(40_000_000)]) });
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 10 }, () => {
      const reader = request(`${world.url}/api/v4${at}`, { headers: { 'PRIVATE-TOKEN': owner.token } });
      reader.on('error', () => undefined);
      // Nobody reads the answer.
      reader.end();
      return reader;
    });
    await Promise.all(readers.map((reader) => new Promise((resolve) => reader.on('response', resolve))));
    expect((await world.api(owner).get(`/projects/${project.id}/jobs?per_page=1`)).status).toBe(200);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
    for (const reader of readers) reader.destroy();
  });
});

describe('GET /projects/:id/jobs/artifacts/:ref_name/download', () => {
  const at = (ref: string, job: string) => `/projects/${project.id}/jobs/artifacts/${ref}/download?job=${job}`;

  it('is of the job of that name in the latest successful pipeline of the ref', LONG, async () => {
    const old = await finishedJob({ ref: 'release/1.0', name: 'pack' });
    expect((await fetched(at('release/1.0', 'pack'))).content.equals(old.content)).toBe(true);
    const newer = await finishedJob({ ref: 'release/1.0', name: 'pack' });
    const failed = await finishedJob({ ref: 'release/1.0', name: 'pack' });
    await world.db.pipeline.update({ where: { id: failed.pipelineId }, data: { status: 'failed' } });
    for (const ref of ['release/1.0', 'release%2F1.0']) {
      const { status, content } = await fetched(at(ref, 'pack'));
      expect([status, content.equals(newer.content)]).toEqual([200, true]);
    }
    // A job that was retried does not count.
    await world.db.job.update({ where: { id: newer.id }, data: { retried: true } });
    expect((await fetched(at('release/1.0', 'pack'))).status).toBe(404);
  });

  it('looks through child pipelines after their parent, not through those of another one', async () => {
    const child = async (of: { id: number; pipelineId: number }, options: { name: string; ref: string }) => {
      const made = await finishedJob(options);
      const bridge = { projectId: project.id, userId: owner.id, name: 'go', stage: 's', stageIndex: 0, bridge: true };
      const { id } = await world.db.job.create({ data: { ...bridge, pipelineId: of.pipelineId, status: 'success' } });
      const data = { source: 'parent_pipeline', sourceJobId: id } as const;
      await world.db.pipeline.update({ where: { id: made.pipelineId }, data });
      return { ...made, bridgeId: id };
    };
    const old = await finishedJob({ ref: 'family', name: 'both' });
    await child(old, { ref: 'family', name: 'only-old' });
    const parent = await finishedJob({ ref: 'family', name: 'both' });
    const below = await child(parent, { ref: 'family', name: 'below' });
    await child(parent, { ref: 'family', name: 'both' });
    const deep = await child(below, { ref: 'family', name: 'deep' });
    const content = async (name: string) => (await fetched(at('family', name))).content;
    expect((await content('both')).equals(parent.content)).toBe(true);
    expect((await content('below')).equals(below.content)).toBe(true);
    expect((await content('deep')).equals(deep.content)).toBe(true);
    expect((await fetched(at('family', 'only-old'))).status).toBe(404);
    const raw = await fetched(`/projects/${project.id}/jobs/artifacts/family/raw/app.txt?job=deep`);
    expect([raw.status, raw.content.toString()]).toEqual([200, `of job ${deep.id}`]);
    // What a retried job has started is none of its children any more.
    await world.db.job.update({ where: { id: below.bridgeId }, data: { retried: true } });
    expect((await fetched(at('family', 'below'))).status).toBe(404);
  });

  it('404 for other refs and jobs, and for a job without any; 400 without a job', async () => {
    await finishedJob({ ref: 'topic', name: 'pack' });
    const api = world.api(owner);
    for (const path of [at('other', 'pack'), at('topic', 'other'), at('topic', ''), at('top', 'pack')]) {
      expect((await api.get(path)).status).toBe(404);
    }
    const bare = await takenJob(world, owner, project, { name: 'bare' });
    await world.db.pipeline.update({ where: { id: bare.pipelineId }, data: { status: 'success', ref: 'bare' } });
    expect(await api.get(at('bare', 'bare'))).toMatchObject(notFound);
    expect(await api.get(`/projects/${project.id}/jobs/artifacts/topic/download`)).toMatchObject({
      status: 400,
      body: { error: 'job is missing' },
    });
  });
});

describe('POST /projects/:id/jobs/:job_id/artifacts/keep', () => {
  it('keeps them for good', async () => {
    const { at, id } = await finishedJob();
    const { status, body } = await world.api(developer).post(`${at}/keep`);
    expect([status, body.id, body.artifacts_file.filename]).toEqual([200, id, 'artifacts.zip']);
    expect((await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: id } })).expireAt).toBeNull();
    expect((await world.api(developer).post(`${at}/keep`)).status).toBe(200);
  });

  it('404 without any, 403 for reporters', async () => {
    const { id } = await takenJob(world, owner, project);
    expect(await world.api(developer).post(`/projects/${project.id}/jobs/${id}/artifacts/keep`)).toMatchObject(
      notFound,
    );
    const kept = await finishedJob();
    expect((await world.api(reporter).post(`${kept.at}/keep`)).status).toBe(403);
    expect((await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: kept.id } })).expireAt).not.toBeNull();
  });
});

describe('By GraphQL', () => {
  it('jobs tell of their artifacts, and they are kept and found by ref', async () => {
    const { id, content, at } = await finishedJob({ ref: 'graph', name: 'pack' });
    const query = `query ($project: ProjectRef!) { project(ref: $project) {
      latestSuccessfulJob(ref: "graph", name: "pack") { databaseId artifactsFile { filename size expireAt downloadUrl } } } }`;
    const { body } = await world.graphql(query, { project: project.id }, owner);
    const { databaseId, artifactsFile } = body.data.project.latestSuccessfulJob;
    expect([databaseId, artifactsFile.filename, artifactsFile.size]).toEqual([id, 'artifacts.zip', content.length]);
    expect(artifactsFile.downloadUrl).toBe(`${world.url}/api/v4${at}`);
    expect(new Date(artifactsFile.expireAt).getTime()).toBeGreaterThan(Date.now());
    const keep = `mutation ($id: ID!) { keepJobArtifacts(input: { id: $id }) { job { artifactsFile { expireAt } } } }`;
    const kept = await world.graphql(keep, { id: String(id) }, developer);
    expect(kept.body.data.keepJobArtifacts.job.artifactsFile).toEqual({ expireAt: null });
    const refused = await world.graphql(keep, { id: String(id) }, reporter);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('projects and groups count their sizes', async () => {
    const own = await world.project({ owner });
    const job = await takenJob(world, owner, own);
    const { length } = await storeArtifacts(world, { id: job.id, projectId: own.id });
    const { body } = await world.api(owner).get(`/projects/${own.id}?statistics=true`);
    const listed = (await world.api(owner).get('/projects?statistics=true&owned=true&per_page=100')).body;
    const { statistics } = listed.find(({ id }: { id: number }) => id === own.id);
    expect(statistics).toMatchObject({ job_artifacts_size: length, storage_size: length + statistics.repository_size });
    expect(body.id).toBe(own.id);
  });
});
