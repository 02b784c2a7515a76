import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import type { World } from './world.ts';
import { zip } from './zip.ts';

/** Gives a job artifacts, whatever its state; they expire a day later unless it is said. The bytes of the archive. */
export async function storeArtifacts(
  world: World,
  job: { id: number; projectId: number },
  {
    content,
    expireAt = new Date(Date.now() + 86_400_000),
  }: { content?: Buffer | undefined; expireAt?: Date | null } = {},
): Promise<Buffer> {
  const bytes = content ?? (await zip({ 'app.txt': `of job ${job.id}` }));
  const place = {
    projectId: job.projectId,
    secret: randomBytes(16).toString('hex'),
    fileName: 'artifacts.zip',
  };
  async function* parts() {
    yield bytes;
  }
  await artifactsStore(world).write(place, parts(), bytes.length);
  const size = BigInt(bytes.length);
  await world.db.jobArtifacts.create({ data: { jobId: job.id, ...place, size, expireAt } });
  const data = { artifactsFilename: place.fileName, artifactsSize: size };
  await world.db.job.update({ where: { id: job.id }, data });
  await world.db.projectCounters.update({
    where: { projectId: job.projectId },
    data: { jobArtifactsSize: { increment: size } },
  });
  return bytes;
}

/** Gives a job a report, as its runner packs it; it is kept unless it is said. The bytes as they are stored. */
export async function storeReport(
  world: World,
  job: { id: number; projectId: number },
  type: keyof typeof REPORT_NAMES,
  content: string | Buffer,
  expireAt: Date | null = null,
): Promise<Buffer> {
  const bytes = gzipSync(content);
  const place = { projectId: job.projectId, secret: randomBytes(16).toString('hex'), fileName: REPORT_NAMES[type] };
  async function* parts() {
    yield bytes;
  }
  await artifactsStore(world).write(place, parts(), bytes.length);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const size = BigInt(bytes.length);
  await world.db.jobReport.create({
    data: { jobId: job.id, ...place, type, format: 'gzip', size, sha256, expireAt },
  });
  await world.db.projectCounters.update({
    where: { projectId: job.projectId },
    data: { jobArtifactsSize: { increment: size } },
  });
  return bytes;
}

const REPORT_NAMES = { junit: 'junit.xml.gz', dotenv: '.env.gz', cobertura: 'cobertura-coverage.xml.gz' };
