import { finishJob, type RunningJob, startJob } from '#src/domain/ci/jobs/run.ts';
import type { Scene, Stage } from '#src/entrances/seed/stage.ts';

/** The outcome of a job. */
export interface Outcome {
  /** The job keeps running when absent. */
  state?: 'success' | 'failed';
  seconds: number;
  trace: string;
  coverage?: number;
}

/** Runs jobs of the latest pipeline of a branch or tag in order; those without an outcome stay pending. */
export function runJobs(at: string, project: string, ref: string, outcomes: Record<string, Outcome>): Scene {
  return {
    at,
    async play(stage) {
      const { db } = stage.stores;
      const pipeline = await db.pipeline.findFirstOrThrow({
        where: { projectId: stage.project(project), ref },
        orderBy: { id: 'desc' },
        select: { id: true },
      });
      const left = new Map(Object.entries(outcomes));
      for (;;) {
        const pending = await db.job.findMany({
          where: { pipelineId: pipeline.id, status: 'pending', generic: false, retried: false },
          orderBy: { id: 'asc' },
          select: { id: true, name: true },
        });
        const next = pending.find(({ name }) => left.has(name));
        const outcome = next && left.get(next.name);
        if (!next || !outcome) break;
        left.delete(next.name);
        await runJob(stage, { id: next.id, pipelineId: pipeline.id }, outcome);
      }
      if (left.size > 0) throw new Error(`No turn for ${[...left.keys()]} of ${project} at ${at}`);
    },
  };
}

async function runJob(stage: Stage, job: RunningJob, { state, seconds, trace, coverage }: Outcome): Promise<void> {
  await stage.clock.later(3);
  await startJob(stage.stores, job, trace);
  await stage.clock.later(seconds);
  if (state !== undefined) await finishJob(stage.stores, job, { state, coverage });
}
