import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTraces } from '#src/domain/ci/job_logs/locate.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';

/** How many directories are looked up per statement. */
const BATCH_SIZE = 500;

/** Milliseconds after which an unrecorded file counts as abandoned. */
const ABANDONED = 60 * 60_000;

/**
 * Removes the logs of deleted projects, as a running job may have written after they were removed, and files that no job has: of logs
 * that were replaced or erased, and of a process that died before it recorded what it had written.
 */
export async function cleanUpTraces(stores: WithRepositories): Promise<void> {
  for await (const directory of abandonedTraces(stores)) {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
  for await (const { directory } of stores.repositories.traceDirectories()) {
    for await (const file of unrecordedTraces(stores, directory)) await rm(file, { force: true });
  }
}

/** The files in a directory of job logs that no job has and that are older than an hour, so that no process can still record them. */
export async function* unrecordedTraces(stores: WithRepositories, directory: string): AsyncGenerator<string> {
  for (const folder of await readdir(directory).catch(() => [])) {
    const names = await readdir(path.join(directory, folder)).catch(() => []);
    for (let at = 0; at < names.length; at += BATCH_SIZE) {
      const group = names.slice(at, at + BATCH_SIZE);
      // Asked for after the names were read: a file that came later is in neither.
      const ids = group.map((name) => Number.parseInt(name, 10)).filter((id) => id > 0 && id <= MAX_ID);
      const traces = await locateTraces(stores.db, [...new Set(ids)]);
      const recorded = new Set(traces.map((trace) => traceFile(stores.repositories, trace)));
      for (const file of group.map((name) => path.join(directory, folder, name))) {
        if (!recorded.has(file) && (await isOld(file))) yield file;
      }
    }
  }
}

const MAX_ID = 2 ** 31 - 1;

async function isOld(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found !== null && found.mtimeMs < Date.now() - ABANDONED;
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
