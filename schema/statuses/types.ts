import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { statusFilter } from '#schema/filters.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { statusOrder } from '#schema/orders.ts';
import { JobStatus } from '#schema/pipelines/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import '#schema/users/types.ts';
import { listStatuses } from '#src/domain/ci/statuses/list.ts';

export const CommitStatus = builder.prismaObject('Job', {
  variant: 'CommitStatus',
  description: 'The state of a commit, as reported by a job or an external system.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the status.',
      resolve: ({ id }) => toGlobalId('CommitStatus', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the status, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    pipelineId: t.exposeInt('pipelineId', { description: 'Numeric ID of the pipeline; see also `pipeline`.' }),
    pipeline: t.relation('pipeline', { description: 'The pipeline that the status belongs to.' }),
    sha: t.string({ description: 'Hash of the commit, in full.', ...viaRelation('pipeline', 'sha') }),
    ref: t.string({ description: 'Name of the branch or tag, without `refs/`.', ...viaRelation('pipeline', 'ref') }),
    status: t.expose('status', { type: JobStatus, description: 'State that the job or the external system reported.' }),
    name: t.exposeString('name', { description: 'Name of the job, or the name under which the status was posted.' }),
    stage: t.exposeString('stage', {
      description: 'Stage of the job; `external` if an external system posted the status.',
    }),
    generic: t.exposeBoolean('generic', {
      description: 'Whether an external system posted the status, instead of a job.',
    }),
    targetUrl: t.exposeString('targetUrl', {
      nullable: true,
      description: 'URL of a page about the status; null when unset.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description of the status in a few words; null when unset.',
    }),
    coverage: t.exposeFloat('coverage', {
      nullable: true,
      description: 'Test coverage, in percent; null without any.',
    }),
    allowFailure: t.exposeBoolean('allowFailure', {
      description: 'Whether the pipeline can succeed even if this status is a failure.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the status was created.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the job or check started; null before that.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the job or check finished; null before that.',
    }),
    author: t.relation('user', { description: 'The user who posted the status or started the job.' }),
  }),
});

const CommitStatusConnection = connectionOf('CommitStatus', CommitStatus);

builder.objectFields(Commit, (t) => ({
  statuses: t.field({
    type: CommitStatusConnection,
    description: 'The statuses that jobs and external systems reported for the commit, oldest first.',
    args: {
      ...pageArgs,
      ...statusFilter,
      ...statusOrder('ID', 'asc'),
      ref: t.arg.string({ description: 'Only statuses for this branch or tag.' }),
      stage: t.arg.string({ description: 'Only statuses of jobs of this stage.' }),
      name: t.arg.string({ description: 'Only statuses of this name.' }),
      all: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to include statuses that a later one of the same name has replaced.',
      }),
    },
    resolve: (commit, args, context, info) =>
      pageBelow('Job', commit, args, context, info, (_context, commits, page, selection) =>
        listStatuses(context, commits, args, page, selection),
      ),
  }),
}));
