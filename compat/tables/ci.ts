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

type('CiJob', 'Job', {
  ...names('allowFailure', 'name', 'status'),
  id: gid('Ci::Build'),
  webPath: name('webPath'),
  duration: of<number>('duration', Math.round),
  failureMessage: name('failureMessage'),
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
    name: name('status'),
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
  jobs: connection('jobs', 'CiJob', { status: ({ statuses }) => statuses?.[0] }),
});
