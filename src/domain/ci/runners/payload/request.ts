import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import { endRunningJob } from '#src/domain/ci/runners/finish.ts';
import { jobPayload, type PayloadContext } from '#src/domain/ci/runners/payload/build.ts';
import { takeJob } from '#src/domain/ci/runners/take.ts';

/** Jobs that a runner cannot run, which fail, before it gets none. */
const MAX_UNSUPPORTED_JOBS = 20;

/**
 * Takes the next job for a runner and returns what it needs to run it; null if there is none, `taken` if others were about to take
 * those that there are. Jobs that need a feature which the runner lacks, or artifacts of other pipelines that are not there, fail.
 */
export async function requestJob(stores: ChangeContext, runner: AuthenticatedRunner, context: PayloadContext) {
  for (let tries = 0; tries < MAX_UNSUPPORTED_JOBS; tries += 1) {
    const taken = await takeJob(stores, runner);
    if (taken === null || taken === 'taken') return taken;
    const fail = (reason: 'runner_system_failure' | 'runner_unsupported' | 'missing_dependency_failure') =>
      endRunningJob(stores, taken, { state: 'failed', coverage: null, reason });
    const payload = await jobPayload(context, runner, taken).catch(async (error) => {
      // The runner would not run it.
      await fail('runner_system_failure');
      throw error;
    });
    if (payload !== 'unsupported' && payload !== 'missing') return payload;
    await fail(payload === 'missing' ? 'missing_dependency_failure' : 'runner_unsupported');
  }
  return null;
}
