import type { TraceFile } from '#src/domain/ci/job_logs/file.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** The trace of a job where it is a file, and the bytes of it that count. */
export interface LocatedTrace extends TraceFile {
  /** In bytes. */
  size: number;
  /** In bytes, with those that the limit left out. */
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

/** Those traces of jobs that are files, in one statement. */
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

/** As locateTraces, of one job; null where it has no file. */
export async function locateTrace(
  db: Pick<Db, '$queryRaw'> | Transaction,
  jobId: number,
): Promise<LocatedTrace | null> {
  const [found = null] = await locateTraces(db, [jobId]);
  return found;
}
