// One part in depth, which the long run has.
// @module-tag long
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { forgetProjectArtifacts } from '#src/domain/ci/artifacts/remove.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { storeArtifacts, storeReport } from '../support/artifacts.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld, type TestUser } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
let project: ProjectRow;

const FILES = { 'site/index.html': '<h1>Hello</h1>', 'site/ä b.txt': 'ünï', 'index.html': 'decoy' };
const bad = { status: 400, body: { message: '400 Bad request' } };
const notFound = { status: 404, body: { message: '404 Not Found' } };

beforeAll(async () => {
  project = await made();
});

async function made(): Promise<ProjectRow> {
  const own = await world.project({ owner });
  await world.member(own, master, 'master');
  await world.member(own, developer, 'developer');
  await world.member(own, reporter, 'reporter');
  await world.member(own, guest, 'guest');
  return own;
}

interface Made {
  ref?: string;
  name?: string;
  content?: Buffer;
  expireAt?: Date | null;
  /** What the file says of its artifacts. */
  artifacts?: object;
  within?: ProjectRow;
}

/** A job that has succeeded, with artifacts. */
async function finishedJob({ ref = 'master', name = 'unit', content, expireAt = null, artifacts, within }: Made = {}) {
  const place = within ?? project;
  const job = await takenJob(world, owner, place, { name });
  await storeArtifacts(
    world,
    { id: job.id, projectId: place.id },
    { content: content ?? (await zip(FILES)), expireAt },
  );
  await endJob(world, job.id);
  if (artifacts) await world.db.job.update({ where: { id: job.id }, data: { options: { artifacts } } });
  await world.db.pipeline.update({ where: { id: job.pipelineId }, data: { status: 'success', ref } });
  return { ...job, at: `/projects/${place.id}/jobs/${job.id}/artifacts` };
}

async function fetched(path: string, headers: Record<string, string> = { 'PRIVATE-TOKEN': owner.token }) {
  const answer = await fetch(`${world.url}/api/v4${path}`, { headers });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

describe('GET /projects/:id/jobs/:job_id/artifacts/*artifact_path', () => {
  it('unpacks one file of the archive, which no browser opens', async () => {
    const { at } = await finishedJob();
    const { status, text, headers } = await fetched(`${at}/site/index.html`);
    expect([status, text]).toEqual([200, FILES['site/index.html']]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="index.html"',
      'content-length': String(FILES['site/index.html'].length),
      'x-content-type-options': 'nosniff',
    });
    expect((await fetched(`${at}/site%2Findex.html`)).text).toBe(FILES['site/index.html']);
    expect((await fetched(`${at}/site/${encodeURIComponent('ä b.txt')}`)).text).toBe('ünï');
  });

  it('gives ranges of it, and 304 to who has it', async () => {
    const { at } = await finishedJob();
    const credential = { 'PRIVATE-TOKEN': owner.token };
    const part = await fetched(`${at}/site/index.html`, { ...credential, Range: 'bytes=4-8' });
    expect([part.status, part.text]).toEqual([206, 'Hello']);
    const etag = part.headers.get('etag') ?? '';
    expect((await fetched(`${at}/site/index.html`, { ...credential, 'If-None-Match': etag })).status).toBe(304);
  });

  it('400 for paths that leave the archive, 404 for those that are not in it', async () => {
    const { at } = await finishedJob();
    const api = world.api(owner);
    for (const path of ['%2E%2E%2Fsecret', 'site%2F..%2Findex.html', '%2Fetc%2Fpasswd']) {
      expect([path, await api.get(`${at}/${path}`)]).toMatchObject([path, bad]);
    }
    for (const path of ['other', 'site', 'Index.html']) expect(await api.get(`${at}/${path}`)).toMatchObject(notFound);
  });

  it('404 without an archive, once it has expired, when it is lost, and with reports alone', async () => {
    const api = world.api(owner);
    const expired = await finishedJob({ expireAt: new Date(Date.now() - 1_000) });
    expect(await api.get(`${expired.at}/index.html`)).toMatchObject(notFound);
    const lost = await finishedJob();
    const { projectId, secret } = await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: lost.id } });
    await artifactsStore(world).remove({ projectId, secret });
    expect(await api.get(`${lost.at}/index.html`)).toMatchObject(notFound);
    const bare = await takenJob(world, owner, project);
    await storeReport(world, { id: bare.id, projectId: project.id }, 'junit', '<testsuites/>');
    expect(await api.get(`/projects/${project.id}/jobs/${bare.id}/artifacts/index.html`)).toMatchObject(notFound);
  });

  it('400 for an archive that is damaged, and the connection ends where a file in it is', async () => {
    const content = Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(1_000)]);
    const { at } = await finishedJob({ content });
    expect(await world.api(owner).get(`${at}/index.html`)).toMatchObject({ status: 400 });
    const whole = await zip({ a: 'x'.repeat(100_000) });
    whole.fill(0xff, 40, 60);
    const damaged = await finishedJob({ content: whole });
    await expect(fetched(`${damaged.at}/a`)).rejects.toThrow();
  });

  it('for who may read the artifacts: the file can keep them from reporters, developers and all', async () => {
    const status = async (artifacts: object, who: TestUser, suffix = '/index.html') =>
      (await fetched((await finishedJob({ artifacts })).at + suffix, { 'PRIVATE-TOKEN': who.token })).status;
    for (const suffix of ['', '/index.html']) {
      expect(await status({}, guest, suffix)).toBe(200);
      expect(await status({ public: false }, reporter, suffix)).toBe(403);
      expect(await status({ public: false }, developer, suffix)).toBe(200);
      expect(await status({ access: 'developer' }, reporter, suffix)).toBe(403);
      expect(await status({ access: 'maintainer' }, developer, suffix)).toBe(403);
      expect(await status({ access: 'maintainer' }, master, suffix)).toBe(200);
      expect(await status({ access: 'none' }, owner, suffix)).toBe(403);
    }
  });

  it('takes the token of a running job of the project, and of no other', async () => {
    const { at } = await finishedJob();
    const job = await takenJob(world, developer, project);
    const other = await takenJob(world, developer, await made());
    const read = (token: string) => fetched(`${at}/index.html`, { 'JOB-TOKEN': token });
    expect([(await read(job.token)).text, (await read(other.token)).status]).toEqual(['decoy', 401]);
  });
});

describe('GET /projects/:id/jobs/artifacts/:ref_name/raw/*artifact_path', () => {
  it('is of the job of that name in the latest successful pipeline of the ref', async () => {
    await finishedJob({ ref: 'release/1.0', name: 'pack', content: await zip({ 'a/b': 'old' }) });
    await finishedJob({ ref: 'release/1.0', name: 'pack', content: await zip({ 'a/b': 'new' }) });
    await finishedJob({ ref: 'release/1.0', name: 'other', content: await zip({ 'a/b': 'decoy' }) }).then(
      ({ pipelineId }) => world.db.pipeline.update({ where: { id: pipelineId }, data: { status: 'failed' } }),
    );
    for (const ref of ['release/1.0', 'release%2F1.0']) {
      const { status, text } = await fetched(`/projects/${project.id}/jobs/artifacts/${ref}/raw/a/b?job=pack`);
      expect([ref, status, text]).toEqual([ref, 200, 'new']);
    }
    const api = world.api(owner);
    const at = `/projects/${project.id}/jobs/artifacts/release%2F1.0/raw`;
    expect(await api.get(`${at}/a/b`)).toMatchObject({ status: 400, body: { error: 'job is missing' } });
    expect(await api.get(`${at}/a?job=pack`)).toMatchObject(notFound);
    expect(await api.get(`${at}/a/b?job=unknown`)).toMatchObject(notFound);
    expect(await api.get(`${at}/..%2Fb?job=pack`)).toMatchObject(bad);
  });
});

describe('DELETE /projects/:id/jobs/:job_id/artifacts', () => {
  it('deletes the archive and the reports, for masters; the log stays', async () => {
    const own = await made();
    const { id, at } = await finishedJob({ within: own });
    const other = await finishedJob({ within: own });
    await storeReport(world, { id, projectId: own.id }, 'junit', '<testsuites/>');
    await world.db.jobTraceChunk.create({ data: { jobId: id, position: 0, content: Buffer.from('log') } });
    expect((await world.api(developer).delete(at)).status).toBe(403);
    expect(await world.db.jobReport.count({ where: { jobId: id } })).toBe(1);
    expect(await world.api(master).delete(at)).toMatchObject({ status: 204, body: null });
    await world.idle();
    const record = (await world.api(owner).get(`/projects/${own.id}/jobs/${id}`)).body;
    expect([record.artifacts_file, record.artifacts]).toEqual([undefined, []]);
    expect((await fetched(`/projects/${own.id}/jobs/${id}/trace`)).text).toBe('log');
    const secrets: number[] = [];
    for await (const file of artifactsStore(world).list()) if (file.projectId === own.id) secrets.push(file.size);
    const { size } = await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: other.id } });
    const { jobArtifactsSize } = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: own.id } });
    expect([secrets, jobArtifactsSize]).toEqual([[Number(size)], size]);
  });
});

describe('DELETE /projects/:id/artifacts', () => {
  it('deletes those of all jobs that have ended, for masters', async () => {
    const own = await made();
    const ended = await finishedJob({ within: own });
    const running = await takenJob(world, owner, own, { name: 'running' });
    await storeArtifacts(world, { id: running.id, projectId: own.id });
    const elsewhere = await finishedJob();
    const at = `/projects/${own.id}/artifacts`;
    expect((await world.api(developer).delete(at)).status).toBe(403);
    const answer = await world.api(master).delete(at);
    expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }]);
    await world.idle();
    const left = await world.db.jobArtifacts.findMany({
      where: { jobId: { in: [ended.id, running.id, elsewhere.id] } },
      orderBy: { jobId: 'asc' },
    });
    expect(left.map(({ jobId }) => jobId)).toEqual([running.id, elsewhere.id]);
    expect((await fetched(ended.at)).status).toBe(404);
  });

  it('keeps them if who asked for it may no longer by the time that it is done', async () => {
    const own = await made();
    const former = await world.user();
    await world.member(own, former, 'master');
    const ended = await finishedJob({ within: own });
    const wanted = { projectId: own.id, userId: former.id, before: new Date(Date.now() + 1_000).toISOString() };
    const remove = () =>
      forgetProjectArtifacts({ db: world.db }, world.as(owner).jobs, wanted, async () => world.as(former));
    const { id } = await world.db.member.findFirstOrThrow({ where: { projectId: own.id, userId: former.id } });
    await world.db.member.update({ where: { id }, data: { accessLevel: 30 } });
    await remove();
    expect(await world.db.jobArtifacts.count({ where: { jobId: ended.id } })).toBe(1);
    await world.db.member.update({ where: { id }, data: { accessLevel: 40 } });
    await remove();
    expect(await world.db.jobArtifacts.count({ where: { jobId: ended.id } })).toBe(0);
  });
});

describe('The record of a job', () => {
  it('lists its files, as far as they are kept, and says when they expire', async () => {
    const expireAt = new Date(Date.now() + 60_000);
    const { id, pipelineId } = await finishedJob({ expireAt });
    const job = { id, projectId: project.id };
    const junit = await storeReport(world, job, 'junit', '<testsuites/>');
    await storeReport(world, job, 'dotenv', 'A=1', new Date(Date.now() - 1));
    await world.db.jobTrace.create({ data: { jobId: id, size: 5 } });
    const { size } = await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: id } });
    const files = [
      { file_type: 'archive', size: Number(size), filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'junit', size: junit.length, filename: 'junit.xml.gz', file_format: 'gzip' },
      { file_type: 'trace', size: 5, filename: 'job.log', file_format: 'raw' },
    ];
    const one = (await world.api(owner).get(`/projects/${project.id}/jobs/${id}`)).body;
    const listed = (await world.api(owner).get(`/projects/${project.id}/pipelines/${pipelineId}/jobs`)).body[0];
    for (const record of [one, listed]) {
      expect(record.artifacts).toEqual(files);
      expect(Date.parse(record.artifacts_expire_at)).toBe(expireAt.getTime());
    }
  });

  it('tells the same by GraphQL, and finds and deletes files there', async () => {
    const { id } = await finishedJob();
    const query = `query ($project: ProjectRef!, $id: ID!) { project(ref: $project) { job(id: $id) {
      files { type format filename } artifactFile(path: "site/index.html") { path size downloadUrl } } } }`;
    const { body } = await world.graphql(query, { project: project.id, id: String(id) }, reporter);
    const { files, artifactFile } = body.data.project.job;
    expect(files).toEqual([{ type: 'archive', format: 'zip', filename: 'artifacts.zip' }]);
    expect(artifactFile).toMatchObject({ path: 'site/index.html', size: FILES['site/index.html'].length });
    const answer = await fetch(artifactFile.downloadUrl, { headers: { 'PRIVATE-TOKEN': reporter.token } });
    expect(await answer.text()).toBe(FILES['site/index.html']);
    const remove = 'mutation ($id: ID!) { removeJobArtifacts(input: { id: $id }) { job { files { type } } } }';
    const refused = await world.graphql(remove, { id: String(id) }, developer);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const removed = await world.graphql(remove, { id: String(id) }, master);
    expect(removed.body.data.removeJobArtifacts.job.files).toEqual([]);
  });
});
