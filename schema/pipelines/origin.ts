import { builder } from '#schema/builder.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { Pipeline } from '#schema/pipelines/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { PipelineSchedule } from '#schema/schedules/types.ts';
import { findSchedulesByIds } from '#src/domain/ci/schedules/list.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';

builder.prismaObjectFields(Pipeline, (t) => ({
  mergeRequest: t.field({
    type: MergeRequest,
    nullable: true,
    description: 'The merge request that the pipeline is of; null without one that the caller can see.',
    select: { mergeRequestId: true },
    resolve: ({ mergeRequestId }, _args, context, info) => {
      if (mergeRequestId === null) return null;
      const selection = selectionAt(info, 'MergeRequest');
      return loaderAt(context, info, selection, async (ids: readonly number[]) => {
        const found = await findMergeRequestsByIds(context, ids, selection, (id) => context.loaders.project.load(id));
        const byId = new Map(found.map((mergeRequest) => [mergeRequest.id, mergeRequest]));
        return ids.map((id) => byId.get(id) ?? null);
      }).load(mergeRequestId);
    },
  }),
  schedule: t.field({
    type: PipelineSchedule,
    nullable: true,
    description: 'The schedule that started the pipeline; null without one, or if it was deleted.',
    select: { scheduleId: true },
    resolve: ({ scheduleId }, _args, context, info) => {
      if (scheduleId === null) return null;
      const selection = selectionAt(info, 'PipelineSchedule');
      return loaderAt(context, info, selection, async (ids: readonly number[]) => {
        const found = await findSchedulesByIds(context, ids, selection, (id) => context.loaders.project.load(id));
        const byId = new Map(found.map((schedule) => [schedule.id, schedule]));
        return ids.map((id) => byId.get(id) ?? null);
      }).load(scheduleId);
    },
  }),
}));
