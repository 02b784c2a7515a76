import { ErrorCollector } from '#src/domain/repository/each.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { BRANCH, snippetPlace, withSnippetRepository } from '#src/domain/snippets/repository.ts';
import { Damaged } from '#src/git/base/errors.ts';
import { RefReader } from '#src/git/refs/read.ts';

/** How many snippets are read at once. */
const BATCH_SIZE = 500;

/** Puts into the database what git has and a crash kept from it, of every snippet with a repository. */
export async function reconcileSnippets(stores: WithRepositories): Promise<void> {
  const { db, repositories } = stores;
  const each = new ErrorCollector();
  for (let last = 0; ; ) {
    const rows = await db.snippet.findMany({
      where: { id: { gt: last }, repositoryStorage: { not: null }, repositoryCommit: { not: null } },
      orderBy: { id: 'asc' },
      take: BATCH_SIZE,
      select: { id: true, repositoryStorage: true, repositoryCommit: true },
    });
    await each.run(rows, async ({ id, repositoryStorage, repositoryCommit }) => {
      if (repositoryStorage === null) return;
      const refs = new RefReader(repositories.directory(snippetPlace(id, repositoryStorage)));
      try {
        const tip = await refs.read(`refs/heads/${BRANCH}`);
        // A missing repository was lost: it is made anew of the rows when it is next needed.
        if (tip !== null && tip !== repositoryCommit) await withSnippetRepository(stores, id, async () => undefined);
      } catch (error) {
        // "gantry fsck" reports unreadable repositories: a retry would not help.
        if (!(error instanceof Damaged)) throw error;
        repositories.reportDamage(error);
      }
    });
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) break;
  }
  each.end();
}
