import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { DetailedStatus } from '#schema/pipelines/detailed_status.ts';
import { secondsBetween } from '#schema/pipelines/seconds.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import '#schema/users/types.ts';
import { VariableType } from '#schema/variables/variable_type.ts';
import {
  type GivenVariable,
  mayReadVariables,
  requireVariablesReader,
} from '#src/domain/ci/pipelines/given_variables.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import { NO_OBJECT } from '#src/git/base/model.ts';

export const JobStatus = builder.enumType('JobStatus', {
  description: 'The state of a job, of a posted commit status, or of a pipeline.',
  values: {
    CREATED: { value: 'created', description: 'Waiting for earlier stages.' },
    PENDING: { value: 'pending', description: 'Waiting for a runner.' },
    RUNNING: { value: 'running', description: 'Being run by a runner.' },
    SUCCESS: { value: 'success', description: 'The job or check finished successfully.' },
    FAILED: { value: 'failed', description: 'The job or check finished with a failure.' },
    CANCELED: { value: 'canceled', description: 'Canceled before it finished.' },
    SKIPPED: { value: 'skipped', description: 'Not run because of the result of an earlier stage.' },
    SCHEDULED: { value: 'scheduled', description: 'Waiting for the time at which it begins.' },
    WAITING_FOR_RESOURCE: {
      value: 'waiting_for_resource',
      description: 'Waiting until no other job of its resource group runs.',
    },
    CANCELING: { value: 'canceling', description: 'Canceled, while its runner still ends it.' },
    MANUAL: { value: 'manual', description: 'Waiting to be started manually.' },
  } as const,
});

export const PipelineSource = builder.enumType('PipelineSource', {
  description: 'What started a pipeline.',
  values: {
    PUSH: { value: 'push', description: 'Started by a push.' },
    API: { value: 'api', description: 'Started through the API.' },
    TRIGGER: { value: 'trigger', description: 'Started by a trigger token.' },
    MERGE_REQUEST_EVENT: { value: 'merge_request_event', description: 'Started for a merge request.' },
    SCHEDULE: { value: 'schedule', description: 'Started at a time of a schedule, or by playing it.' },
    PIPELINE: { value: 'pipeline', description: 'Started by a job of another project.' },
    PARENT_PIPELINE: {
      value: 'parent_pipeline',
      description: 'Started by a job of another pipeline, of which it is a part.',
    },
    EXTERNAL: { value: 'external', description: 'Created by a status that an external system posted.' },
  } as const,
});

export const PipelineVariable = builder.objectRef<GivenVariable>('PipelineVariable').implement({
  description: 'A variable that a pipeline is given when it is created.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name of the variable.' }),
    value: t.exposeString('value', { description: 'The text that jobs get under that name.' }),
    type: t.field({
      type: VariableType,
      description: 'How jobs get the value.',
      resolve: ({ isFile }) => (isFile ? 'file' : 'env_var'),
    }),
    isRaw: t.exposeBoolean('raw', { description: 'Whether variables in the value stay as they are.' }),
  }),
});

export const Pipeline = builder.prismaObject('Pipeline', {
  description: 'The jobs and posted statuses for one commit on one branch or tag.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the pipeline, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Pipeline', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the pipeline, as the REST API uses it.' }),
    iid: t.exposeInt('iid', { description: 'Number of the pipeline within its project.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Name of the pipeline, from its `.gitlab-ci.yml` or given by a user; null without one.',
    }),
    webUrl: t.string({
      description: 'URL of the page of the pipeline.',
      select: { id: true, projectFullPath: true },
      resolve: ({ id, projectFullPath }, _args, { baseUrl }) => baseUrl + pagePath(projectFullPath, 'pipelines', id),
    }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    ref: t.exposeString('ref', {
      description:
        'Name of the branch or tag, without `refs/`; `refs/merge-requests/<iid>/head` for a merge request within the project.',
    }),
    tag: t.exposeBoolean('tag', { description: 'Whether the ref is a tag.' }),
    sha: t.exposeString('sha', { description: 'Full hash of the commit; see also `commit`.' }),
    beforeSha: t.string({
      description: 'Hash that the ref pointed to before the push; 40 zeros if the ref is new.',
      select: { beforeSha: true },
      resolve: ({ beforeSha }) => beforeSha ?? NO_OBJECT,
    }),
    status: t.expose('status', {
      type: JobStatus,
      description: 'Status of the pipeline, derived from its jobs.',
    }),
    source: t.field({
      type: PipelineSource,
      description: 'What started the pipeline.',
      select: { source: true, mergeRequestId: true },
      resolve: ({ source, mergeRequestId }) =>
        source === 'api' && mergeRequestId !== null ? 'merge_request_event' : source,
    }),
    user: t.relation('user', { description: 'The user who started the pipeline.' }),
    detailedStatus: t.field({
      type: DetailedStatus,
      description: 'The status of the pipeline in words, for people.',
      select: { id: true, projectFullPath: true, status: true },
      resolve: async ({ id, projectFullPath, status }, _args, { loaders }) => {
        const hasWarnings = status === 'success' && (await loaders.pipelineWarnings.load(id));
        return { status, hasWarnings, path: pagePath(projectFullPath, 'pipelines', id) };
      },
    }),
    variables: t.field({
      type: [PipelineVariable],
      description:
        'The variables that the pipeline was given when it was created. For masters, and for developers who started it.',
      select: { id: true, projectId: true, userId: true },
      resolve: async (pipeline, _args, context) => {
        requireVariablesReader(context, await requireProjectBase(context, pipeline.projectId), pipeline);
        return context.loaders.pipelineVariables.load(pipeline.id);
      },
    }),
    variableKeys: t.stringList({
      nullable: true,
      description: 'Names of the variables that the pipeline was given; null for callers who may not read `variables`.',
      select: { id: true, projectId: true, userId: true },
      resolve: async (pipeline, _args, context) => {
        const project = await requireProjectBase(context, pipeline.projectId);
        if (!mayReadVariables(context, project, pipeline)) return null;
        return (await context.loaders.pipelineVariables.load(pipeline.id)).map(({ key }) => key);
      },
    }),
    yamlErrors: t.exposeString('yamlErrors', {
      nullable: true,
      description: 'Errors in `.gitlab-ci.yml`; null if it is valid.',
    }),
    coverage: t.exposeFloat('coverage', {
      nullable: true,
      description: 'Average test coverage of its jobs, in percent; null if none reported any.',
    }),
    duration: t.exposeInt('duration', {
      nullable: true,
      description: 'Seconds during which at least one job was running; null until the pipeline finishes.',
    }),
    queuedDuration: t.int({
      nullable: true,
      description: 'Seconds that the pipeline waited before its first job started; null until then.',
      select: { createdAt: true, startedAt: true },
      resolve: ({ createdAt, startedAt }) => (startedAt === null ? null : secondsBetween(createdAt, startedAt)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the pipeline was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the pipeline last changed.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the first job of the pipeline started; null before that.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last job of the pipeline finished; null before that.',
    }),
    committedAt: t.expose('committedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Committer date of the commit; null if it no longer exists.',
    }),
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The commit; null if it no longer exists or the caller cannot read commits.',
      select: { projectId: true, sha: true },
      resolve: ({ projectId, sha }, _args, { loaders }) => loaders.commit.load({ projectId, sha }),
    }),
  }),
});

export const PipelineConnection = connectionOf('Pipeline', Pipeline);
