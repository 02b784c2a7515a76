import { existsSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { appendTrace } from '#src/domain/ci/job_logs/append.ts';
import { cleanUpTraces } from '#src/domain/ci/job_logs/clean_up.ts';
import { traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTrace } from '#src/domain/ci/job_logs/locate.ts';
import { readRawTrace } from '#src/domain/ci/jobs/raw_log.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { DiskUploads } from '#src/domain/uploads/disk.ts';
import { createBackup } from '#src/entrances/backup/create.ts';
import { readBackup } from '#src/entrances/backup/input.ts';
import { Known } from '#src/entrances/backup/known.ts';
import { writeBackup } from '#src/entrances/backup/output.ts';
import { restore } from '#src/entrances/backup/restore.ts';
import { check } from '#src/entrances/fsck/check.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { connect } from '#src/platform/database/db.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { emptyDatabase } from '../support/database.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { endJob, type TakenJob, takenJob } from '../support/running_job.ts';
import { SECRET, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const quiet = { info: () => undefined, warn: console.warn, error: console.error };
let project: ProjectRow;
let job: TakenJob;
let archive: Buffer;

beforeAll(async () => {
  project = await world.project({ owner });
  job = await takenJob(world, owner, project);
  await appendTrace(world, job.id, 0, Buffer.from('all that was printed\n'));
  archive = await storeArtifacts(world, { id: job.id, projectId: project.id });
});

/** The file of the trace of a job. */
async function fileOf({ id }: TakenJob): Promise<string> {
  const trace = await locateTrace(world.db, id);
  return trace ? traceFile(world.repositories, trace) : '';
}

function contents(known?: Known) {
  const { databaseUrl, repositories, uploads } = world;
  return createBackup({
    ...{ databaseUrl, repositories, uploads, secret: SECRET, withSecret: true, name: 'test.gantry' },
    ...(known && { known }),
  });
}

/** Restores a backup into an empty place, and reads the trace and the artifacts of the job there. */
async function restored(file: string, earlier: string[] = []) {
  const directory = path.join(scratch(), 'data');
  const config = loadConfig({ GANTRY_DATA: directory, DATABASE_URL: await emptyDatabase() }, scratch());
  const { missing } = await restore({ config, file, earlier, log: quiet });
  const db = connect(String(config.databaseUrl));
  const uploads = new DiskUploads(path.join(directory, 'uploads'));
  const context = { ...world.as(owner), db, repositories: new RepositoryStore(config.storages), uploads };
  try {
    const trace = await readRawTrace(context, { projectId: project.id, databaseId: job.id });
    const artifacts = await db.jobArtifacts.findUniqueOrThrow({ where: { jobId: job.id } });
    const content = await artifactsStore(context).read(artifacts);
    return { missing, trace: await text(trace.stream), artifacts: content && (await buffer(content)) };
  } finally {
    await db.$disconnect();
  }
}

describe('A backup', { timeout: 300_000 }, () => {
  it('has the traces and artifacts of jobs, as they were when it began', LONG, async () => {
    const file = path.join(scratch(), 'test.gantry');
    async function* whileTheJobPrints() {
      let offset = Buffer.byteLength('all that was printed\n');
      for await (const chunk of contents()) {
        yield chunk;
        await appendTrace(world, job.id, offset, Buffer.from('later\n'));
        offset += 6;
      }
    }
    await writeBackup(file, whileTheJobPrints());
    expect(readFileSync(await fileOf(job), 'utf8')).toContain('later\n');
    const there = await restored(file);
    expect([there.missing, there.trace, there.artifacts?.equals(archive)]).toEqual([
      [],
      'all that was printed\n',
      true,
    ]);
  });

  it('that builds on another one leaves out those that it has', LONG, async () => {
    const [first, second] = [path.join(scratch(), 'first.gantry'), path.join(scratch(), 'second.gantry')];
    await writeBackup(first, contents());
    const earlier = await readBackup(first, {});
    const known = new Known({ ...earlier, name: 'first.gantry' });
    await writeBackup(second, contents(known));
    const held = known.taken.map(({ path: name }) => name.split('/')[0]);
    expect(held.sort()).toEqual(['artifacts', 'traces']);
    const there = await restored(second, [first]);
    expect(there.trace).toBe(readFileSync(await fileOf(job), 'utf8'));
    expect(there.artifacts?.equals(archive)).toBe(true);
  });

  it('names those that are lost', async () => {
    const lost = await takenJob(world, owner, project);
    await appendTrace(world, lost.id, 0, Buffer.from('lost\n'));
    rmSync(await fileOf(lost));
    const generator = contents();
    for (;;) {
      const { done, value } = await generator.next();
      if (!done) continue;
      expect(value.missing).toEqual([
        { kind: 'trace', projectId: project.id, path: `traces/default/${project.id}/${lost.id}.1.log`, gone: false },
      ]);
      break;
    }
    await world.db.job.delete({ where: { id: lost.id } });
  });
});

/** What fsck says, by the places. */
async function findings(fix = false) {
  const found: { place: string; what: string; isFixed?: boolean | undefined }[] = [];
  for await (const { place, what, isFixed } of check(world, { fix })) found.push({ place, what, isFixed });
  return found;
}

describe('fsck', { timeout: 120_000 }, () => {
  it('names traces and artifacts that are missing or cut short', async () => {
    expect(await findings()).toEqual([]);
    const [missing, short] = [await takenJob(world, owner, project), await takenJob(world, owner, project)];
    for (const { id } of [missing, short]) await appendTrace(world, id, 0, Buffer.from('0123456789'));
    rmSync(await fileOf(missing));
    truncateSync(await fileOf(short), 5);
    await storeArtifacts(world, { id: short.id, projectId: project.id });
    const { projectId, secret } = await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: short.id } });
    await artifactsStore(world).remove({ projectId, secret });
    expect((await findings(true)).map(({ what }) => what)).toEqual([
      `The artifacts of job ${short.id} are missing.`,
      `The trace of job ${missing.id} is missing.`,
      `The trace of job ${short.id} is cut short.`,
    ]);
    await world.db.job.deleteMany({ where: { id: { in: [missing.id, short.id] } } });
    rmSync(path.join(world.repositories.traces(project), String(Math.floor(short.id / 1_000)), `${short.id}.1.log`));
  });

  it('removes what was left behind, and only what is old enough', async () => {
    const file = await fileOf(job);
    const left = file.replace('.1.log', '.7.log');
    writeFileSync(left, 'a secret that was erased');
    expect(await findings(true)).toEqual([]);
    const old = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(left, old, old);
    utimesSync(file, old, old);
    const ended = await takenJob(world, owner, project);
    await endJob(world, ended.id);
    expect(await findings(true)).toEqual([{ place: left, what: expect.stringContaining('left this'), isFixed: true }]);
    expect([existsSync(left), existsSync(file)]).toEqual([false, true]);
  });
});

describe('Clean-up', () => {
  it('removes logs that a process died over before it recorded them, and only what is old enough', async () => {
    const file = await fileOf(job);
    const folder = path.dirname(file);
    const unrecorded = await takenJob(world, owner, project);
    const [left, young] = [path.join(folder, `${unrecorded.id}.1.log`), path.join(folder, `${unrecorded.id}.2.log`)];
    for (const one of [left, young]) writeFileSync(one, 'printed, and not recorded');
    const old = new Date(Date.now() - 2 * 3_600_000);
    for (const one of [file, left]) utimesSync(one, old, old);
    await cleanUpTraces(world);
    expect([file, left, young].map((one) => existsSync(one))).toEqual([true, false, true]);
    rmSync(young);
    await endJob(world, unrecorded.id);
  });
});
