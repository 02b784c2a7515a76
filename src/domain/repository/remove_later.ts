import { ErrorCollector } from '#src/domain/repository/each.ts';
import { lockOwner, withNobodyInside } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes the repositories of snippets and groups that were deleted. */
    'repositories.remove': Record<string, never>;
  }
}

/** How many repositories are removed in a row. */
const BATCH_SIZE = 200;

/**
 * Removes the repositories of snippets and groups that were deleted, which triggers of the database remember, whatever deleted them.
 * Throws AggregateError at the end if some could not be removed.
 */
export async function removeRepositories({ db, repositories }: WithRepositories): Promise<void> {
  const each = new ErrorCollector();
  for (let last = 0; ; ) {
    const rows = await db.removedRepository.findMany({
      where: { id: { gt: last } },
      orderBy: { id: 'asc' },
      take: BATCH_SIZE,
    });
    await each.run(rows, async ({ id, owner, ownerId, repositoryStorage, wiki }) => {
      const place: RepositoryPlace = { id: ownerId, repositoryStorage, wiki, owner: ownerOf(owner) };
      await withNobodyInside(db, lockOwner(place), () => repositories.remove(place));
      await db.removedRepository.deleteMany({ where: { id } });
    });
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) break;
  }
  each.end();
}

function ownerOf(owner: string): 'snippet' | 'group' {
  if (owner === 'snippet' || owner === 'group') return owner;
  throw new Error(`There is no owner of repositories "${owner}"`);
}
