import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { JobStatus } from '#schema/pipelines/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { through } from '#schema/records/plugin.ts';
import '#schema/users/types.ts';
import { listStatuses } from '#src/statuses/list.ts';

export const CommitStatus = builder.prismaObject('Job', {
  variant: 'CommitStatus',
  description: 'What a job, or another system that posted it, says of a commit.',
  select: { id: true },
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    pipelineId: t.exposeInt('pipelineId', { description: 'Numeric ID of its pipeline.' }),
    sha: t.string({ description: 'Hash of the commit.', ...through('pipeline', 'sha') }),
    ref: t.string({ description: 'The branch or tag.', ...through('pipeline', 'ref') }),
    status: t.expose('status', { type: JobStatus, description: 'How it stands.' }),
    name: t.exposeString('name', { description: 'What it is called.' }),
    stage: t.exposeString('stage', { description: 'Its stage; `external` where it was posted.' }),
    generic: t.exposeBoolean('generic', { description: 'Whether it was posted.' }),
    targetUrl: t.exposeString('targetUrl', { nullable: true, description: 'Where to learn more.' }),
    description: t.exposeString('description', { nullable: true, description: 'In a few words.' }),
    coverage: t.exposeFloat('coverage', {
      nullable: true,
      description: 'How much of the code tests cover, in percent; null where the status does not tell.',
    }),
    allowFailure: t.exposeBoolean('allowFailure', { description: 'Whether the pipeline may succeed without it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it started.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it finished.' }),
    author: t.relation('user', { description: 'Who posted or started it.' }),
  }),
});

const CommitStatusConnection = connectionOf('CommitStatus', CommitStatus);

builder.objectFields(Commit, (t) => ({
  statuses: t.field({
    type: CommitStatusConnection,
    description: 'What jobs and other systems say of it, oldest first.',
    args: {
      ...pageArgs,
      ref: t.arg.string({ description: 'Only statuses for this branch or tag.' }),
      stage: t.arg.string({ description: 'Only statuses of jobs of this stage.' }),
      name: t.arg.string({ description: 'Only statuses of this name.' }),
      all: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to list also statuses that a later one of the same name has replaced.',
      }),
    },
    resolve: (commit, args, context, info) =>
      pageBelow('Job', commit, args, context, info, (_context, commits, page, selection) =>
        listStatuses(context, commits, args, page, selection),
      ),
  }),
}));
