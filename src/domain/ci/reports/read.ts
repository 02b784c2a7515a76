import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { Overrun, ThreadLate, Threads } from '#src/base/thread.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { type ParsedReport, REPORT_LIMITS } from '#src/domain/ci/reports/junit.ts';
import { type JobReportTests, type TestReport, testReportOf } from '#src/domain/ci/reports/test_report.ts';
import type { UploadLocation, WithUploads } from '#src/domain/uploads/store.ts';
import { DomainError } from '#src/platform/errors.ts';
import { currentBudget } from '#src/platform/limits/budget.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** The reports of one pipeline together: how many are read, and how many tests they have. */
const MAX_COUNTS = { reports: 500, cases: 100_000 };
/** How many levels of child pipelines are looked through. */
const MAX_CHILD_LEVELS = 2;

/** Milliseconds of CPU time for a report, and with the wait for a thread. */
const DEADLINE = { cpu: 3_000, all: 20_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const name = import.meta.filename.endsWith('.ts') ? './junit_thread.ts' : './junit_thread.js';
const threads = new Threads<Uint8Array, ParsedReport>(new URL(name, import.meta.url), {
  threads: 1,
  memory: 256,
  milliseconds: DEADLINE.all,
  cpuTime: DEADLINE.cpu,
  idle: 30_000,
});
/** One report at a time; projects take turns. */
const turns = new CallerSemaphore({ concurrency: 1, waitingPerCaller: 1_000, waiting: 5_000, patience: 60_000 });

/** What was read of reports by their secrets; they never change. */
const known = new LRUCache<string, ParsedReport>({ maxSize: 32 * 1024 * 1024, sizeCalculation: charactersOf });

/** The test reports of pipelines that the caller may read: of their current jobs and those of their children, as far as they are kept. */
export async function readTestReports(stores: WithUploads, pipelineIds: readonly number[]): Promise<TestReport[]> {
  const rows = await stores.db.$queryRaw<Row[]>`
    WITH RECURSIVE parts AS (SELECT id AS top, id, 0 AS level FROM unnest(${[...pipelineIds]}::int[]) id
      UNION ALL SELECT parts.top, p.id, parts.level + 1 FROM parts JOIN jobs b ON b.pipeline_id = parts.id AND b.bridge AND NOT b.retried
        JOIN pipelines p ON p.source_job_id = b.id AND p.source = 'parent_pipeline' WHERE parts.level < ${MAX_CHILD_LEVELS})
    SELECT r.secret, r.file_name AS "fileName", r.size::float8 AS size, parts.top AS "pipelineId", j.id AS "jobId",
      j.name AS "jobName", j.project_id AS "projectId"
    FROM parts JOIN jobs j ON j.pipeline_id = parts.id JOIN job_reports r ON r.job_id = j.id
    WHERE NOT j.retried AND NOT j.generic AND r.type = 'junit'
      AND (r.expire_at IS NULL OR r.expire_at > now())
    ORDER BY parts.top, j.id`;
  const reports: TestReport[] = [];
  for (const id of pipelineIds) {
    const own = rows.filter(({ pipelineId }) => pipelineId === id);
    reports.push(testReportOf(await readAll(stores, own)));
  }
  return reports;
}

interface Row extends UploadLocation {
  size: number;
  pipelineId: number;
  jobId: number;
  jobName: string;
}

async function readAll(stores: WithUploads, rows: readonly Row[]): Promise<JobReportTests[]> {
  const found: JobReportTests[] = [];
  let cases = 0;
  for (const [index, row] of rows.entries()) {
    const { jobId, jobName, projectId } = row;
    const isTooMuch = index >= MAX_COUNTS.reports || cases > MAX_COUNTS.cases;
    const report = isTooMuch ? { cases: [], error: TOO_MANY } : await parsed(stores, row);
    cases += report.cases.length;
    currentBudget()?.spendBytes(charactersOf(report));
    found.push({ jobId, jobName, projectId, ...report });
  }
  return found;
}

const TOO_MANY = `The pipeline has more than ${MAX_COUNTS.reports} reports or ${MAX_COUNTS.cases} tests`;

async function parsed({ uploads }: WithUploads, row: Row): Promise<ParsedReport> {
  const there = known.get(row.secret);
  if (there) return there;
  if (row.size > REPORT_LIMITS.bytes) return failure(`JUnit report is larger than ${REPORT_LIMITS.bytes} bytes`);
  const content = await artifactsStore({ uploads }).read(row);
  if (content === null) return failure('JUnit report is missing');
  const packed = await buffer(content);
  try {
    const report = await turns.run(`project ${row.projectId}`, () => threads.run(packed));
    known.set(row.secret, report);
    return report;
  } catch (error) {
    if (error instanceof Overrun) return failure('JUnit report takes too long to read');
    if (error instanceof ThreadLate || error instanceof DomainError) return failure('The server is busy. Try again.');
    throw error;
  }
}

function failure(error: string): ParsedReport {
  return { cases: [], error };
}

/** About how much memory a report takes. */
function charactersOf({ cases }: ParsedReport): number {
  return cases.reduce(
    (sum, { name: title, systemOutput, classname, file }) =>
      sum + 100 + title.length + (systemOutput?.length ?? 0) + (classname?.length ?? 0) + (file?.length ?? 0),
    100,
  );
}
