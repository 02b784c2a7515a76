import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { abandonedTraces } from '#src/domain/ci/job_logs/clean_up.ts';
import { traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTraces } from '#src/domain/ci/job_logs/locate.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { type CheckedProject, FIX } from '#src/entrances/fsck/repository.ts';

/** How many rows are read at once. */
const BATCH_SIZE = 500;
/** Milliseconds after which an unrecorded file counts as abandoned. */
const ABANDONED = 60 * 60_000;

/** Finds job logs whose files are missing or too short, and files of erased logs. */
export async function* checkTraces(
  stores: WithRepositories,
  project: CheckedProject,
  fix: boolean,
): AsyncGenerator<Finding> {
  const { db, repositories } = stores;
  const expected = new Set<string>();
  for (let last = 0; ; ) {
    const rows = await db.job.findMany({
      where: { projectId: project.id, id: { gt: last }, traceFile: { isNot: null } },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: BATCH_SIZE,
    });
    const traces = await locateTraces(
      db,
      rows.map(({ id }) => id),
    );
    for (const trace of traces) {
      const file = traceFile(repositories, trace);
      expected.add(file);
      const found = await stat(file).catch(() => null);
      if (trace.size === 0 || (found !== null && found.size >= trace.size)) continue;
      const what = `The trace of job ${trace.jobId} is ${found === null ? 'missing' : 'cut short'}.`;
      yield { project: project.fullPath, place: file, what, advice: 'Restore it from a backup, or retry the job.' };
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) break;
  }
  for await (const file of oldFiles(repositories.traces(project))) {
    if (expected.has(file)) continue;
    if (fix) await rm(file, { force: true });
    yield leftover(file, project.fullPath, 'A trace was replaced or erased and left this. Nothing was lost.', fix);
  }
}

/** Finds directories of logs of deleted projects. */
export async function* checkAbandonedTraces(stores: WithRepositories, fix: boolean): AsyncGenerator<Finding> {
  for await (const directory of abandonedTraces(stores)) {
    if (fix) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    yield leftover(directory, null, 'The project of these traces is gone. Nothing was lost.', fix);
  }
}

function leftover(place: string, project: string | null, what: string, fix: boolean): Finding {
  return { project, place, what, advice: FIX, isHarmless: true, isFixed: fix };
}

/** Files below a directory that are old enough not to be in use by an upload. */
async function* oldFiles(directory: string): AsyncGenerator<string> {
  for (const folder of await readdir(directory).catch(() => [])) {
    for (const name of await readdir(path.join(directory, folder)).catch(() => [])) {
      const file = path.join(directory, folder, name);
      const found = await stat(file).catch(() => null);
      if (found !== null && found.mtimeMs < Date.now() - ABANDONED) yield file;
    }
  }
}
