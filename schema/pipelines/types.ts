import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import '#schema/users/types.ts';
import { NO_OBJECT } from '#src/git/model.ts';

export const JobStatus = builder.enumType('JobStatus', {
  description: 'State of a job, of a posted commit status, or of a pipeline.',
  values: {
    CREATED: { value: 'created', description: 'Waits for what comes before it.' },
    PENDING: { value: 'pending', description: 'Waits for somebody who runs it.' },
    RUNNING: { value: 'running', description: 'Is being run.' },
    SUCCESS: { value: 'success', description: 'Has succeeded.' },
    FAILED: { value: 'failed', description: 'Has failed.' },
    CANCELED: { value: 'canceled', description: 'Was canceled.' },
    SKIPPED: { value: 'skipped', description: 'Was not run, because of what came before it.' },
    MANUAL: { value: 'manual', description: 'Waits for somebody who starts it.' },
  } as const,
});

const PipelineSource = builder.enumType('PipelineSource', {
  description: 'How a pipeline came about.',
  values: {
    PUSH: { value: 'push', description: 'By a push to its ref.' },
    API: { value: 'api', description: 'Somebody asked for it.' },
    TRIGGER: { value: 'trigger', description: 'By the token of a trigger.' },
    EXTERNAL: { value: 'external', description: 'By the first status that was posted.' },
  } as const,
});

export const Pipeline = builder.prismaObject('Pipeline', {
  description: 'What is done with one commit for one ref; its status follows from its jobs and posted statuses.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Pipeline', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    ref: t.exposeString('ref', { description: 'The branch or tag.' }),
    tag: t.exposeBoolean('tag', { description: 'Whether the ref is a tag.' }),
    sha: t.exposeString('sha', { description: 'Hash of the commit.' }),
    beforeSha: t.string({
      description: 'What the ref held before the push; 40 zeros when there was none.',
      select: { beforeSha: true },
      resolve: ({ beforeSha }) => beforeSha ?? NO_OBJECT,
    }),
    status: t.expose('status', { type: JobStatus, description: 'How it stands.' }),
    source: t.expose('source', { type: PipelineSource, description: 'How it came about.' }),
    user: t.relation('user', { description: 'Who started it.' }),
    yamlErrors: t.exposeString('yamlErrors', {
      nullable: true,
      description: 'Why no jobs could be made of `.gitlab-ci.yml`; null where they could.',
    }),
    coverage: t.exposeFloat('coverage', {
      nullable: true,
      description: 'How much of the code tests cover, in percent: the mean over its jobs; null where none tells.',
    }),
    duration: t.exposeInt('duration', {
      nullable: true,
      description: 'Seconds in which at least one job ran; null until it has finished.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When its first job started.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it finished.' }),
    committedAt: t.expose('committedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the commit was made; null where it is gone.',
    }),
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The commit; null where it is gone or the caller may not read commits.',
      select: { projectId: true, sha: true },
      resolve: ({ projectId, sha }, _args, { loaders }) => loaders.commit.load({ projectId, sha }),
    }),
  }),
});

export const PipelineConnection = connectionOf('Pipeline', Pipeline);
