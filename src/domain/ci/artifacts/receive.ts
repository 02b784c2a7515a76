import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import { parseDuration } from '#src/base/duration.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { forgetArchives } from '#src/domain/ci/forget_artifacts.ts';
import { readDotenv } from '#src/domain/ci/reports/dotenv.ts';
import { REPORTS } from '#src/domain/ci/reports/kinds.ts';
import { fileNameOf } from '#src/domain/uploads/create.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { BadRequest, ContentTooLarge, Forbidden } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

type Stores = Pick<Context, 'db' | 'jobs' | 'repositories' | 'uploads'>;

/** The job that uploads artifacts. */
export interface SendingJob {
  id: number;
  projectId: number;
}

/** What a runner says of a file that it uploads. */
export interface SentArtifacts {
  /** `archive`, or the kind of report. */
  type: string;
  /** `zip`, `gzip` or `raw`. */
  format: string;
  /** Duration as in parseDuration; what the settings say when absent. */
  expireIn: string | undefined;
}

/**
 * Stores a file of a running job: an archive replaces an earlier one, and of each kind of report there is one.
 *
 * @throws BadRequest if type and format do not fit each other or the file, the duration is invalid, or the job has another report of
 * that kind; ContentTooLarge; Forbidden if the job has ended meanwhile
 */
export async function receiveArtifacts(
  stores: Stores,
  job: SendingJob,
  file: IncomingFile,
  { type, format, expireIn }: SentArtifacts,
): Promise<void> {
  requireKnown(type, format);
  await requireFitting(stores, job.projectId, file.size);
  const { defaultArtifactsExpireIn } = await currentSettings(stores.db);
  const expireAt = expireIn ? expiryOf(expireIn) : defaultExpiry(defaultArtifactsExpireIn);
  await requireFormat(file, format);
  const variables = type === 'dotenv' ? await readDotenv(file) : undefined;
  const place = { projectId: job.projectId, secret: randomBytes(16).toString('hex'), fileName: fileNameOf(file.name) };
  const store = artifactsStore(stores);
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.stream()) {
      hash.update(chunk);
      yield chunk;
    }
  }
  let isKept = false;
  try {
    await store.write(place, hashed(), file.size);
    const made = { ...place, size: file.size, expireAt };
    if (type === ARCHIVE) {
      await recordArchive(stores, job, made);
      isKept = true;
    } else isKept = await recordReport(stores, job, { ...made, type, format, variables, sha256: hash.digest('hex') });
  } catch (error) {
    isKept = mayBeCommitted(error);
    throw error;
  } finally {
    if (!isKept) await store.remove(place);
  }
}

/** The type of the archive of artifacts, which is the only one that runners of 2017 send. */
export const ARCHIVE = 'archive';
const FORMATS = ['zip', 'gzip', 'raw'];

/** Throws BadRequest for a type or a format that there is not, or that do not belong together. */
export function requireKnown(type: string, format: string): void {
  const expected = type === ARCHIVE ? 'zip' : reportFormat(type);
  if (expected === null) throw new BadRequest('artifact_type does not have a valid value');
  if (!FORMATS.includes(format)) throw new BadRequest('artifact_format does not have a valid value');
  if (format !== expected) throw new BadRequest('Invalid file format with specified file type');
}

/** The format in which a kind of report is sent; null if there is no such kind. */
export function reportFormat(type: string): string | null {
  return Object.hasOwn(REPORTS, type) ? (REPORTS[type]?.format ?? null) : null;
}

/**
 * Throws ContentTooLarge if artifacts of so many bytes exceed the limit of a job, in the configuration, the settings, or those of the
 * project or else its nearest group that has one.
 */
export async function requireFitting(
  { db, repositories }: Pick<Stores, 'db' | 'repositories'>,
  projectId: number,
  bytes: number,
): Promise<void> {
  const { artifactsBytes } = repositories.limits;
  if (bytes > artifactsBytes) {
    throw new ContentTooLarge(
      `the artifacts of a job have at most ${artifactsBytes} bytes (GANTRY_MAX_ARTIFACTS_BYTES)`,
    );
  }
  const { maxArtifactsSize: ofServer } = await currentSettings(db);
  const [own] = await db.$queryRaw<{ most: number | null }[]>`
    SELECT COALESCE(p.max_artifacts_size, (SELECT g.max_artifacts_size FROM namespaces g
      WHERE g.id = ANY(n.lineage) AND g.max_artifacts_size IS NOT NULL ORDER BY cardinality(g.lineage) DESC LIMIT 1)) AS most
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ${projectId}`;
  const maxArtifactsSize = Math.min(ofServer, own?.most ?? ofServer);
  if (bytes > maxArtifactsSize * 1024 * 1024) {
    throw new ContentTooLarge(`the artifacts of a job have at most ${maxArtifactsSize} MB (max_artifacts_size)`);
  }
}

/** When artifacts expire of which the job does not say it; null if never. */
function defaultExpiry(expireIn: string): Date | null {
  const duration = parseDuration(expireIn);
  return duration !== null && duration > 0 && Number.isFinite(duration) ? new Date(Date.now() + duration) : null;
}

/** When new artifacts expire; null if never. Throws BadRequest. */
export function expiryOf(expireIn: string | undefined): Date | null {
  if (expireIn === undefined || expireIn === '') return null;
  const duration = parseDuration(expireIn);
  if (duration === null) throw new BadRequest('expire_in is not a duration such as "1 week"');
  return Number.isFinite(duration) ? new Date(Date.now() + duration) : null;
}

/** How files of a format begin: zip archives with and without entries (APPNOTE.TXT 4.3.7, 4.3.16), and gzip (RFC 1952). */
const SIGNATURES: Readonly<Record<string, readonly string[]>> = { zip: ['504b0304', '504b0506'], gzip: ['1f8b'] };
const NAMES: Readonly<Record<string, string>> = { zip: 'a zip archive', gzip: 'compressed with gzip' };

async function requireFormat(file: IncomingFile, format: string): Promise<void> {
  const signatures = SIGNATURES[format];
  if (!signatures) return;
  let start = Buffer.alloc(0);
  for await (const chunk of file.stream()) {
    start = Buffer.concat([start, chunk]);
    if (start.length >= 4) break;
  }
  const found = start.subarray(0, 4).toString('hex');
  if (!signatures.some((signature) => found.startsWith(signature))) {
    throw new BadRequest(`file is not ${NAMES[format]}`);
  }
}

interface NewArtifacts {
  projectId: number;
  secret: string;
  fileName: string;
  size: number;
  expireAt: Date | null;
}

function recordArchive({ db, jobs }: Stores, job: SendingJob, made: NewArtifacts): Promise<void> {
  return db.$transaction(async (tx) => {
    await lockRunning(tx, job);
    await forgetArchives(tx, jobs, [job.id]);
    await tx.jobArtifacts.create({ data: { jobId: job.id, ...made } });
    await tx.$executeRaw`
      UPDATE jobs SET artifacts_filename = ${made.fileName}, artifacts_size = ${made.size}::bigint, updated_at = now()
      WHERE id = ${job.id}`;
    await count(tx, made);
  });
}

interface NewReport extends NewArtifacts {
  type: string;
  format: string;
  sha256: string;
  variables: Record<string, string> | undefined;
}

/** Returns false if the job has the same report already. Throws BadRequest if it has another one. */
function recordReport({ db }: Stores, job: SendingJob, made: NewReport): Promise<boolean> {
  return db.$transaction(async (tx) => {
    await lockRunning(tx, job);
    const where = { jobId_type: { jobId: job.id, type: made.type } };
    const there = await tx.jobReport.findUnique({ where, select: { sha256: true } });
    if (there?.sha256 === made.sha256) return false;
    if (there) throw new BadRequest('another artifact of the same type already exists').asExisting();
    const { variables, ...values } = made;
    await tx.jobReport.create({ data: { jobId: job.id, ...values, ...(variables && { variables }) } });
    await count(tx, made);
    return true;
  });
}

/** Concurrent uploads for the same job wait here, and so do canceling and erasing it. Throws Forbidden if it has ended. */
async function lockRunning(tx: Transaction, job: SendingJob): Promise<void> {
  const running = await tx.$queryRaw<object[]>`
    SELECT j.id FROM jobs j JOIN projects p ON p.id = j.project_id AND p.deleted_at IS NULL
    WHERE j.id = ${job.id} AND j.status IN ('running', 'canceling') FOR UPDATE OF j`;
  if (running.length === 0) throw new Forbidden('Job is not running').asWrongState();
}

async function count(tx: Transaction, { projectId, size }: NewArtifacts): Promise<void> {
  await tx.$executeRaw`UPDATE project_counters SET job_artifacts_size = job_artifacts_size + ${size}::bigint
    WHERE project_id = ${projectId}`;
}
