import type { TraceFile } from '#src/domain/ci/job_logs/file.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** The file of a job log, and how many of its bytes are valid. */
export interface LocatedTrace extends TraceFile {
  /** In bytes. */
  size: number;
  /** In bytes, including those beyond the limit. */
  received: number;
}

interface Row {
  jobId: number;
  version: number;
  size: number;
  received: number;
  projectId: number;
  repositoryStorage: string;
}

/** Locates the logs of jobs that are files, in one statement. */
export async function locateTraces(
  db: Pick<Db, '$queryRaw'> | Transaction,
  jobIds: readonly number[],
): Promise<LocatedTrace[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT t.job_id AS "jobId", t.version, t.size::float8 AS size, t.received::float8 AS received,
      p.id AS "projectId", p.repository_storage AS "repositoryStorage"
    FROM job_traces t JOIN jobs j ON j.id = t.job_id JOIN projects p ON p.id = j.project_id
    WHERE t.job_id = ANY(${[...jobIds]}::int[])`;
  return rows.map(({ projectId, repositoryStorage, ...row }) => ({
    ...row,
    project: { id: projectId, repositoryStorage },
  }));
}

/** Like locateTraces, for one job; null if it has no file. */
export async function locateTrace(
  db: Pick<Db, '$queryRaw'> | Transaction,
  jobId: number,
): Promise<LocatedTrace | null> {
  const [found = null] = await locateTraces(db, [jobId]);
  return found;
}
