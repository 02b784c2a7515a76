import { ErrorCollector } from '#src/domain/repository/each.ts';
import { objectsSize, repositorySize } from '#src/domain/repository/size.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How many repositories one run of the job measures that were never measured. */
const MAX_MEASURED = 5_000;

/** Records the size of the repository of a wiki or snippet, in bytes; that of a wiki unless it was measured a moment ago. */
export async function recordSideSize(
  db: Pick<Db, '$executeRaw'>,
  { repositories }: Pick<WithRepositories, 'repositories'>,
  place: RepositoryPlace,
): Promise<void> {
  const { id, owner } = place;
  const directory = repositories.directory(place);
  const size = await (owner === 'snippet' ? objectsSize(directory) : repositorySize(directory));
  if (size === null) return;
  if (owner === 'snippet') {
    await db.$executeRaw`
      UPDATE snippets SET repository_size = ${size} WHERE id = ${id} AND repository_size IS DISTINCT FROM ${size}`;
  } else if (owner === 'group') {
    await db.$executeRaw`UPDATE namespaces SET wiki_size = ${size} WHERE id = ${id} AND wiki_size <> ${size}`;
  } else {
    await db.$executeRaw`
      UPDATE project_counters SET wiki_size = ${size} WHERE project_id = ${id} AND wiki_size IS DISTINCT FROM ${size}`;
  }
}

/** Measures wikis and snippets that come from versions that recorded no sizes of them, some at a time. */
export async function measureSides(stores: WithRepositories): Promise<void> {
  const places = await stores.db.$queryRaw<RepositoryPlace[]>`
    (SELECT p.id, p.repository_storage AS "repositoryStorage", NULL AS owner, true AS wiki
      FROM project_counters c JOIN projects p ON p.id = c.project_id WHERE c.wiki_size IS NULL ORDER BY p.id LIMIT ${MAX_MEASURED})
    UNION ALL (SELECT id, repository_storage, 'snippet', false FROM snippets
      WHERE repository_size IS NULL AND repository_storage IS NOT NULL ORDER BY id LIMIT ${MAX_MEASURED})`;
  const each = new ErrorCollector();
  await each.run(places, ({ owner, ...place }) =>
    recordSideSize(stores.db, stores, { ...place, owner: owner ?? undefined }),
  );
  each.end();
}
