import type { ParsedReport, TestCase } from '#src/domain/ci/reports/junit.ts';

/** The tests of a job's report, or why it cannot be read. */
export interface JobReportTests extends ParsedReport {
  jobId: number;
  jobName: string;
  projectId: number;
}

/** How many tests there are of each kind, and how long they took in seconds. */
export interface TestCounts {
  totalTime: number;
  totalCount: number;
  successCount: number;
  failedCount: number;
  skippedCount: number;
  errorCount: number;
}

/** The tests of a job, or of the parallel ones of a name. */
export interface TestSuite extends TestCounts {
  name: string;
  /** The IDs of the jobs. */
  buildIds: number[];
  /** Why a report of the suite cannot be read. */
  suiteError: string | null;
  testCases: (TestCase & { jobId: number; projectId: number })[];
}

/** The tests of a pipeline. */
export interface TestReport extends TestCounts {
  suiteError: string | null;
  testSuites: TestSuite[];
}

/** Puts the reports of jobs together: a suite for each name of a job, one for all that `parallel` makes of a job. */
export function testReportOf(jobs: readonly JobReportTests[]): TestReport {
  const suites = new Map<string, TestSuite>();
  for (const { jobId, projectId, jobName, cases, error } of jobs) {
    const name = jobName.replace(/ \d+\/\d+$/, '');
    const suite = suites.get(name) ?? { ...NONE, name, buildIds: [], suiteError: null, testCases: [] };
    suites.set(name, suite);
    suite.buildIds.push(jobId);
    suite.suiteError ??= error;
    for (const one of cases) {
      count(suite, one);
      suite.testCases.push({ ...one, jobId, projectId });
    }
  }
  const testSuites = [...suites.values()];
  const total = { ...NONE };
  for (const suite of testSuites) for (const key of KEYS) total[key] += suite[key];
  return { ...total, suiteError: testSuites.find(({ suiteError }) => suiteError)?.suiteError ?? null, testSuites };
}

const NONE: TestCounts = {
  totalTime: 0,
  totalCount: 0,
  successCount: 0,
  failedCount: 0,
  skippedCount: 0,
  errorCount: 0,
};
const KEYS = Object.keys(NONE) as (keyof TestCounts)[];

function count(suite: TestSuite, { status, executionTime }: TestCase): void {
  suite.totalTime += executionTime;
  suite.totalCount += 1;
  suite[`${status}Count`] += 1;
}
