import { diskUse } from '#src/domain/repository/size.ts';
import type { RepositoryPlace, RepositoryStore } from '#src/domain/repository/store.ts';
import { LimitReached } from '#src/platform/errors.ts';

/** A repository that may have a limit of its own, in bytes on the disk. */
type LimitedPlace = RepositoryPlace & { quotaBytes?: number | undefined };

/**
 * Why a repository has no room for so many more bytes; null if it has. Its size on the disk counts, including unreferenced
 * objects until they are removed.
 */
export async function quotaRefusal(
  repositories: RepositoryStore,
  place: LimitedPlace,
  more: number,
): Promise<string | null> {
  const own = place.quotaBytes ?? Number.POSITIVE_INFINITY;
  const quotaBytes = Math.min(repositories.limits.quotaBytes, own);
  if (quotaBytes === Number.POSITIVE_INFINITY) return null;
  const used = await diskUse(repositories.directory(place));
  if (used + more <= quotaBytes) return null;
  return quotaBytes === own ? `the repository may take ${quotaBytes} bytes` : overQuota(quotaBytes);
}

/** Throws LimitReached for a write that the repository has no room for. */
export async function requireRoom(repositories: RepositoryStore, place: LimitedPlace, more: number): Promise<void> {
  const refusal = await quotaRefusal(repositories, place, more);
  if (refusal !== null) throw new LimitReached(refusal);
}

/** The message for a repository that would exceed its limit. */
export function overQuota(quotaBytes: number): string {
  return `the repository may take ${quotaBytes} bytes (GANTRY_REPOSITORY_QUOTA_BYTES)`;
}
