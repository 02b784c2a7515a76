import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import '#schema/users/types.ts';
import { NO_OBJECT } from '#src/git/model.ts';

export const JobStatus = builder.enumType('JobStatus', {
  description: 'The state of a job, of a posted commit status, or of a pipeline.',
  values: {
    CREATED: { value: 'created', description: 'It waits for the stages that come before it.' },
    PENDING: { value: 'pending', description: 'It waits for a runner that takes it.' },
    RUNNING: { value: 'running', description: 'A runner is running it.' },
    SUCCESS: { value: 'success', description: 'It has run and has succeeded.' },
    FAILED: { value: 'failed', description: 'It has run and has failed.' },
    CANCELED: { value: 'canceled', description: 'Somebody canceled it before it had finished.' },
    SKIPPED: { value: 'skipped', description: 'It was not run, because of the outcome of what came before it.' },
    MANUAL: { value: 'manual', description: 'It waits until somebody starts it by hand.' },
  } as const,
});

const PipelineSource = builder.enumType('PipelineSource', {
  description: 'The cause that started a pipeline.',
  values: {
    PUSH: { value: 'push', description: 'A push to its branch or tag started it.' },
    API: { value: 'api', description: 'Somebody started it through the API.' },
    TRIGGER: { value: 'trigger', description: 'The token of a trigger started it.' },
    EXTERNAL: { value: 'external', description: 'The first status that another system posted for the commit made it.' },
  } as const,
});

export const Pipeline = builder.prismaObject('Pipeline', {
  description: 'The jobs and posted statuses of one commit on one branch or tag, from which its status follows.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the pipeline, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Pipeline', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the pipeline, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; `project` leads to it.' }),
    project: t.field(ownProject),
    ref: t.exposeString('ref', { description: 'Name of the branch or tag, without `refs/`.' }),
    tag: t.exposeBoolean('tag', { description: 'Whether the ref is a tag.' }),
    sha: t.exposeString('sha', { description: 'Hash of the commit in full; `commit` leads to it.' }),
    beforeSha: t.string({
      description: 'Hash to which the ref led before the push; 40 zeros when there was none.',
      select: { beforeSha: true },
      resolve: ({ beforeSha }) => beforeSha ?? NO_OBJECT,
    }),
    status: t.expose('status', {
      type: JobStatus,
      description: 'State of the pipeline, which follows from those of its jobs.',
    }),
    source: t.expose('source', { type: PipelineSource, description: 'The cause that started the pipeline.' }),
    user: t.relation('user', { description: 'The user who started the pipeline.' }),
    yamlErrors: t.exposeString('yamlErrors', {
      nullable: true,
      description: 'Why `.gitlab-ci.yml` gave no jobs; null where it is valid.',
    }),
    coverage: t.exposeFloat('coverage', {
      nullable: true,
      description: 'Mean test coverage of its jobs, in percent; null without any.',
    }),
    duration: t.exposeInt('duration', {
      nullable: true,
      description: 'Seconds in which at least one job ran; null until it has finished.',
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
      description: 'Date of the commit, from the committer; null where it is gone from the repository.',
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
