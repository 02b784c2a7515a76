import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Job, JobConnection } from '#schema/jobs/types.ts';
import { JobStatus, Pipeline } from '#schema/pipelines/types.ts';
import { Project } from '#schema/projects/types.ts';
import { findJob, listPipelineJobs, listProjectJobs } from '#src/jobs/list.ts';
import { NotFound } from '#src/platform/errors.ts';

builder.objectFields(Project, (t) => ({
  jobs: t.field({
    type: JobConnection,
    description: 'The jobs of its pipelines, newest first.',
    args: { ...pageArgs, scope: t.arg({ type: [JobStatus], description: 'Only those in one of these states.' }) },
    resolve: (project, args, context, info) =>
      loadPage(args, info, (page) => listProjectJobs(context, project, args.scope, page)),
  }),
  job: t.field({
    type: Job,
    description: 'One of the jobs of its pipelines.',
    args: { databaseId: t.arg.int({ required: true, description: 'Numeric ID.' }) },
    resolve: (project, { databaseId }, context) => findJob(context, project, databaseId),
  }),
}));

builder.objectFields(Pipeline, (t) => ({
  jobs: t.field({
    type: JobConnection,
    description: 'Its jobs, oldest first; posted statuses are none.',
    args: { ...pageArgs, scope: t.arg({ type: [JobStatus], description: 'Only those in one of these states.' }) },
    resolve: async (pipeline, args, context, info) => {
      const project = await context.loaders.project.load(pipeline.projectId);
      if (!project) throw new NotFound('Project');
      return loadPage(args, info, (page) => listPipelineJobs(context, project, pipeline, args.scope, page));
    },
  }),
}));
