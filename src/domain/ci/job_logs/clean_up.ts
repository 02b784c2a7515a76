import { rm } from 'node:fs/promises';
import type { WithRepositories } from '#src/domain/repository/store.ts';

/** How many directories are looked up per statement. */
const BATCH_SIZE = 500;

/** Removes the logs of deleted projects: a running job may have written after they were removed. */
export async function cleanUpTraces(stores: WithRepositories): Promise<void> {
  for await (const directory of abandonedTraces(stores)) {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The directories of job logs that belong to no project. */
export async function* abandonedTraces({ db, repositories }: WithRepositories): AsyncGenerator<string> {
  let group: { id: number; storage: string; directory: string }[] = [];
  const look = async () => {
    const ids = group.map(({ id }) => id);
    const rows = await db.project.findMany({
      where: { id: { in: ids } },
      select: { id: true, repositoryStorage: true },
    });
    const known = new Set(rows.map(({ id, repositoryStorage }) => `${repositoryStorage} ${id}`));
    return group.filter(({ id, storage }) => !known.has(`${storage} ${id}`)).map(({ directory }) => directory);
  };
  for await (const found of repositories.traceDirectories()) {
    group.push(found);
    if (group.length < BATCH_SIZE) continue;
    yield* await look();
    group = [];
  }
  yield* await look();
}
