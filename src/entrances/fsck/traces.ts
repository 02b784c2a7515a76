import { rm, stat } from 'node:fs/promises';
import { abandonedTraces, unrecordedTraces } from '#src/domain/ci/job_logs/clean_up.ts';
import { traceFile } from '#src/domain/ci/job_logs/file.ts';
import { locateTraces } from '#src/domain/ci/job_logs/locate.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { type CheckedProject, FIX } from '#src/entrances/fsck/repository.ts';

/** How many rows are read at once. */
const BATCH_SIZE = 500;

/** Finds job logs whose files are missing or too short, and files of erased logs. */
export async function* checkTraces(
  stores: WithRepositories,
  project: CheckedProject,
  fix: boolean,
): AsyncGenerator<Finding> {
  const { db, repositories } = stores;
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
      const found = await stat(file).catch(() => null);
      if (trace.size === 0 || (found !== null && found.size >= trace.size)) continue;
      const what = `The trace of job ${trace.jobId} is ${found === null ? 'missing' : 'cut short'}.`;
      yield { project: project.fullPath, place: file, what, advice: 'Restore it from a backup, or retry the job.' };
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) break;
  }
  for await (const file of unrecordedTraces(stores, repositories.traces(project))) {
    if (fix) await rm(file, { force: true });
    yield leftover(
      file,
      project.fullPath,
      'A trace was replaced, erased or never recorded, and left this. Nothing was lost.',
      fix,
    );
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
