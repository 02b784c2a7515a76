import type { Context } from '#src/access/permissions/actor.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, LimitReached } from '#src/platform/errors.ts';

/** Waits until nobody else changes what the size of a project's images depends on. Throws RegistryError if the project is gone. */
export async function lockSize(tx: Pick<Transaction, '$queryRaw'>, projectId: number): Promise<void> {
  const locked = await tx.$queryRaw<object[]>`
    SELECT 1 FROM project_counters WHERE project_id = ${projectId} FOR UPDATE`;
  if (locked.length === 0) throw new RegistryError('NAME_UNKNOWN', 'The project was deleted');
}

/** Adds to the size of a project's images. */
export async function addSize(tx: Pick<Transaction, '$executeRaw'>, projectId: number, bytes: number): Promise<void> {
  await tx.$executeRaw`UPDATE project_counters SET container_registry_size = container_registry_size + ${bytes}::bigint
    WHERE project_id = ${projectId}`;
}

/** Counts the size of a project's images anew, after some are gone: each blob once, and the manifests. The size must be locked. */
export async function recountSize(tx: Pick<Transaction, '$executeRaw'>, projectId: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE project_counters SET container_registry_size = (
        SELECT COALESCE(sum(b.size), 0) FROM container_blobs b WHERE b.id IN (
          SELECT l.blob_id FROM container_repository_blobs l JOIN container_repositories r ON r.id = l.repository_id
          WHERE r.project_id = ${projectId}))
      + (SELECT COALESCE(sum(m.size), 0) FROM container_manifests m JOIN container_repositories r ON r.id = m.repository_id
          WHERE r.project_id = ${projectId})
    WHERE project_id = ${projectId}`;
}

/**
 * Throws Forbidden where pushing is turned off, RegistryError for a blob of `bytes` that is too large, LimitReached if `more` bytes do not
 * fit into the quota of the project; what is being sent counts.
 */
export async function requireRoom(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  projectId: number,
  { bytes, more }: { bytes: number; more: number },
): Promise<void> {
  const { containerBlobBytes, quotaBytes } = repositories.limits;
  if (containerBlobBytes === 0) throw new Forbidden('Pushing images is turned off (GANTRY_MAX_CONTAINER_BLOB_BYTES)');
  if (bytes > containerBlobBytes) throw tooLarge(containerBlobBytes);
  if (quotaBytes === Number.POSITIVE_INFINITY) return;
  const [used] = await db.$queryRaw<{ bytes: number }[]>`
    SELECT (c.container_registry_size + (SELECT COALESCE(sum(u.size), 0) FROM container_uploads u
      JOIN container_repositories r ON r.id = u.repository_id WHERE r.project_id = c.project_id))::float8 AS bytes
    FROM project_counters c WHERE c.project_id = ${projectId}`;
  if ((used?.bytes ?? 0) + more > quotaBytes) {
    throw new LimitReached(`the images of the project may take ${quotaBytes} bytes (GANTRY_REPOSITORY_QUOTA_BYTES)`);
  }
}

/** The error for a blob over the limit. */
export function tooLarge(limit: number): RegistryError {
  return new RegistryError('TOO_LARGE', `Blobs can be at most ${limit} bytes (GANTRY_MAX_CONTAINER_BLOB_BYTES)`);
}
