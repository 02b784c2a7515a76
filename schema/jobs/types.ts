import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { JobStatus } from '#schema/pipelines/types.ts';
import { through } from '#schema/records/plugin.ts';
import '#schema/users/types.ts';

const Runner = builder.objectRef<number>('Runner').implement({
  description: 'Who runs jobs.',
  fields: (t) => ({ databaseId: t.int({ description: 'Numeric ID.', resolve: (id) => id }) }),
});

const JobArtifacts = builder.objectRef<{ filename: string; size: number }>('JobArtifacts').implement({
  description: 'Files that a job left.',
  fields: (t) => ({
    filename: t.exposeString('filename', { description: 'What they are called, packed into one.' }),
    size: t.expose('size', { type: 'Long', description: 'Their size in bytes, packed.' }),
  }),
});

const JobWhen = builder.enumType('JobWhen', {
  description: 'After what a job runs.',
  values: {
    ON_SUCCESS: { value: 'on_success', description: 'After all jobs of earlier stages have succeeded.' },
    ON_FAILURE: { value: 'on_failure', description: 'After a job of an earlier stage has failed.' },
    ALWAYS: { value: 'always', description: 'After the jobs of earlier stages, however they ended.' },
    MANUAL: { value: 'manual', description: 'After somebody has started it.' },
  } as const,
});

export const Job = builder.prismaObject('Job', {
  description: 'A job of a pipeline, as `.gitlab-ci.yml` says.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Job', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    name: t.exposeString('name', { description: 'What it is called.' }),
    stage: t.exposeString('stage', { description: 'The stage of the pipeline that it belongs to.' }),
    status: t.expose('status', { type: JobStatus, description: 'How it stands.' }),
    ref: t.string({ description: 'The branch or tag.', ...through('pipeline', 'ref') }),
    tag: t.boolean({ description: 'Whether the ref is a tag.', ...through('pipeline', 'tag') }),
    retried: t.exposeBoolean('retried', { description: 'Whether another job of its name came after it.' }),
    allowFailure: t.exposeBoolean('allowFailure', { description: 'Whether the pipeline may succeed without it.' }),
    when: t.field({
      type: JobWhen,
      description: 'After what the job runs, as `.gitlab-ci.yml` says.',
      select: { when: true },
      resolve: ({ when }) => when as 'on_success',
    }),
    coverage: t.exposeFloat('coverage', {
      nullable: true,
      description: 'How much of the code tests cover, in percent; null where the job does not tell.',
    }),
    environmentName: t.exposeString('environment', {
      nullable: true,
      description: 'Name of the environment to which it deploys.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    queuedAt: t.expose('queuedAt', { type: 'DateTime', nullable: true, description: 'When its turn came.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it started.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it finished.' }),
    erasedAt: t.expose('erasedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When what it printed and left was removed.',
    }),
    user: t.relation('user', { description: 'Who started it.' }),
    runner: t.expose('runnerId', { type: Runner, nullable: true, description: 'Who runs it, or ran it.' }),
    artifactsFile: t.field({
      type: JobArtifacts,
      nullable: true,
      description: 'The files that it left.',
      select: { artifactsFilename: true, artifactsSize: true },
      resolve: ({ artifactsFilename: filename, artifactsSize: size }) =>
        filename === null ? null : { filename, size: Number(size ?? 0) },
    }),
    pipeline: t.relation('pipeline', { description: 'The pipeline that it belongs to.' }),
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The commit; null where it is gone or the caller may not read commits.',
      select: { projectId: true, pipeline: { select: { sha: true } } },
      resolve: ({ projectId, pipeline: { sha } }, _args, { loaders }) => loaders.commit.load({ projectId, sha }),
    }),
    trace: t.string({
      description: 'What it printed; refused with CONTENT_TOO_LARGE where it is larger than 4 MB.',
      resolve: ({ id }, _args, { loaders }) => loaders.trace.load(id),
    }),
  }),
});

export const JobConnection = connectionOf('Job', Job);
