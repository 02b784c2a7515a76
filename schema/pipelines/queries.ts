import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { JobStatus, Pipeline, PipelineConnection, PipelineSource } from '#schema/pipelines/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findPipeline, numbered } from '#src/domain/ci/pipelines/find.ts';
import { findLatestPipeline } from '#src/domain/ci/pipelines/latest.ts';
import { listPipelines, listPipelinesOfCommits } from '#src/domain/ci/pipelines/list.ts';
import { BadRequest } from '#src/platform/errors.ts';

const PipelineScope = builder.enumType('PipelineScope', {
  description: 'Filters pipelines by what they are doing or belong to.',
  values: {
    RUNNING: { value: 'running', description: 'Only pipelines that are running.' },
    PENDING: { value: 'pending', description: 'Only pipelines that wait to be run.' },
    FINISHED: { value: 'finished', description: 'Only pipelines that succeeded, failed or were canceled.' },
    BRANCHES: { value: 'branches', description: 'The latest pipeline of each branch that exists.' },
    TAGS: { value: 'tags', description: 'The latest pipeline of each tag that exists.' },
  } as const,
});

const Order = builder.enumType('PipelineOrder', {
  description: 'Ways to order pipelines.',
  values: {
    ID: { value: 'id', description: 'By numeric ID, which grows with each new pipeline.' },
    STATUS: { value: 'status', description: 'By status, from created to manual.' },
    REF: { value: 'ref', description: 'By the name of the branch or tag.' },
    USER_ID: { value: 'user_id', description: 'By the numeric ID of the user who started the pipeline.' },
  } as const,
});

builder.objectFields(Project, (t) => ({
  pipelines: t.field({
    type: PipelineConnection,
    description: 'The pipelines of the project, newest first.',
    args: {
      ...pageArgs,
      scope: t.arg({ type: PipelineScope, description: 'Only pipelines in this scope; all by default.' }),
      status: t.arg({ type: JobStatus, description: 'Only pipelines in this state.' }),
      ref: t.arg.string({ description: 'Only pipelines for this branch or tag.' }),
      sha: t.arg.string({ description: 'Only pipelines for the commit with this full hash.' }),
      source: t.arg({
        type: PipelineSource,
        description: 'Only pipelines that were started by this; child pipelines are left out otherwise.',
      }),
      yamlErrors: t.arg.boolean({
        description: 'Only pipelines whose `.gitlab-ci.yml` is invalid if true, or valid if false.',
      }),
      name: t.arg.string({ description: 'Only pipelines started by a user with this name.' }),
      username: t.arg.string({ description: 'Only pipelines that the user with this username started.' }),
      updatedAfter: t.arg({ type: 'DateTime', description: 'Only pipelines that last changed at this time or later.' }),
      updatedBefore: t.arg({
        type: 'DateTime',
        description: 'Only pipelines that last changed at this time or earlier.',
      }),
      orderBy: t.arg({
        type: Order,
        required: true,
        defaultValue: 'id',
        description: 'What to sort the pipelines by.',
      }),
      sort: t.arg({
        type: SortDirection,
        required: true,
        defaultValue: 'desc',
        description: 'Direction of the order.',
      }),
    },
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Pipeline', project, args, context, info, (_context, projects, page, selection) =>
        listPipelines(context, projects, args, page, selection),
      );
    },
  }),
  latestPipeline: t.field({
    type: Pipeline,
    nullable: true,
    description:
      'The latest pipeline of what a branch or tag points to now; null without one. Pipelines of merge requests do not count.',
    args: {
      ref: t.arg.string({ required: true, description: 'Name of a branch or tag; `HEAD` is the default branch.' }),
      ignoreSkipped: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether pipelines of which all jobs were skipped do not count.',
      }),
    },
    resolve: (project, { ref, ignoreSkipped }, context, info) => {
      context.loaders.noteProject(project);
      return findLatestPipeline(context, project, { ref, ignoreSkipped }, selectionAt(info, 'Pipeline'));
    },
  }),
  pipeline: t.field({
    type: Pipeline,
    description: 'A pipeline of the project by its ID, or by its number in the project.',
    args: {
      id: t.arg({
        ...idOf('Pipeline'),
        description: 'Global or numeric ID of the pipeline; not together with `iid`.',
      }),
      iid: t.arg.int({ description: 'Number of the pipeline within the project.' }),
    },
    resolve: (project, { id, iid }, context, info) => {
      context.loaders.noteProject(project);
      if ((id == null) === (iid == null)) throw new BadRequest('Give one of id and iid', 'id');
      const which = id ?? numbered(iid ?? 0);
      return findPipeline(context, project, which, selectionAt(info, 'Pipeline'));
    },
  }),
}));

const CommitPipelineFilter = builder.inputType('CommitPipelineFilter', {
  description: 'Which pipelines of a commit a list has: those that match all fields.',
  fields: (t) => ({
    ref: t.string({ description: 'Only pipelines for this branch or tag.' }),
    status: t.field({ type: JobStatus, description: 'Only pipelines in this state.' }),
  }),
});

builder.objectFields(Commit, (t) => ({
  status: t.field({
    type: JobStatus,
    nullable: true,
    description: 'Status of the latest pipeline of the commit; null without one.',
    resolve: ({ project, oid }, _args, { loaders }) => loaders.commitStatus.load({ projectId: project.id, sha: oid }),
  }),
  pipelines: t.field({
    type: PipelineConnection,
    description: 'The pipelines of the commit, newest first, without child pipelines.',
    args: {
      ...pageArgs,
      filter: t.arg({ type: CommitPipelineFilter, description: 'Which pipelines to list; all if left out.' }),
      sort: t.arg({
        type: SortDirection,
        required: true,
        defaultValue: 'desc',
        description: 'Direction of the order by age.',
      }),
    },
    resolve: async ({ project: { id }, oid }, args, context, info) => {
      const project = await requireProjectBase(context, id);
      return pageBelow('Pipeline', { project, sha: oid }, args, context, info, (_context, commits, page, selection) =>
        listPipelinesOfCommits(context, commits, { ...args.filter, sort: args.sort }, page, selection),
      );
    },
  }),
}));
