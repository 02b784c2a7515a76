import { Readable } from 'node:stream';
import type { Context } from '#src/access/permissions/actor.ts';
import { artifactsStore, type RecordedArtifacts } from '#src/domain/ci/artifacts/place.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** A job whose artifacts an operation found. */
export interface RawArtifacts {
  projectId: number;
  databaseId: number;
}

/** Streams the artifacts of a job, if the caller may read it. Throws NotFound, Forbidden, Unauthenticated, UploadsUnavailable. */
export async function readRawArtifacts(context: Context, { projectId, databaseId }: RawArtifacts): Promise<RawContent> {
  const project = await findProject(context, projectId);
  const { id } = await findJob(context, project, databaseId, select('Job', { id: true }));
  return openArtifacts(context, id);
}

/** The artifacts of a job, without permission checks. Throws NotFound if it has none or they have expired. */
export async function openArtifacts(stores: Pick<Context, 'db' | 'uploads'>, jobId: number): Promise<RawContent> {
  const found = await findArtifacts(stores.db, jobId);
  const store = artifactsStore(stores);
  if (!found || !(await store.has(found))) throw new NotFound('Artifacts');
  const part = async (range?: { start: number; end: number }) => {
    const content = await store.read(found, range);
    if (content === null) throw new NotFound('Artifacts');
    return content;
  };
  async function* whole(): AsyncGenerator<Buffer> {
    yield* await part();
  }
  return {
    stream: Readable.from(whole(), { objectMode: false }),
    part,
    size: found.size,
    type: 'application/octet-stream',
    fileName: found.fileName,
    // New artifacts of the job get another name in the store, which must stay secret.
    etag: `"${jobId}-${found.createdAt.getTime().toString(36)}"`,
  };
}

/** The artifacts of a job if they exist and have not expired; otherwise null. */
export async function findArtifacts(
  db: Db,
  jobId: number,
): Promise<(RecordedArtifacts & { createdAt: Date; expireAt: Date | null }) | null> {
  const found = await db.jobArtifacts.findFirst({
    where: { jobId, OR: [{ expireAt: null }, { expireAt: { gt: new Date() } }] },
  });
  return found && { ...found, size: Number(found.size) };
}
