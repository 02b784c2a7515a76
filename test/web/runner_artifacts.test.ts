// One part in depth, which the long run has.
// @module-tag long
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cleanUpArtifacts } from '#src/domain/ci/artifacts/clean_up.ts';
import { expireArtifacts } from '#src/domain/ci/artifacts/expire.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { LONG } from '../support/long.ts';
import { endJob, type TakenJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const LIMIT = 300_000;
const world = await startWorld({ limits: { artifactsBytes: LIMIT } });
const owner = await world.user();
const project = await world.project({ owner });
const api = world.api(owner);
const store = artifactsStore(world);
const archive = await zip({ 'out/app.txt': 'built' });

interface Upload {
  content?: Buffer | string;
  name?: string;
  query?: string;
  token?: string;
  fields?: Record<string, string>;
  metadata?: Buffer;
}

async function upload(
  job: { id: number | string; token: string },
  { content = archive, name = 'artifacts.zip', query = '', token = job.token, fields = {}, metadata }: Upload = {},
) {
  const body = new FormData();
  for (const [key, value] of Object.entries(fields)) body.set(key, value);
  body.set('file', new Blob([content as BlobPart]), name);
  if (metadata) body.set('metadata', new Blob([metadata as BlobPart]), 'metadata.gz');
  const answer = await fetch(`${world.url}/api/v4/jobs/${job.id}/artifacts${query}`, {
    method: 'POST',
    headers: token === '' ? {} : { 'JOB-TOKEN': token },
    body,
  });
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
}

async function download(id: number, token: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${world.url}/api/v4/jobs/${id}/artifacts`, {
    headers: { 'JOB-TOKEN': token, ...headers },
  });
  return { status: answer.status, content: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
}

async function stored(): Promise<string[]> {
  const names: string[] = [];
  for await (const { projectId, fileName, size } of store.list()) names.push(`${projectId}/${fileName} ${size}`);
  return names.sort();
}

const recordOf = ({ id }: TakenJob) => world.db.jobArtifacts.findUnique({ where: { jobId: id } });
const sizeOf = async (id: number) =>
  Number((await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: id } })).jobArtifactsSize);

describe('POST /jobs/:id/artifacts', () => {
  it('keeps the archive of a running job, and counts it for the project', async () => {
    const own = await world.project({ owner });
    const job = await takenJob(world, owner, own);
    expect(await upload(job)).toMatchObject({ status: 201, body: { id: job.id } });
    expect(await recordOf(job)).toMatchObject({
      fileName: 'artifacts.zip',
      size: BigInt(archive.length),
      expireAt: expect.any(Date),
    });
    expect(await world.db.job.findUniqueOrThrow({ where: { id: job.id } })).toMatchObject({
      artifactsFilename: 'artifacts.zip',
      artifactsSize: BigInt(archive.length),
    });
    const { body } = await api.get(`/projects/${own.id}/jobs/${job.id}`);
    expect(body.artifacts_file).toEqual({ filename: 'artifacts.zip', size: archive.length });
    expect(await sizeOf(own.id)).toBe(archive.length);
    expect((await download(job.id, job.token)).content.equals(archive)).toBe(true);
  });

  it.each([
    ['1 week', 7 * 86_400],
    ['3 mins 4 sec', 184],
    ['42', 42],
    ['never', null],
    ['', 30 * 86_400],
  ])('keeps them for %j', async (duration, seconds) => {
    const job = await takenJob(world, owner, project);
    const before = Date.now();
    expect((await upload(job, { query: `?expire_in=${encodeURIComponent(duration)}` })).status).toBe(201);
    const expireAt = (await recordOf(job))?.expireAt ?? null;
    if (seconds === null) return expect(expireAt).toBeNull();
    expect(expireAt?.getTime()).toBeGreaterThanOrEqual(before + seconds * 1_000);
    expect(expireAt?.getTime()).toBeLessThanOrEqual(Date.now() + seconds * 1_000);
  });

  it.each(['soon', '1 parsec', '-3 days', '1000 years', '3 mins 4', 'x'.repeat(5_000)])(
    '400 for the duration %.20j',
    async (duration) => {
      const job = await takenJob(world, owner, project);
      const { status, body } = await upload(job, { query: `?expire_in=${encodeURIComponent(duration)}` });
      expect([status, body.message]).toEqual([400, 'expire_in is not a duration such as "1 week"']);
      expect(await recordOf(job)).toBeNull();
    },
  );

  it('replaces what the job sent before', LONG, async () => {
    const own = await world.project({ owner });
    const job = await takenJob(world, owner, own);
    await upload(job);
    const second = await zip({ b: 'second' });
    expect((await upload(job, { content: second, name: 'second.zip' })).status).toBe(201);
    await world.idle();
    expect((await stored()).filter((name) => name.startsWith(`${own.id}/`))).toEqual([
      `${own.id}/second.zip ${second.length}`,
    ]);
    expect(await sizeOf(own.id)).toBe(second.length);
  });

  it('keeps one of two that come at once, as a whole', LONG, async () => {
    const own = await world.project({ owner });
    const job = await takenJob(world, owner, own);
    const contents = await Promise.all([1, 2, 3].map((n) => zip({ [`file${n}`]: randomBytes(50_000) })));
    const sent = await Promise.all(contents.map((content) => upload(job, { content })));
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201]);
    await world.idle();
    const { content } = await download(job.id, job.token);
    expect(contents.some((one) => one.equals(content))).toBe(true);
    expect((await stored()).filter((name) => name.startsWith(`${own.id}/`))).toHaveLength(1);
    expect(await sizeOf(own.id)).toBe(content.length);
  });

  it('takes the metadata that runners of the line send beside, and does not keep it', async () => {
    const job = await takenJob(world, owner, project);
    expect((await upload(job, { metadata: randomBytes(1_000), fields: { token: job.token } })).status).toBe(201);
    expect((await download(job.id, job.token)).content.equals(archive)).toBe(true);
  });

  it('400 without a file, and for a file that is no zip archive', LONG, async () => {
    const job = await takenJob(world, owner, project);
    const form = await fetch(`${world.url}/api/v4/jobs/${job.id}/artifacts`, {
      method: 'POST',
      headers: { 'JOB-TOKEN': job.token },
      body: new URLSearchParams({ file: 'text' }),
    });
    expect([form.status, await form.json()]).toEqual([400, { error: 'file is missing' }]);
    for (const content of ['', 'PK', '<html><script>alert(1)</script>', randomBytes(5_000)]) {
      const { status, body } = await upload(job, { content });
      expect([status, body]).toEqual([400, { message: 'file is not a zip archive' }]);
    }
    expect(await recordOf(job)).toBeNull();
  });

  it('gives the file a harmless name, whatever it is called', LONG, async () => {
    for (const name of ['../../etc/passwd', 'a\\b\\..\\c.zip', '/', '"\r\nX-Evil: 1.zip', 'ü'.repeat(400)]) {
      const job = await takenJob(world, owner, project);
      expect((await upload(job, { name })).status).toBe(201);
      expect((await recordOf(job))?.fileName).toMatch(/^[\w.+-]{1,220}$/);
      expect((await download(job.id, job.token)).content.equals(archive)).toBe(true);
    }
  });

  it('403 for another token, 403 with the state of a job that is over, 404 without such a job', async () => {
    const [job, other] = [await takenJob(world, owner, project), await takenJob(world, owner, project)];
    for (const token of [other.token, owner.token, '']) expect((await upload(job, { token })).status).toBe(403);
    // In the form it comes too late: nothing is received of somebody unknown.
    expect((await upload(job, { token: '', fields: { token: job.token } })).status).toBe(403);
    expect((await upload(job, { token: '', query: `?token=${job.token}` })).status).toBe(201);
    await endJob(world, other.id, 'canceled');
    const late = await upload(other);
    expect([late.status, late.headers.get('job-status')]).toEqual([403, 'canceled']);
    expect((await upload({ id: 'x', token: job.token })).status).toBe(404);
    expect((await upload({ id: 99_999_999, token: job.token })).status).toBe(404);
    expect(await recordOf(other)).toBeNull();
  });

  it('413 for a file that is too large, said before it comes where its size is told', LONG, async () => {
    const job = await takenJob(world, owner, project);
    const before = await stored();
    expect((await upload(job, { content: Buffer.concat([archive, randomBytes(LIMIT)]) })).status).toBe(413);
    // In chunks nobody tells the size.
    const chunked = await new Promise<number>((resolve) => {
      const sending = request(`${world.url}/api/v4/jobs/${job.id}/artifacts`, {
        method: 'POST',
        headers: {
          'JOB-TOKEN': job.token,
          'Content-Type': 'multipart/form-data; boundary=x',
          'Transfer-Encoding': 'chunked',
        },
      });
      sending.on('response', (answer) => resolve(answer.statusCode ?? 0));
      sending.on('error', () => resolve(413));
      sending.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n');
      for (let n = 0; n < 100; n++) sending.write(randomBytes(20_000));
    });
    expect(chunked).toBe(413);
    const huge = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(`${world.url}/api/v4/jobs/${job.id}/artifacts`, {
        method: 'POST',
        headers: {
          'JOB-TOKEN': job.token,
          'Content-Type': 'multipart/form-data; boundary=x',
          'Content-Length': '99999999999',
        },
      });
      sending.on('response', (answer) => resolve(answer.statusCode));
      sending.on('error', reject);
      sending.flushHeaders();
    });
    expect(huge).toBe(413);
    expect(await stored()).toEqual(before);
  });

  it('keeps nothing of an upload that is cut', async () => {
    const job = await takenJob(world, owner, project);
    const before = await stored();
    await new Promise<void>((resolve) => {
      const sending = request(`${world.url}/api/v4/jobs/${job.id}/artifacts`, {
        method: 'POST',
        headers: {
          'JOB-TOKEN': job.token,
          'Content-Type': 'multipart/form-data; boundary=x',
          'Content-Length': '5000',
        },
      });
      sending.on('error', () => resolve());
      sending.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n');
      sending.write(archive, () => setTimeout(() => sending.destroy(), 100));
    });
    expect((await upload(job)).status).toBe(201);
    expect(await stored()).toHaveLength(before.length + 1);
  });
});

describe('POST /jobs/:id/artifacts?artifact_type=', () => {
  const typed = (type: string, format = 'gzip') => `?artifact_type=${type}&artifact_format=${format}`;
  const reportsOf = async ({ id }: { id: number }) =>
    (await world.db.jobReport.findMany({ where: { jobId: id }, orderBy: { type: 'asc' } })).map(({ type }) => type);

  it('keeps one file of each type, counted, beside the archive', async () => {
    const own = await world.project({ owner });
    const job = await takenJob(world, owner, own);
    const junit = gzipSync('<testsuites/>');
    expect((await upload(job, { query: typed('archive', 'zip') })).status).toBe(201);
    expect((await upload(job, { content: junit, name: 'junit.xml.gz', query: typed('junit') })).status).toBe(201);
    expect((await upload(job, { content: '{}', name: 'gl.json', query: typed('codequality', 'raw') })).status).toBe(
      201,
    );
    expect(await reportsOf(job)).toEqual(['codequality', 'junit']);
    expect(await sizeOf(own.id)).toBe(archive.length + junit.length + 2);
    expect((await download(job.id, job.token)).content.equals(archive)).toBe(true);
    const { body } = await api.get(`/projects/${own.id}/jobs/${job.id}`);
    expect(body.artifacts.map((file: { file_type: string }) => file.file_type)).toEqual([
      'archive',
      'codequality',
      'junit',
    ]);
  });

  it('takes the same report again, and 400 for another of its type', async () => {
    const own = await world.project({ owner });
    const job = await takenJob(world, owner, own);
    const [first, second] = [gzipSync('<a/>'), gzipSync('<b/>')];
    for (const content of [first, first]) {
      expect((await upload(job, { content, query: typed('junit') })).status).toBe(201);
    }
    const refused = await upload(job, { content: second, query: typed('junit') });
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: 'another artifact of the same type already exists' },
    ]);
    await world.idle();
    expect(await sizeOf(own.id)).toBe(first.length);
    expect((await stored()).filter((name) => name.startsWith(`${own.id}/`))).toHaveLength(1);
  });

  it.each([
    [typed('unknown'), 'artifact_type does not have a valid value'],
    [typed('__proto__'), 'artifact_type does not have a valid value'],
    [typed('junit', 'tar'), 'artifact_format does not have a valid value'],
    [typed('junit', 'zip'), 'Invalid file format with specified file type'],
    [typed('archive', 'gzip'), 'Invalid file format with specified file type'],
    [typed('junit'), 'file is not compressed with gzip'],
  ])('400 for %s', async (query, message) => {
    const job = await takenJob(world, owner, project);
    const before = await stored();
    expect(await upload(job, { query })).toMatchObject({ status: 400, body: { message } });
    expect([await reportsOf(job), await stored()]).toEqual([[], before]);
  });

  it('removes reports when their time is over, and when the job is erased', async () => {
    const own = await world.project({ owner });
    const [over, erased] = [await takenJob(world, owner, own), await takenJob(world, owner, own)];
    for (const job of [over, erased]) {
      await upload(job, { content: gzipSync('<a/>'), query: `${typed('junit')}&expire_in=1%20day` });
      await endJob(world, job.id);
    }
    await world.db.jobReport.updateMany({ where: { jobId: over.id }, data: { expireAt: new Date(Date.now() - 1) } });
    await expireArtifacts(world, world.as(owner).jobs);
    expect([await reportsOf(over), await reportsOf(erased)]).toEqual([[], ['junit']]);
    expect((await api.post(`/projects/${own.id}/jobs/${erased.id}/erase`)).status).toBe(201);
    await world.idle();
    expect([await reportsOf(erased), await sizeOf(own.id)]).toEqual([[], 0]);
    expect((await stored()).filter((name) => name.startsWith(`${own.id}/`))).toEqual([]);
  });
});

describe('POST /jobs/:id/artifacts/authorize', () => {
  const authorize = (job: TakenJob, filesize: string, token = job.token) =>
    fetch(`${world.url}/api/v4/jobs/${job.id}/artifacts/authorize?filesize=${filesize}`, {
      method: 'POST',
      headers: { 'JOB-TOKEN': token },
    }).then(({ status }) => status);

  it('tells before the upload whether it would be taken', async () => {
    const job = await takenJob(world, owner, project);
    expect(await authorize(job, String(LIMIT))).toBe(200);
    expect(await authorize(job, String(LIMIT + 1))).toBe(413);
    for (const odd of ['x', '-1', '1.5']) expect(await authorize(job, odd)).toBe(400);
    expect(await authorize(job, '1', 'other')).toBe(403);
    await endJob(world, job.id);
    expect(await authorize(job, '1')).toBe(403);
  });
});

describe('GET /jobs/:id/artifacts', () => {
  it('gives them to jobs of later stages of the same pipeline, while these run', LONG, async () => {
    const build = await takenJob(world, owner, project);
    await upload(build);
    await endJob(world, build.id);
    const at = { pipelineId: build.pipelineId };
    const test = await takenJob(world, owner, project, { ...at, name: 'test', stageIndex: 1 });
    const found = await download(build.id, test.token);
    expect([found.status, found.content.equals(archive)]).toEqual([200, true]);
    expect(found.headers.get('content-disposition')).toBe('attachment; filename="artifacts.zip"');
    expect(found.headers.get('content-type')).toBe('application/octet-stream');
    expect(found.headers.get('content-security-policy')).toBe('sandbox');
    const part = await download(build.id, test.token, { Range: 'bytes=2-5' });
    expect([part.status, part.content.equals(archive.subarray(2, 6))]).toEqual([206, true]);
    expect((await download(test.id, test.token)).status).toBe(404);
    await endJob(world, test.id);
    expect((await download(build.id, test.token)).status).toBe(403);
    expect((await download(build.id, build.token)).status).toBe(403);
  });

  it('gives them to a job of the same stage that needs theirs', async () => {
    const build = await takenJob(world, owner, project);
    await upload(build);
    const needing = await takenJob(world, owner, project, { name: 'needing', pipelineId: build.pipelineId });
    await world.db.job.update({ where: { id: needing.id }, data: { needs: ['unit'] } });
    expect((await download(build.id, needing.token)).status).toBe(200);
  });

  it('403 for jobs of other pipelines and projects, and of the same stage', LONG, async () => {
    const build = await takenJob(world, owner, project);
    await upload(build);
    const beside = await takenJob(world, owner, project, { name: 'beside', pipelineId: build.pipelineId });
    const elsewhere = await takenJob(world, owner, project, { stageIndex: 1 });
    const foreign = await takenJob(world, owner, await world.project({ owner }), { stageIndex: 1 });
    for (const { token } of [beside, elsewhere, foreign, { token: owner.token }, { token: 'x' }]) {
      expect((await download(build.id, token)).status).toBe(403);
    }
  });
});

describe('Artifacts', () => {
  it('go when their time is over, and the job has none any more', LONG, async () => {
    const own = await world.project({ owner });
    const [job, kept] = [await takenJob(world, owner, own), await takenJob(world, owner, own)];
    await upload(job, { query: '?expire_in=1%20day' });
    await upload(kept, { query: '?expire_in=1%20day' });
    await world.db.jobArtifacts.update({ where: { jobId: job.id }, data: { expireAt: new Date(Date.now() - 1) } });
    // Nobody gets them any more, though they are still there.
    expect((await download(job.id, job.token)).status).toBe(404);
    expect((await api.get(`/projects/${own.id}/jobs/${job.id}`)).body).not.toHaveProperty('artifacts_file');
    await expireArtifacts(world, world.as(owner).jobs);
    await world.idle();
    expect([await recordOf(job), await sizeOf(own.id)]).toEqual([null, archive.length]);
    expect((await stored()).filter((name) => name.startsWith(`${own.id}/`))).toHaveLength(1);
    expect((await download(kept.id, kept.token)).status).toBe(200);
  });

  it('that nobody recorded go after an hour', LONG, async () => {
    const place = { projectId: project.id, secret: 'f'.repeat(32), fileName: 'left.zip' };
    async function* content() {
      yield archive;
    }
    await store.write(place, content(), archive.length);
    await cleanUpArtifacts(world);
    expect(await store.has(place)).toBe(true);
    const { utimes } = await import('node:fs/promises');
    const { default: path } = await import('node:path');
    const root = path.dirname(path.dirname(world.repositories.directory({ id: 0, repositoryStorage: 'default' })));
    const file = path.join(root, '../uploads/artifacts', String(project.id), place.secret, place.fileName);
    const old = new Date(Date.now() - 2 * 3_600_000);
    await utimes(file, old, old);
    const job = await takenJob(world, owner, project);
    await upload(job);
    await cleanUpArtifacts(world);
    expect(await store.has(place)).toBe(false);
    expect((await download(job.id, job.token)).status).toBe(200);
  });

  it('go with their project, and when they are erased', LONG, async () => {
    const doomed = await world.project({ owner });
    await upload(await takenJob(world, owner, doomed));
    await api.delete(`/projects/${doomed.id}`);
    const own = await world.project({ owner });
    const job = await takenJob(world, owner, own);
    await upload(job);
    await endJob(world, job.id);
    expect((await api.post(`/projects/${own.id}/jobs/${job.id}/erase`)).status).toBe(201);
    await world.idle();
    const left = (await stored()).filter((name) => [doomed.id, own.id].includes(Number(name.split('/')[0])));
    expect([left, await sizeOf(own.id), await recordOf(job)]).toEqual([[], 0, null]);
  });

  it('are refused of a job that ends while they come', async () => {
    const job = await takenJob(world, owner, project);
    const before = await stored();
    const sent = await new Promise<number | undefined>((resolve, reject) => {
      const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
      const sending = request(`${world.url}/api/v4/jobs/${job.id}/artifacts`, {
        method: 'POST',
        headers: { 'JOB-TOKEN': job.token, 'Content-Type': 'multipart/form-data; boundary=x' },
      });
      sending.on('response', (answer) => resolve(answer.statusCode));
      sending.on('error', reject);
      sending.write(head + archive.toString('latin1'), 'latin1', () => {
        endJob(world, job.id, 'canceled').then(() => sending.end('\r\n--x--\r\n'), reject);
      });
    });
    expect(sent).toBe(403);
    expect([await recordOf(job), await stored()]).toEqual([null, before]);
  });
});
