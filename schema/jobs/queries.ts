import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { jobFilter } from '#schema/filters.ts';
import { Job, JobConnection } from '#schema/jobs/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { jobOrder } from '#schema/orders.ts';
import { JobStatus, Pipeline } from '#schema/pipelines/types.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findLatestJob } from '#src/domain/ci/artifacts/latest.ts';
import { currentJob, findJob, findJobsByIds, listPipelineJobs, listProjectJobs } from '#src/domain/ci/jobs/list.ts';
import { findJobsNamed, type NamedJobs } from '#src/domain/ci/jobs/named.ts';
import { findPipelinesByIds } from '#src/domain/ci/pipelines/find.ts';

builder.objectFields(Project, (t) => ({
  jobs: t.field({
    type: JobConnection,
    description: 'The jobs of all pipelines of the project, newest first.',
    args: {
      ...pageArgs,
      ...jobFilter,
      ...jobOrder('ID', 'desc'),
      scope: t.arg({ type: [JobStatus], description: 'Only jobs in one of these states; all by default.' }),
    },
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Job', project, args, context, info, (_context, projects, page, selection) =>
        listProjectJobs(context, projects, args.scope, page, selection),
      );
    },
  }),
  job: t.field({
    type: Job,
    description: 'A job of the project by its ID.',
    args: { id: t.arg({ ...idOf('Job'), required: true, description: 'Global or numeric ID of the job.' }) },
    resolve: (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      return findJob(context, project, id, selectionAt(info, 'Job'));
    },
  }),
  latestSuccessfulJob: t.field({
    type: Job,
    description:
      'The job with this name in the latest successful pipeline of a branch or tag, or in a child of that; one with artifacts if there is one.',
    args: {
      ref: t.arg.string({ required: true, description: 'Name of the branch or tag, without `refs/`.' }),
      name: t.arg.string({ required: true, description: 'Name of the job in `.gitlab-ci.yml`.' }),
    },
    resolve: (project, { ref, name }, context, info) => {
      context.loaders.noteProject(project);
      return findLatestJob(context, project, { ref, name }, selectionAt(info, 'Job'));
    },
  }),
}));

builder.prismaObjectFields(Pipeline, (t) => ({
  jobs: t.field({
    type: JobConnection,
    description: 'The jobs of the pipeline, oldest first; posted statuses are not among them.',
    args: {
      ...pageArgs,
      ...jobFilter,
      ...jobOrder('ID', 'asc'),
      scope: t.arg({ type: [JobStatus], description: 'Only jobs in one of these states; all by default.' }),
      includeRetried: t.arg.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether jobs that were replaced by a retry are listed too.',
      }),
    },
    select: { projectId: true },
    resolve: async ({ id, projectId }, args, context, info) => {
      const project = await requireProjectBase(context, projectId);
      const parent = { project, pipelineId: id };
      return pageBelow('Job', parent, args, context, info, (_context, parents, page, selection) =>
        listPipelineJobs(context, parents, { ...args, states: args.scope }, page, selection),
      );
    },
  }),
  triggerJobs: t.field({
    type: JobConnection,
    description: 'The jobs of the pipeline that start other pipelines, oldest first, without those that were retried.',
    args: {
      ...pageArgs,
      ...jobFilter,
      ...jobOrder('ID', 'asc'),
      scope: t.arg({ type: [JobStatus], description: 'Only jobs in one of these states; all by default.' }),
    },
    select: { projectId: true },
    resolve: async ({ id, projectId }, { scope: states, ...args }, context, info) => {
      const parent = { project: await requireProjectBase(context, projectId), pipelineId: id };
      const filter = { states, includeRetried: false, areBridges: true };
      return pageBelow('Job', parent, args, context, info, (_context, parents, page, selection) =>
        listPipelineJobs(context, parents, filter, page, selection),
      );
    },
  }),
  upstreamJob: t.field({
    type: Job,
    nullable: true,
    description: 'The job of another pipeline that started this one; null without one that the caller can see.',
    select: { sourceJobId: true },
    resolve: ({ sourceJobId }, _args, context, info) => {
      if (sourceJobId === null) return null;
      const selection = selectionAt(info, 'Job');
      return loaderAt(context, info, selection, async (ids: readonly number[]) => {
        const found = await findJobsByIds(context, ids, selection, (id) => context.loaders.project.load(id));
        const byId = new Map(found.map((job) => [job.id, job]));
        return ids.map((id) => byId.get(id) ?? null);
      }).load(sourceJobId);
    },
  }),
}));

function jobsNamed(context: GraphQLContext, info: GraphQLResolveInfo, wanted: NamedJobs) {
  const selection = selectionAt(info, 'Job');
  return loaderAt(
    context,
    info,
    selection,
    (all: readonly NamedJobs[]) =>
      findJobsNamed(context, all, selection, (project) => context.loaders.project.load(project)),
    { cache: false },
  ).load(wanted);
}

builder.prismaObjectFields(Job, (t) => ({
  attempts: t.field({
    type: [Job],
    description: 'The runs of the job in its pipeline, oldest first: the job itself, and those of the same name.',
    select: { pipelineId: true, name: true },
    resolve: ({ pipelineId, name }, _args, context, info) =>
      jobsNamed(context, info, { pipelineId, names: [name], withRetried: true }),
  }),
  neededJobs: t.field({
    type: [Job],
    description:
      'The jobs that it waits for, whatever their stages, without those that were retried; empty for all of earlier stages, or none.',
    select: { pipelineId: true, needs: true },
    resolve: ({ pipelineId, needs }, _args, context, info) =>
      needs && needs.length > 0 ? jobsNamed(context, info, { pipelineId, names: needs, withRetried: false }) : [],
  }),
  downstreamPipeline: t.field({
    type: Pipeline,
    nullable: true,
    description: 'The pipeline that the job started; null without one that the caller can see.',
    select: { downstreamPipelineId: true },
    resolve: ({ downstreamPipelineId }, _args, context, info) => {
      if (downstreamPipelineId === null) return null;
      const selection = selectionAt(info, 'Pipeline');
      return loaderAt(context, info, selection, async (ids: readonly number[]) => {
        const found = await findPipelinesByIds(context, ids, selection, (id) => context.loaders.project.load(id));
        const byId = new Map(found.map((pipeline) => [pipeline.id, pipeline]));
        return ids.map((id) => byId.get(id) ?? null);
      }).load(downstreamPipelineId);
    },
  }),
}));

builder.queryFields((t) => ({
  currentJob: t.field({
    type: Job,
    description: 'The running job whose token the request is made with. NOT_FOUND for other credentials.',
    resolve: (_root, _args, context, info) => currentJob(context, selectionAt(info, 'Job')),
  }),
}));
