import { randomBytes } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import { parseDuration } from '#src/domain/ci/artifacts/duration.ts';
import { forgetArtifacts } from '#src/domain/ci/artifacts/forget.ts';
import { artifactsStore } from '#src/domain/ci/artifacts/place.ts';
import { fileNameOf } from '#src/domain/uploads/create.ts';
import { BadRequest, ContentTooLarge, Forbidden } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';

type Stores = Pick<Context, 'db' | 'jobs' | 'repositories' | 'uploads'>;

/** The job that uploads artifacts. */
export interface SendingJob {
  id: number;
  projectId: number;
}

/**
 * Stores the artifacts of a running job, replacing earlier ones.
 *
 * @param expireIn duration as in parseDuration; forever when absent
 * @throws BadRequest if it is not a zip archive or the duration is invalid, ContentTooLarge, Forbidden if the job has ended
 * meanwhile
 */
export async function receiveArtifacts(
  stores: Stores,
  job: SendingJob,
  file: IncomingFile,
  expireIn: string | undefined,
): Promise<void> {
  requireFitting(stores, file.size);
  const expireAt = expiryOf(expireIn);
  await requireZip(file);
  const place = { projectId: job.projectId, secret: randomBytes(16).toString('hex'), fileName: fileNameOf(file.name) };
  const store = artifactsStore(stores);
  try {
    await store.write(place, file.stream(), file.size);
    await record(stores, job, { ...place, size: file.size, expireAt });
  } catch (error) {
    await store.remove(place);
    throw error;
  }
}

/** Throws ContentTooLarge if artifacts of so many bytes exceed the limit of a job. */
export function requireFitting({ repositories }: Pick<Stores, 'repositories'>, bytes: number): void {
  const { artifactsBytes } = repositories.limits;
  if (bytes > artifactsBytes) {
    throw new ContentTooLarge(
      `the artifacts of a job have at most ${artifactsBytes} bytes (GANTRY_MAX_ARTIFACTS_BYTES)`,
    );
  }
}

/** When new artifacts expire; null if never. Throws BadRequest. */
export function expiryOf(expireIn: string | undefined): Date | null {
  if (expireIn === undefined || expireIn === '') return null;
  const duration = parseDuration(expireIn);
  if (duration === null) throw new BadRequest('expire_in is not a duration such as "1 week"');
  return Number.isFinite(duration) ? new Date(Date.now() + duration) : null;
}

/** The signatures of zip archives, with and without entries (APPNOTE.TXT 4.3.7, 4.3.16). */
const SIGNATURES = ['504b0304', '504b0506'];

async function requireZip(file: IncomingFile): Promise<void> {
  let start = Buffer.alloc(0);
  for await (const chunk of file.stream()) {
    start = Buffer.concat([start, chunk]);
    if (start.length >= 4) break;
  }
  if (!SIGNATURES.includes(start.subarray(0, 4).toString('hex'))) throw new BadRequest('file is not a zip archive');
}

interface NewArtifacts {
  projectId: number;
  secret: string;
  fileName: string;
  size: number;
  expireAt: Date | null;
}

async function record({ db, jobs }: Stores, job: SendingJob, made: NewArtifacts): Promise<void> {
  await db.$transaction(async (tx) => {
    // Concurrent uploads for the same job wait here, and so do canceling and erasing it.
    const running = await tx.$queryRaw<object[]>`
      SELECT j.id FROM jobs j JOIN projects p ON p.id = j.project_id AND p.deleted_at IS NULL
      WHERE j.id = ${job.id} AND j.status = 'running' FOR UPDATE OF j`;
    if (running.length === 0) throw new Forbidden('Job is not running');
    await forgetArtifacts(tx, jobs, [job.id]);
    await tx.jobArtifacts.create({ data: { jobId: job.id, ...made } });
    await tx.$executeRaw`
      UPDATE jobs SET artifacts_filename = ${made.fileName}, artifacts_size = ${made.size}::bigint, updated_at = now()
      WHERE id = ${job.id}`;
    await tx.$executeRaw`
      UPDATE project_counters SET job_artifacts_size = job_artifacts_size + ${made.size}::bigint
      WHERE project_id = ${made.projectId}`;
  });
}
