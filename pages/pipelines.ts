import { ansiToHtml } from '#pages/engine/ansi.ts';
import { liveAt } from '#pages/engine/live.ts';
import { type Facts, form, page, type Row } from '#pages/engine/row.ts';
import {
  CancelJobOnPageDocument,
  CancelPipelineOnPageDocument,
  EraseJobOnPageDocument,
  JobListPageDocument,
  JobLogLiveDocument,
  JobPageDocument,
  PipelineListPageDocument,
  PipelinePageDocument,
  PipelinesLiveDocument,
  PlayJobOnPageDocument,
  RetryJobOnPageDocument,
  RetryPipelineOnPageDocument,
  StartPipelineDocument,
} from '#src/generated/page_operations.ts';

/** The states in which a pipeline or job can still change by itself. */
const ACTIVE = ['CREATED', 'PENDING', 'RUNNING', 'SCHEDULED', 'WAITING_FOR_RESOURCE'];

const liveIn = ({ fullPath }: { fullPath: string }) => liveAt(PipelinesLiveDocument, { project: fullPath });

const list = page({
  path: '/:project/-/pipelines',
  operation: PipelineListPageDocument,
  view: 'pipelines/list',
  found: ({ project }) => project,
  title: (project) => `Pipelines · ${project.fullPath}`,
  show: (project, { given }) => ({
    project,
    tab: 'pipelines',
    pipelines: project.pipelines,
    scope: given.scope ?? 'all',
    live: project.pipelines.nodes.some(({ status }) => ACTIVE.includes(status)) ? liveIn(project) : null,
  }),
});

const pipeline = page({
  path: '/:project/-/pipelines/:id',
  operation: PipelinePageDocument,
  view: 'pipelines/pipeline',
  found: ({ project }) => project?.pipeline && { project, pipeline: project.pipeline },
  title: (found) => `Pipeline #${found.pipeline.databaseId} · ${found.project.fullPath}`,
  show: ({ project, pipeline: one }) => ({
    project,
    tab: 'pipelines',
    pipeline: one,
    stages: [...Map.groupBy(one.jobs.nodes.toReversed(), ({ stage }) => stage)],
    live: ACTIVE.includes(one.status) ? liveIn(project) : null,
  }),
});

const job = page({
  path: '/:project/-/jobs/:id',
  operation: JobPageDocument,
  view: 'pipelines/job',
  found: ({ project }) => project?.job && { project, job: project.job },
  title: (found) => `${found.job.name} (#${found.job.databaseId}) · ${found.project.fullPath}`,
  show: ({ project, job: one }) => ({
    project,
    tab: 'pipelines',
    job: one,
    log: ansiToHtml(one.traceTail),
    live: ACTIVE.includes(one.status) ? liveAt(JobLogLiveDocument, { job: one.id }) : null,
  }),
});

const backTo =
  (resource: string) =>
  (_data: unknown, { given }: Facts) =>
    `/${given.project}/-/${resource}/${given.id}`;

/** Pipelines and their jobs. */
export const pipelines: Row[] = [
  list,
  pipeline,
  page({
    path: '/:project/-/jobs',
    operation: JobListPageDocument,
    view: 'pipelines/jobs',
    found: ({ project }) => project,
    title: (project) => `Jobs · ${project.fullPath}`,
    show: (project) => ({ project, tab: 'pipelines', jobs: project.jobs }),
  }),
  job,
  form({
    path: '/:project/-/pipelines',
    operation: StartPipelineDocument,
    goTo: ({ createPipeline }) =>
      `/${createPipeline?.pipeline.project.fullPath}/-/pipelines/${createPipeline?.pipeline.databaseId}`,
    again: list,
  }),
  form({
    path: '/:project/-/pipelines/:id/retry',
    operation: RetryPipelineOnPageDocument,
    goTo: backTo('pipelines'),
    again: pipeline,
  }),
  form({
    path: '/:project/-/pipelines/:id/cancel',
    operation: CancelPipelineOnPageDocument,
    goTo: backTo('pipelines'),
    again: pipeline,
  }),
  form({ path: '/:project/-/jobs/:id/play', operation: PlayJobOnPageDocument, goTo: backTo('jobs'), again: job }),
  form({
    path: '/:project/-/jobs/:id/retry',
    operation: RetryJobOnPageDocument,
    goTo: ({ retryJob }, { given }) => `/${given.project}/-/jobs/${retryJob?.job.databaseId}`,
    again: job,
  }),
  form({ path: '/:project/-/jobs/:id/cancel', operation: CancelJobOnPageDocument, goTo: backTo('jobs'), again: job }),
  form({ path: '/:project/-/jobs/:id/erase', operation: EraseJobOnPageDocument, goTo: backTo('jobs'), again: job }),
];
