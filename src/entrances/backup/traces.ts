import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type TraceFile, traceFile } from '#src/domain/ci/job_logs/file.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { orIfAbsent } from './present.ts';
import type { Sources } from './repositories.ts';
import { rowsOf } from './rows.ts';

interface TraceRow extends TraceFile {
  id: number;
  projectId: number;
  repositoryStorage: string;
  size: number;
}

/** Archives the job logs at their length in the snapshot: a file only grows, and that much of it was on the disk before. */
export async function* archiveTraces(sources: Sources, repositories: RepositoryStore): AsyncGenerator<Buffer> {
  const { archive, exclusion, known, missing, onStep } = sources;
  const rows = rowsOf<TraceRow>(sources.snapshot, 'job_traces', TRACES);
  let done = 0;
  for await (const { id, version, size, projectId, repositoryStorage } of rows) {
    done += 1;
    onStep(`trace ${done}`);
    const path = `traces/${repositoryStorage}/${projectId}/${id}.${version}.log`;
    const file = traceFile(repositories, { project: { id: projectId, repositoryStorage }, jobId: id, version });
    const there = await stat(file).catch(orIfAbsent(null));
    if (there === null || there.size < size) {
      const gone = !(await exclusion.isAlive(projectId));
      // A log that was erased in the meantime does not count as missing.
      const where = 'SELECT 1 FROM job_traces WHERE job_id = $1 AND version = $2';
      const isKept = gone || (await exclusion.finds(where, [id, version]));
      if (isKept) missing.push({ kind: 'trace', projectId, path, gone });
    } else if (!known.take(path, size)) {
      yield* archive.add(path, size, createReadStream(file, { end: size - 1 }));
    }
  }
}

const TRACES = `
  SELECT t.job_id AS id, t.version, t.size::float8 AS size, p.id AS "projectId", p.repository_storage AS "repositoryStorage"
  FROM job_traces t JOIN jobs j ON j.id = t.job_id JOIN projects p ON p.id = j.project_id
  WHERE t.job_id > $1 AND t.size > 0 ORDER BY t.job_id LIMIT $2`;
