import { builder } from '#schema/builder.ts';
import { Pipeline } from '#schema/pipelines/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import type { TEST_STATUSES, TestCase as TestCaseOfReport } from '#src/domain/ci/reports/junit.ts';
import type {
  TestSuite as JobTests,
  TestReport as PipelineTests,
  TestCounts,
} from '#src/domain/ci/reports/test_report.ts';

const TestStatus = builder.enumType('TestStatus', {
  description: 'How a test of a report ended.',
  values: {
    SUCCESS: { value: 'success', description: 'The test passed without a failure.' },
    FAILED: { value: 'failed', description: 'What the test checks does not hold.' },
    SKIPPED: { value: 'skipped', description: 'The test was not run.' },
    ERROR: { value: 'error', description: 'The test could not be run to its end.' },
  } satisfies Record<string, { value: (typeof TEST_STATUSES)[number]; description: string }>,
});

export const TestCase = builder
  .objectRef<TestCaseOfReport & { jobId: number; projectId: number }>('TestCase')
  .implement({
    description: 'One test in a report of a job.',
    fields: (t) => ({
      status: t.expose('status', { type: TestStatus, description: 'How the test ended.' }),
      name: t.exposeString('name', { description: 'Name of the test in the report.' }),
      classname: t.exposeString('classname', {
        nullable: true,
        description: 'Class or group of the test; null if the report has none.',
      }),
      file: t.exposeString('file', {
        nullable: true,
        description: 'Path of the file that the test is in; null if the report has none.',
      }),
      executionTime: t.exposeFloat('executionTime', { description: 'How long the test took, in seconds.' }),
      systemOutput: t.exposeString('systemOutput', {
        nullable: true,
        description: 'What the test printed when it failed, or why it was skipped; null without.',
      }),
      attachmentUrl: t.string({
        nullable: true,
        description: 'URL of a file in the artifacts of the job that shows more, such as a picture; null without.',
        resolve: ({ attachment, jobId, projectId }, _args, { baseUrl }) =>
          attachment &&
          `${baseUrl}/api/v4/projects/${projectId}/jobs/${jobId}/artifacts/${attachment.split('/').map(encodeURIComponent).join('/')}`,
      }),
      jobId: t.exposeInt('jobId', { description: 'Numeric ID of the job that ran the test.' }),
    }),
  });

const TestSuite = builder.objectRef<JobTests>('TestSuite').implement({
  description: 'The tests of a job, or of all parallel ones of a name.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the job, without the number of a parallel one.' }),
    buildIds: t.exposeIntList('buildIds', { description: 'Numeric IDs of the jobs whose reports these are.' }),
    totalTime: t.exposeFloat('totalTime', { description: 'How long the tests took together, in seconds.' }),
    totalCount: t.exposeInt('totalCount', { description: 'Number of all tests of the suite.' }),
    successCount: t.exposeInt('successCount', { description: 'Number of tests that passed.' }),
    failedCount: t.exposeInt('failedCount', { description: 'Number of tests that failed.' }),
    skippedCount: t.exposeInt('skippedCount', { description: 'Number of tests that were skipped.' }),
    errorCount: t.exposeInt('errorCount', { description: 'Number of tests that ended with an error.' }),
    suiteError: t.exposeString('suiteError', {
      nullable: true,
      description: 'Why a report of the suite cannot be read; null if all can.',
    }),
    testCases: t.expose('testCases', {
      type: [TestCase],
      description: 'The tests in the order of the reports.',
    }),
  }),
});

const TestTotals = builder.objectRef<TestCounts & { suiteError: string | null }>('TestTotals').implement({
  description: 'How many tests there are of each kind.',
  fields: (t) => ({
    time: t.exposeFloat('totalTime', { description: 'How long the tests took together, in seconds.' }),
    count: t.exposeInt('totalCount', { description: 'Number of all tests of the pipeline.' }),
    success: t.exposeInt('successCount', { description: 'Number of tests that passed.' }),
    failed: t.exposeInt('failedCount', { description: 'Number of tests that failed.' }),
    skipped: t.exposeInt('skippedCount', { description: 'Number of tests that were skipped.' }),
    error: t.exposeInt('errorCount', { description: 'Number of tests that ended with an error.' }),
    suiteError: t.exposeString('suiteError', {
      nullable: true,
      description: 'Why one of the reports cannot be read; null if all can.',
    }),
  }),
});

const TestReport = builder.objectRef<PipelineTests>('TestReport').implement({
  description: 'The tests that the jobs of a pipeline reported as `artifacts:reports:junit`.',
  fields: (t) => ({
    total: t.field({
      type: TestTotals,
      description: 'Counts and time of all tests together.',
      resolve: (report) => report,
    }),
    testSuites: t.expose('testSuites', {
      type: [TestSuite],
      description: 'One suite for each name of a job, in the order of the jobs.',
    }),
  }),
});

builder.prismaObjectFields(Pipeline, (t) => ({
  testReport: t.field({
    type: TestReport,
    description: 'The tests that the current jobs of the pipeline and its children reported; empty without reports.',
    select: { id: true, projectId: true },
    resolve: async ({ id, projectId }, _args, context) => {
      authorize(context.actor, 'read_job_output', await requireProjectBase(context, projectId));
      return context.loaders.testReport.load(id);
    },
  }),
}));
