import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type TraceFile, traceFile } from '#src/domain/ci/job_logs/file.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import type { Snapshot } from '#src/platform/database/snapshot.ts';
import { orIfAbsent } from './present.ts';
import type { Sources } from './repositories.ts';

/** How many rows are read at a time. */
const AT_ONCE = 500;

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

interface ArtifactsRow extends UploadLocation {
  id: number;
}

/** Archives the job artifacts in the snapshot: like uploads, each was there before it was recorded, and never changes. */
export async function* archiveArtifacts(sources: Sources, store: UploadStore): AsyncGenerator<Buffer> {
  const { archive, exclusion, known, missing, onStep } = sources;
  let done = 0;
  for await (const place of recordedArtifacts(sources.snapshot)) {
    done += 1;
    onStep(`artifacts ${done}`);
    const path = `artifacts/${place.projectId}/${place.secret}/${place.fileName}`;
    const found = await store.open(place);
    if (found === null) {
      const gone = !(await exclusion.isAlive(place.projectId));
      // Artifacts that expired in the meantime do not count as missing.
      const isKept = gone || (await exclusion.finds(RECORDED, [place.secret]));
      if (isKept) missing.push({ kind: 'artifacts', projectId: place.projectId, path, gone });
      continue;
    }
    try {
      if (!known.take(path, found.size)) yield* archive.add(path, found.size, found.content);
    } finally {
      found.content.destroy();
    }
  }
}

const TRACES = `
  SELECT t.job_id AS id, t.version, t.size::float8 AS size, p.id AS "projectId", p.repository_storage AS "repositoryStorage"
  FROM job_traces t JOIN jobs j ON j.id = t.job_id JOIN projects p ON p.id = j.project_id
  WHERE t.job_id > $1 AND t.size > 0 ORDER BY t.job_id LIMIT $2`;

const ARTIFACTS = `
  SELECT job_id AS id, project_id AS "projectId", secret, file_name AS "fileName" FROM job_artifacts
  WHERE job_id > $1 ORDER BY job_id LIMIT $2`;

const REPORTS = `
  SELECT id, project_id AS "projectId", secret, file_name AS "fileName" FROM job_reports
  WHERE id > $1 ORDER BY id LIMIT $2`;

const RECORDED = `
  SELECT 1 FROM job_artifacts WHERE secret = $1 UNION ALL SELECT 1 FROM job_reports WHERE secret = $1`;

/** Archives and reports alike. */
async function* recordedArtifacts(snapshot: Snapshot): AsyncGenerator<ArtifactsRow> {
  yield* rowsOf<ArtifactsRow>(snapshot, 'job_artifacts', ARTIFACTS);
  yield* rowsOf<ArtifactsRow>(snapshot, 'job_reports', REPORTS);
}

/** All rows of a statement, in batches; none if the table does not exist in an older database. */
export async function* rowsOf<Row extends { id: number }>(
  snapshot: Snapshot,
  table: string,
  statement: string,
): AsyncGenerator<Row> {
  const [known] = await snapshot.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [table]);
  if (!known?.there) return;
  for (let last = 0; ; ) {
    const found = await snapshot.query<Row>(statement, [last, AT_ONCE]);
    yield* found;
    last = found.at(-1)?.id ?? last;
    if (found.length < AT_ONCE) return;
  }
}
