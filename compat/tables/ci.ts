import { from, gid, name, names, object, of, same, type } from '#compat/engine/entries.ts';
import { connection, listing } from '#compat/engine/pages.ts';
import type { Row } from '#compat/engine/table.ts';
import { lowerCase, text, time } from '#compat/tables/values.ts';

type('Pipeline', 'Pipeline', {
  ...names('coverage', 'duration', 'name', 'ref', 'sha', 'status'),
  id: gid('Ci::Pipeline'),
  iid: text('iid'),
  path: name('webPath'),
  source: lowerCase('source'),
  yamlErrors: from<Row>('yamlErrors', ({ yamlErrors }) => yamlErrors !== null),
  createdAt: time('createdAt'),
  startedAt: time('startedAt'),
  finishedAt: time('finishedAt'),
  detailedStatus: object('detailedStatus', 'DetailedStatus'),
  project: object('project', 'Project'),
  user: object('user', 'UserCore'),
  jobs: connection('jobs', 'CiJob'),
  stages: listing(
    {
      select: (site, inside) => [
        site.call('jobs', JOBS, [site.call('nodes', null, [site.call('stage'), site.call('status'), ...inside])]),
      ],
      items: (row, site) => {
        const jobs = row[site.keyOf('jobs', JOBS)] as { nodes: Row[] } | null;
        const stages = Map.groupBy(jobs?.nodes ?? [], ({ stage }) => String(stage));
        return [...stages].map(([stage, all]) => ({ stage, jobs: all }));
      },
    },
    'CiStage/Pipeline',
  ),
});

/** Jobs in the order of their stages. */
const JOBS = { first: () => 100, sort: () => 'ASC' };

/** The state of a stage by those of its jobs, the first that one of them has. */
const STAGE_STATES = [
  'FAILED',
  'RUNNING',
  'PENDING',
  'CREATED',
  'WAITING_FOR_RESOURCE',
  'SCHEDULED',
  'CANCELING',
  'CANCELED',
  'MANUAL',
  'SUCCESS',
  'SKIPPED',
];

export function stageStatus(jobs: readonly Row[]): string {
  const states = jobs
    .filter(({ status, allowFailure }) => !(status === 'FAILED' && allowFailure))
    .map(({ status }) => status);
  return (STAGE_STATES.find((state) => states.includes(state)) ?? 'SUCCESS').toLowerCase();
}

type(
  'CiStage',
  'Job',
  {
    name: { select: () => [], shape: () => (row) => row.stage },
    status: {
      select: (site) => [site.call('status'), site.call('allowFailure')],
      shape: () => (row) => stageStatus(row.jobs as Row[]),
    },
    jobs: listing({ select: (_site, inside) => inside, items: (row) => row.jobs as Row[] }, 'CiJob'),
  },
  'Pipeline',
);

/** The stage of a job, with that job. */
type(
  'CiStage',
  'Job',
  {
    name: name('stage'),
    status: from<Row>('status allowFailure', (job) => stageStatus([job])),
    jobs: listing({ select: (_site, inside) => inside, items: (row) => [row] }, 'CiJob'),
  },
  'Job',
);

/** Why jobs fail, in sentences. */
const FAILURES: Readonly<Record<string, string>> = {
  CHILD_PIPELINES_TOO_DEEP: 'Child pipelines cannot start further child pipelines.',
  DATA_INTEGRITY: 'The data of the job is damaged.',
  DOWNSTREAM_PIPELINE_CREATION_FAILED: 'The downstream pipeline could not be created.',
  DOWNSTREAM_PROJECT_NOT_FOUND: 'The downstream project was not found.',
  IMAGE_PULL: 'The image of the job could not be pulled.',
  INSUFFICIENT_DOWNSTREAM_PERMISSIONS: 'The user may not start a pipeline in the downstream project.',
  MISSING_DEPENDENCY: 'Artifacts that the job needs are missing.',
  PIPELINE_LOOP: 'The pipelines would start each other in a circle.',
  RUNNER_CONFIGURATION: 'The configuration of the runner does not fit the job.',
  RUNNER_DEPENDENCY: 'The runner could not get what the job depends on.',
  RUNNER_INTERRUPTED: 'The runner was interrupted.',
  RUNNER_SYSTEM: 'The runner failed.',
  RUNNER_UNSUPPORTED: 'The runner is too old for what the job needs.',
  SCRIPT: 'The script failed.',
  STUCK: 'No runner took the job in time.',
  TIMEOUT: 'The job ran longer than it may.',
  TOO_MANY_PIPELINES: 'There are too many downstream pipelines.',
  UNKNOWN: 'The job failed for an unknown reason.',
  UNMET_PREREQUISITES: 'What the job requires is not there.',
};

type('CiJob', 'Job', {
  ...names('allowFailure', 'name', 'status'),
  id: gid('Ci::Build'),
  webPath: name('webPath'),
  duration: of<number>('duration', Math.round),
  failureMessage: of<string>('failureReason', (reason) => FAILURES[reason] ?? FAILURES.UNKNOWN),
  createdAt: time('createdAt'),
  finishedAt: time('finishedAt'),
  detailedStatus: same('DetailedStatus/Job'),
  pipeline: object('pipeline', 'Pipeline'),
  stage: same('CiStage/Job'),
  artifacts: listing(
    { select: (site, inside) => [site.call('files', null, inside)], items: (row) => row.files as Row[] },
    'CiJobArtifact',
  ),
});

const STATUS_LABELS: Readonly<Record<string, string>> = {
  SUCCESS: 'passed',
  MANUAL: 'manual action',
  SCHEDULED: 'delayed',
  WAITING_FOR_RESOURCE: 'waiting for resource',
};
const labelOf = (status: unknown) => STATUS_LABELS[String(status)] ?? String(status).toLowerCase();

type(
  'DetailedStatus',
  'Job',
  {
    detailsPath: name('webPath'),
    label: of('status', labelOf),
    text: of('status', labelOf),
    name: of('status', String),
  },
  'Job',
);

type('DetailedStatus', 'DetailedStatus', {
  ...names('detailsPath', 'label', 'text'),
  name: of<string>('group', (group) => group.toUpperCase().replaceAll('-', '_')),
});

type('CiJobArtifact', 'JobFile', {
  fileType: of<string>('type', (kind) => kind.toUpperCase()),
  name: name('filename'),
  size: text('size'),
});

/** States in which no job is here. */
const NEVER = new Set(['PREPARING', 'WAITING_FOR_CALLBACK']);

/** States to filter by, of those that there are; without any that was given, all. */
function known(states: readonly string[] | null | undefined): string[] | undefined {
  return states?.length ? states.filter((state) => !NEVER.has(state)) : undefined;
}

type('CiRunner', 'Runner', {
  ...names(
    'accessLevel',
    'description',
    'locked',
    'maximumTimeout',
    'paused',
    'runUntagged',
    'runnerType',
    'status',
    'tagList',
  ),
  id: gid('Ci::Runner'),
  contactedAt: time('contactedAt'),
  createdAt: time('createdAt'),
  ephemeralAuthenticationToken: {
    select: () => [],
    shape:
      () =>
      ({ token }) =>
        token,
  },
  jobCount: from<{ _jobs: Row | null }>('_jobs: jobs(first: 0) { totalCount }', ({ _jobs }) => _jobs?.totalCount),
  jobExecutionStatus: of('jobExecutionStatus', (status) => (status === 'ACTIVE' ? 'RUNNING' : 'IDLE')),
  jobs: connection('jobs', 'CiJob', { statuses: ({ statuses }) => known(statuses) }),
});
