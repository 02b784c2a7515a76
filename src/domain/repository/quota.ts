import { diskUse } from '#src/domain/repository/size.ts';
import type { RepositoryPlace, RepositoryStore } from '#src/domain/repository/store.ts';
import { LimitReached } from '#src/platform/errors.ts';

/**
 * Why a repository has no room for so many more bytes; null if it has. Its size on the disk counts, including unreferenced
 * objects until they are removed.
 */
export async function quotaRefusal(
  repositories: RepositoryStore,
  place: RepositoryPlace,
  more: number,
): Promise<string | null> {
  const { quotaBytes } = repositories.limits;
  if (quotaBytes === Number.POSITIVE_INFINITY) return null;
  const used = await diskUse(repositories.directory(place));
  return used + more > quotaBytes ? overQuota(quotaBytes) : null;
}

/** Throws LimitReached for a write that the repository has no room for. */
export async function requireRoom(repositories: RepositoryStore, place: RepositoryPlace, more: number): Promise<void> {
  const refusal = await quotaRefusal(repositories, place, more);
  if (refusal !== null) throw new LimitReached(refusal);
}

/** The message for a repository that would exceed its limit. */
export function overQuota(quotaBytes: number): string {
  return `the repository may take ${quotaBytes} bytes (GANTRY_REPOSITORY_QUOTA_BYTES)`;
}
