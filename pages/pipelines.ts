import { ACTIVE, ciFrame } from '#pages/ci.ts';
import { liveAt } from '#pages/engine/live.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { BOX, needsGraph } from '#pages/needs_graph.ts';
import { inPlace } from '#pages/place.ts';
import {
  CancelJobOnPageDocument,
  CancelPipelineOnPageDocument,
  PipelineListPageDocument,
  PipelinePageDocument,
  PipelinesLiveDocument,
  PipelineVariablesPageDocument,
  PlayJobOnPageDocument,
  RetryJobOnPageDocument,
  RetryPipelineOnPageDocument,
  RunPipelinePageDocument,
  StartPipelineDocument,
  TestReportPageDocument,
  type TestReportPageQuery,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const liveIn = ({ fullPath }: { fullPath: string }) => liveAt(PipelinesLiveDocument, { project: fullPath });

const list = page({
  path: '/:project/-/pipelines',
  operation: PipelineListPageDocument,
  view: 'pipelines/list',
  found: ({ project }) => project,
  title: (project, { t }) => `${t('Pipelines')} · ${project.fullPath}`,
  show: (project, { given }) => ({
    ...ciFrame(project, 'pipelines'),
    pipelines: project.pipelines,
    scope: String(given.scope ?? 'all'),
    isFiltered: ['status', 'ref', 'source', 'username'].some((name) => given[name]),
    live: project.pipelines.nodes.some(({ status }) => ACTIVE.includes(status)) ? liveIn(project) : null,
  }),
});

const pipeline = page({
  path: '/:project/-/pipelines/:id',
  operation: PipelinePageDocument,
  view: 'pipelines/pipeline',
  found: ({ project }) => project?.pipeline && { project, pipeline: project.pipeline },
  title: (found, { t }) => `${t('Pipeline #{id}', { id: found.pipeline.databaseId })} · ${found.project.fullPath}`,
  show: ({ project, pipeline: one }, { given }) => {
    const { nodes, pageInfo } = one.jobs;
    const isWhole = !pageInfo.hasNextPage && !pageInfo.hasPreviousPage;
    return {
      ...ciFrame(project, 'pipelines'),
      pipeline: one,
      stages: [...Map.groupBy(nodes, ({ stage }) => stage)],
      graph: isWhole ? needsGraph([...nodes, ...one.triggerJobs.nodes]) : null,
      showsGraph: given.view === 'graph',
      box: BOX,
      live: ACTIVE.includes(one.status) ? liveIn(project) : null,
    };
  },
  pageSize: 100,
});

type Report = NonNullable<NonNullable<NonNullable<TestReportPageQuery['project']>['pipeline']>['testReport']>;

/** Tests on one page of a report. */
const MAX_TESTS = 200;

/** The tests of a report that are asked for: of one suite or all, the failed ones or all; those that failed first. */
function testsOf({ testSuites }: Report, { suite, failed, from }: Facts['given']) {
  const isFailure = ({ status }: { status: string }) => status === 'FAILED' || status === 'ERROR';
  const all = testSuites
    .filter(({ name }) => suite === undefined || name === suite)
    .flatMap(({ name, testCases }) => testCases.map((one) => ({ ...one, suite: name })));
  const wanted = failed === undefined ? all : all.filter(isFailure);
  const sorted = wanted.toSorted((a, b) => Number(isFailure(b)) - Number(isFailure(a)));
  const start = /^\d{1,7}$/.test(String(from)) ? Number(from) : 0;
  return { tests: sorted.slice(start, start + MAX_TESTS), start, next: start + MAX_TESTS, testCount: sorted.length };
}

const report = page({
  path: '/:project/-/pipelines/:id/test_report',
  operation: TestReportPageDocument,
  view: 'pipelines/test_report',
  found: ({ project }) => {
    const one = project?.pipeline;
    return project && one?.testReport ? { project, pipeline: one, report: one.testReport } : null;
  },
  title: ({ project, pipeline: one }, { t }) =>
    `${t('Tests of pipeline #{id}', { id: one.databaseId })} · ${project.fullPath}`,
  show: ({ project, pipeline: one, report: found }, { given }) => ({
    ...ciFrame(project, 'pipelines'),
    pipeline: one,
    report: found,
    page: MAX_TESTS,
    ...testsOf(found, given),
  }),
});

const variables = page({
  path: '/:project/-/pipelines/:id/variables',
  operation: PipelineVariablesPageDocument,
  view: 'pipelines/variables',
  found: ({ project }) => {
    const one = project?.pipeline;
    return project && one?.variables ? { project, pipeline: one, variables: one.variables } : null;
  },
  title: ({ project, pipeline: one }, { t }) =>
    `${t('Variables of pipeline #{id}', { id: one.databaseId })} · ${project.fullPath}`,
  show: ({ project, ...found }) => ({ ...ciFrame(project, 'pipelines'), ...found }),
  signIn: true,
});

/** Rows of the form for variables, and for inputs, where none are filled in. */
const ROWS = 4;

const run = page({
  path: '/:project/-/pipelines/new',
  operation: RunPipelinePageDocument,
  view: 'pipelines/run',
  found: ({ project }) => (project?.viewerCanCreatePipeline ? project : null),
  title: (project, { t }) => `${t('Run pipeline')} · ${project.fullPath}`,
  show: (project, { given }) => ({
    ...ciFrame(project, 'pipelines'),
    refs: project.repository,
    ref: given.ref === undefined ? project.defaultBranch : String(given.ref),
    rows: ROWS,
  }),
  signIn: true,
});

const textsOf = (value: unknown) => [value ?? []].flat().map(String);

/** The variables and inputs of a pipeline, from the fields in which they stand side by side. Rows without a name say nothing. */
function withVariables(given: Facts['given']): Facts['given'] {
  const [keys, values, types, names, inputs] = ['key', 'value', 'type', 'inputName', 'inputValue'].map((name) =>
    textsOf(given[name]),
  ) as [string[], string[], string[], string[], string[]];
  const variables = keys.flatMap((key, at) => {
    const variableType = types[at] === 'file' ? 'FILE' : 'ENV_VAR';
    return key.trim() === '' ? [] : [{ key: key.trim(), value: values[at] ?? '', variableType }];
  });
  const pairs = names.flatMap((name, at) => (name.trim() === '' ? [] : [[name.trim(), inputs[at] ?? '']]));
  return {
    ...given,
    variables: variables.length > 0 ? variables : undefined,
    inputs: pairs.length > 0 ? Object.fromEntries(pairs) : undefined,
  };
}

const back = (_data: unknown, { given }: Facts) => inPlace(given, 'pipelines', String(given.id));

/** What is done with a job on the page of its pipeline, which is shown again then. */
const jobAt = '/:project/-/pipelines/:pipeline/jobs/:id';
const toPipeline = (_data: unknown, { given }: Facts) => inPlace(given, 'pipelines', String(given.pipeline));
const jobForms = [
  form({
    path: `${jobAt}/play`,
    operation: PlayJobOnPageDocument,
    says: label('The job was started.'),
    goTo: toPipeline,
  }),
  form({
    path: `${jobAt}/retry`,
    operation: RetryJobOnPageDocument,
    says: label('The job runs again.'),
    goTo: toPipeline,
  }),
  form({
    path: `${jobAt}/cancel`,
    operation: CancelJobOnPageDocument,
    says: label('The job was canceled.'),
    goTo: toPipeline,
  }),
];

/** Pipelines with their jobs, reports and variables. */
export const pipelines = [
  list,
  run,
  pipeline,
  report,
  variables,
  form({
    path: '/:project/-/pipelines',
    operation: StartPipelineDocument,
    variables: withVariables,
    says: label('The pipeline was started.'),
    goTo: ({ createPipeline }) =>
      `/${createPipeline?.pipeline.project.fullPath}/-/pipelines/${createPipeline?.pipeline.databaseId}`,
    again: run,
  }),
  form({
    path: '/:project/-/pipelines/:id/retry',
    operation: RetryPipelineOnPageDocument,
    says: label('Jobs of the pipeline run again.'),
    goTo: back,
    again: pipeline,
  }),
  form({
    path: '/:project/-/pipelines/:id/cancel',
    operation: CancelPipelineOnPageDocument,
    says: label('The pipeline was canceled.'),
    goTo: back,
    again: pipeline,
  }),
  ...jobForms,
];
