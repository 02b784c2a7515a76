import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { shownAt } from '#schema/events/shown.ts';
import { Event } from '#schema/events/types.ts';
import { Issue } from '#schema/issues/types.ts';
import { Job } from '#schema/jobs/types.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { fromGlobalId } from '#schema/node/types.ts';
import { Pipeline } from '#schema/pipelines/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { type Asked, placeArg, SCOPES, type Scope, sourceOf } from '#schema/subscriptions/scope.ts';
import { type LiveEvent, readSeen, Source } from '#schema/subscriptions/source.ts';
import { findProjectEvent } from '#src/domain/activity/list_events.ts';
import { requireLogReadable } from '#src/domain/ci/job_logs/debug.ts';
import { readTracePart, type TracePart } from '#src/domain/ci/job_logs/part.ts';
import { findJob } from '#src/domain/ci/jobs/list.ts';
import { findPipeline } from '#src/domain/ci/pipelines/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { findIssueById } from '#src/domain/tracking/issues/find.ts';
import { findMergeRequestById } from '#src/domain/tracking/merge_requests/find.ts';
import { NotFound } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const JobTraceScope = builder.inputType('JobTraceScope', {
  description: 'The jobs whose logs to subscribe to; give exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    job: t.id({ description: 'This job, by its global ID.' }),
    project: t.field({ type: 'ProjectRef', description: SCOPES.project }),
    group: t.field({ type: 'GroupRef', description: SCOPES.group }),
    viewer: t.boolean({ description: SCOPES.viewer }),
  }),
});

/** A chunk of a job log with its job. */
type JobTracePartRow = TracePart & { job: { id: number } };

const JobTracePart = builder.objectRef<JobTracePartRow>('JobTracePart').implement({
  description: 'A part of a job’s log.',
  fields: (t) => ({
    job: t.field({
      type: Job,
      description: 'The job that the log belongs to.',
      // The job is read with the chunk, including what is selected of it.
      resolve: ({ job }) => job as typeof Job.$inferType,
    }),
    offset: t.expose('offset', { type: 'Long', description: 'Offset of the part in the log, in bytes.' }),
    nextOffset: t.expose('nextOffset', { type: 'Long', description: 'Offset of the next part in the log, in bytes.' }),
    content: t.exposeString('content', {
      description: 'The text, at most 64 KiB. Bytes that are not valid UTF-8 are replaced by U+FFFD.',
    }),
  }),
});

const AFTER_STATES =
  'Cursor of the last event before the subscription was lost, to resume after it. The state of a record may be sent again.';

builder.subscriptionFields((t) => ({
  issueChanged: t.field({
    type: Issue,
    description: 'An issue that was opened or changed, as it is now. Deleted issues are not reported.',
    args: { in: placeArg(t, 'issues'), after: t.arg.string({ description: AFTER_STATES }) },
    subscribe: (_root, args, context) => sourceOf(context, 'issue', args, 'read_issue'),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, async () => {
        const { id, projectId } = event.change;
        return findIssueById(context, await findProject(context, projectId), id, selectionAt(info, 'Issue'));
      }),
  }),
  mergeRequestChanged: t.field({
    type: MergeRequest,
    description:
      'A merge request that was opened or changed, or whose merge status became known, as it is now. Deleted ones are not reported.',
    args: { in: placeArg(t, 'merge requests'), after: t.arg.string({ description: AFTER_STATES }) },
    subscribe: (_root, args, context) => sourceOf(context, 'merge_request', args, 'read_merge_request'),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, async () => {
        const { id, projectId } = event.change;
        const project = await findProject(context, projectId);
        return findMergeRequestById(context, project, id, selectionAt(info, 'MergeRequest'));
      }),
  }),
  pipelineChanged: t.field({
    type: Pipeline,
    description: 'A pipeline that was started or changed, or whose jobs changed, as it is now.',
    args: { in: placeArg(t, 'pipelines'), after: t.arg.string({ description: AFTER_STATES }) },
    subscribe: (_root, args, context) => sourceOf(context, 'pipeline', args, 'read_pipeline'),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, async () => {
        const { id, projectId } = event.change;
        return findPipeline(context, await findProject(context, projectId), id, selectionAt(info, 'Pipeline'));
      }),
  }),
  eventAdded: t.field({
    type: Event,
    description: 'An event that happened. Anonymous callers can subscribe to public projects.',
    args: {
      in: placeArg(t, 'events'),
      after: t.arg.string({
        description:
          'Cursor of the last event before the subscription was lost, or numeric ID of an event. Missed events are sent first, each once.',
      }),
    },
    subscribe: (_root, args, context) => sourceOf(context, 'event', args),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, async () => {
        const { id, projectId } = event.change;
        return findProjectEvent(context, await findProject(context, projectId), id, shownAt(info));
      }),
  }),
  jobTrace: t.field({
    type: JobTracePart,
    description:
      'The output of jobs as it is written. A subscription to one job completes when its whole log was sent.',
    args: {
      in: t.arg({
        type: JobTraceScope,
        required: true,
        description:
          'Which logs to report: of one job, or of all jobs in a project, a group, or all projects of the caller.',
      }),
      after: t.arg.string({
        description: 'For one job, the offset to start from, in bytes; `"0"` for the whole log.',
      }),
    },
    subscribe: (_root, args, context) => traceSource(context, args),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, () => readPart(context, event, selectionAt(info, 'Job'))),
  }),
}));

async function traceSource(context: GraphQLContext, asked: Asked<Scope & { job?: string | null | undefined }>) {
  const { job, ...scope } = asked.in;
  if (job == null) return sourceOf(context, 'trace', { ...asked, in: scope }, 'read_job_output');
  const { type, id } = fromGlobalId(job) ?? { type: '', id: 0 };
  if (type !== 'Job') throw new NotFound('Job');
  const project = await findProject(context, await projectOfJob(context, id));
  await findJob(context, project, id, select('Job', { id: true }));
  await requireLogReadable(context, project, id);
  return new Source({ kind: 'trace', scope: 'job', id }, asked.after);
}

async function projectOfJob({ db }: GraphQLContext, id: number): Promise<number> {
  const job = await db.job.findUnique({ where: { id }, select: { projectId: true } });
  if (!job) throw new NotFound('Job');
  return job.projectId;
}

/** The job's output from the offset of the change; hidden if there is none. */
async function readPart(
  context: GraphQLContext,
  event: LiveEvent,
  selection: Selection<'Job'>,
): Promise<JobTracePartRow> {
  const { id, position = 0 } = event.change;
  const wanted = select('Job', { id: true, finishedAt: true }).with(selection);
  const project = await findProject(context, await projectOfJob(context, id));
  const job = await findJob(context, project, id, wanted);
  await requireLogReadable(context, project, id);
  const isFinished = job.finishedAt !== null;
  const part = await readTracePart(context, id, position, isFinished);
  event.next = part.nextOffset;
  event.hasMore = part.hasMore;
  event.isOver = isFinished && !part.hasMore;
  return { ...part, job };
}
