import { can, DEVELOPER, MASTER } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, refusalOf } from '#src/access/permissions/actor.ts';
import { artifactsStore, type RecordedArtifacts } from '#src/domain/ci/artifacts_store.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { openStored } from '#src/domain/uploads/content.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** A job whose artifacts an operation found. */
export interface RawArtifacts {
  projectId: number;
  databaseId: number;
}

/** Streams the artifacts of a job, if the caller may read them. Throws NotFound, Forbidden, Unauthenticated, UploadsUnavailable. */
export async function readRawArtifacts(context: Context, { projectId, databaseId }: RawArtifacts): Promise<RawContent> {
  const project = await findProject(context, projectId);
  const { id, options } = await findJob(context, project, databaseId, select('Job', { id: true, options: true }));
  requireReadable(context, project, options);
  return openArtifacts(context, id);
}

/** The artifacts of a job, without permission checks. Throws NotFound if it has none or they have expired. */
export async function openArtifacts(stores: Pick<Context, 'db' | 'uploads'>, jobId: number): Promise<RawContent> {
  const found = await findArtifacts(stores.db, jobId);
  if (!found) throw new NotFound('Artifacts');
  const { size, fileName, createdAt } = found;
  // New artifacts of the job get another name in the store, which must stay secret.
  const etag = `"${jobId}-${createdAt.getTime().toString(36)}"`;
  return openStored(artifactsStore(stores), found, { resource: 'Artifacts', size, fileName, etag });
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

/** The levels that the file may demand for artifacts, by the words of `artifacts:access`. */
const ACCESS: Readonly<Record<string, number>> = { developer: DEVELOPER, maintainer: MASTER };

/** What the file says of the artifacts of a job, in its options. */
export interface ArtifactsOptions {
  public?: unknown;
  access?: unknown;
}

/**
 * Whether the actor, who may see the job, may read its artifacts: output of jobs, which the file may keep for few (`artifacts:public`,
 * `artifacts:access`).
 */
export function mayReadArtifacts(
  actor: Actor | null,
  project: ProjectRow,
  artifacts: ArtifactsOptions | null,
): boolean {
  if (!can(actor, 'read_job_output', project)) return false;
  const word = artifacts?.access ?? (artifacts?.public === false ? 'developer' : 'all');
  if (word === 'none') return false;
  const level = ACCESS[String(word)];
  return level === undefined || actor?.admin === true || project.accessLevel >= level;
}

/** Like mayReadArtifacts. Throws Forbidden, or Unauthenticated for anonymous callers. */
export function requireReadable({ actor }: Context, project: ProjectRow, options: unknown): void {
  const { artifacts = null } = (options ?? {}) as { artifacts?: ArtifactsOptions };
  if (!mayReadArtifacts(actor, project, artifacts)) throw refusalOf(actor);
}
