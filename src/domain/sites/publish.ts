import { randomBytes } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import { parseDuration } from '#src/base/duration.ts';
import { findArtifacts } from '#src/domain/ci/artifacts/read.ts';
import { UnreadableZip, type ZipSource } from '#src/domain/ci/artifacts/zip.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { packSite } from '#src/domain/sites/archive.ts';
import { publishedFiles } from '#src/domain/sites/published_files.ts';
import { placeOf, sitesStore } from '#src/domain/sites/store.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { DomainError, LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

type Stores = Pick<Context, 'db' | 'uploads' | 'sites'>;

/** Parts of a site with a path of their own, besides the site itself. */
export const MAX_PARTS = 100;

/** Milliseconds after which a part of a site expires that does not say when. */
const PART_EXPIRY_MS = 24 * 60 * 60_000;

/** A job that has a site to publish. */
interface BuildingJob {
  id: number;
  projectId: number;
  pipelineId: number;
  publish: string;
  pathPrefix: string;
  expireIn: string | null;
}

/**
 * Publishes the site in the artifacts of a job that has succeeded. What keeps it from that is kept with the project. Does nothing
 * for a job that is gone, and where there are no sites.
 */
export async function publishSite(stores: Stores, jobId: number): Promise<void> {
  const job = stores.sites && (await findBuildingJob(stores, jobId));
  if (!job) return;
  try {
    await publish(stores, job);
  } catch (error) {
    await noteProblem(stores, job, problemOf(error));
  }
}

async function findBuildingJob({ db }: Stores, jobId: number): Promise<BuildingJob | undefined> {
  const [job] = await db.$queryRaw<BuildingJob[]>`
    SELECT j.id, j.project_id AS "projectId", j.pipeline_id AS "pipelineId", j.options->'pages'->>'publish' AS publish,
      COALESCE(j.options->'pages'->>'path_prefix', '') AS "pathPrefix", j.options->'pages'->>'expire_in' AS "expireIn"
    FROM jobs j JOIN projects p ON p.id = j.project_id
    WHERE j.id = ${jobId} AND j.status = 'success' AND p.deleted_at IS NULL AND p.pages_access <> 'disabled' AND j.options ? 'pages'
      AND NOT EXISTS (SELECT 1 FROM pages_deployments d WHERE d.job_id = j.id)`;
  return job;
}

/** Throws DomainErrors and UnreadableZip that say why there is no site. */
async function publish(stores: Stores, job: BuildingJob): Promise<void> {
  const { projectId, publish: directory } = job;
  const { maxPagesSize } = await currentSettings(stores.db);
  const source = await openArchive(stores, job.id);
  const files = await publishedFiles(source, directory, maxPagesSize === 0 ? null : maxPagesSize * 1024 * 1024);
  const packed = packSite(source, files);
  const secret = randomBytes(16).toString('hex');
  const store = sitesStore(stores);
  const place = placeOf({ projectId, secret });
  let isKept = false;
  try {
    await store.write(place, packed.content(), packed.index.length + packed.size);
    const made = { secret, fileCount: files.size, size: packed.size, indexSize: packed.index.length };
    isKept = await stores.db.$transaction((tx) => record(tx, job, made));
  } catch (error) {
    isKept = mayBeCommitted(error);
    throw error;
  } finally {
    if (!isKept) await store.remove(place);
  }
}

async function openArchive(stores: Stores, jobId: number): Promise<ZipSource> {
  const found = await findArtifacts(stores.db, jobId);
  const store = artifactsStore(stores);
  if (!found || !(await store.has(found))) throw new ValidationFailed({ artifacts: ['the job has no artifacts'] });
  const part = async (range: { start: number; end: number }) => {
    const content = await store.read(found, range);
    if (content === null) throw new NotFound('Artifacts');
    return content;
  };
  return { size: found.size, part };
}

interface MadeSite {
  secret: string;
  fileCount: number;
  size: number;
  indexSize: number;
}

/** Puts a site in the place of the one before. Returns false if a later pipeline was faster, or the job has published it already. */
async function record(tx: Transaction, job: BuildingJob, made: MadeSite): Promise<boolean> {
  const { id: jobId, projectId, pipelineId, publish: rootDirectory, pathPrefix, expireIn } = job;
  const alive = await tx.$queryRaw<unknown[]>`
    SELECT id FROM projects WHERE id = ${projectId} AND deleted_at IS NULL FOR NO KEY UPDATE`;
  if (alive.length === 0) return false;
  const parts = await tx.pagesDeployment.findMany({
    where: { projectId, deletedAt: null },
    select: { pathPrefix: true, pipelineId: true, jobId: true },
  });
  const isLate = parts.some(
    (part) => part.jobId === jobId || (part.pathPrefix === pathPrefix && part.pipelineId > pipelineId),
  );
  if (isLate) return false;
  const others = parts.filter((part) => part.pathPrefix !== '' && part.pathPrefix !== pathPrefix);
  if (pathPrefix !== '' && others.length >= MAX_PARTS) {
    throw new LimitReached(`a site can have at most ${MAX_PARTS} parts with a path prefix`);
  }
  await replaceActive(tx, projectId, pathPrefix);
  const expiresAt = expiryOf(pathPrefix, expireIn);
  const where = { jobId, projectId, pipelineId, rootDirectory, pathPrefix, expiresAt };
  await tx.pagesDeployment.create({ data: { ...where, ...made } });
  await tx.pagesSettings.updateMany({ where: { projectId }, data: { problem: null, problemJobId: null } });
  return true;
}

/** Takes the active deployment of a part of a site out of use; it can be restored for a day. */
export async function replaceActive(tx: Transaction, projectId: number, pathPrefix: string): Promise<void> {
  const now = new Date();
  await tx.pagesDeployment.updateMany({
    where: { projectId, pathPrefix, deletedAt: null },
    data: { deletedAt: now, updatedAt: now },
  });
}

/** When a site expires; never unless it is said, but for parts of one. */
function expiryOf(pathPrefix: string, expireIn: string | null): Date | null {
  const usual = pathPrefix === '' ? Number.POSITIVE_INFINITY : PART_EXPIRY_MS;
  const duration = (expireIn === null ? null : parseDuration(expireIn)) ?? usual;
  return Number.isFinite(duration) ? new Date(Date.now() + duration) : null;
}

/** What keeps a site from being published, in words for who made it. Throws any other error. */
function problemOf(error: unknown): string {
  if (error instanceof UnreadableZip) return error.message;
  if (error instanceof ValidationFailed) return Object.values(error.fields).flat().join('; ');
  if (error instanceof DomainError && error.code !== 'UNAVAILABLE') return error.message;
  throw error;
}

async function noteProblem(
  { db }: Stores,
  { id: problemJobId, projectId }: BuildingJob,
  problem: string,
): Promise<void> {
  const noted = { problem: problem.replaceAll('\0', ' ').toWellFormed(), problemJobId };
  await db.pagesSettings.upsert({ where: { projectId }, create: { projectId, ...noted }, update: noted });
}
