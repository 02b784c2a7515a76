import type { Payload } from '#schema/mutation.ts';
import { Pipeline } from '#schema/pipelines/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { changedPipeline } from '#src/domain/ci/pipelines/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

/** A changed pipeline, and values that override those of its record. */
interface Changed extends ChangedRecord {
  answered?: { status: JobStatus };
}

/** The payload of a mutation that starts or changes a pipeline. */
export const pipelinePayload: Payload<Changed> = {
  description: 'The pipeline after the mutation.',
  fields: (t) => ({
    pipeline: t.field({
      type: Pipeline,
      description: 'The pipeline as it is now.',
      resolve: async (changed, _args, context, info) => {
        const pipeline = await changedPipeline(context, changed, selectionAt(info, 'Pipeline'));
        return { ...pipeline, ...changed.answered };
      },
    }),
  }),
};
