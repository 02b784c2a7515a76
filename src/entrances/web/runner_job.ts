import type { Request } from 'express';
import { isRunning, runningJob, type TokenJob } from '#src/access/credentials/tokens/job_token.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { Forbidden } from '#src/platform/errors.ts';

/** The token of a job as its runner sends it before the body: in a header, or in the URL. */
export function jobTokenOf(request: Request): unknown {
  return request.get('JOB-TOKEN') ?? request.query.token;
}

/** The ID of the job in the path; NaN if invalid. */
export function jobIdOf({ params }: Request): number {
  return /^\d{1,10}$/.test(String(params.id)) ? Number(params.id) : Number.NaN;
}

/**
 * The running job that the path names, if its token came with the request.
 *
 * @throws NotFound; Forbidden for another token, and for a job that is over, with its state in the header `Job-Status`
 */
export async function requireRunningJob(
  { stores }: Pick<RunnerProtocolOptions, 'stores'>,
  request: Request,
): Promise<TokenJob> {
  const job = await runningJob(stores.db, jobIdOf(request), jobTokenOf(request));
  if (!isRunning(job)) throw new JobOver(job);
  return job;
}

/** How many seconds the runner waits before it sends more of a log. */
export const TRACE_INTERVAL = 'X-GitLab-Trace-Update-Interval';
/** While somebody waits for it, and otherwise. */
export const SOON = '3';

/** The job is over; the runner stops when it receives this. */
class JobOver extends Forbidden {
  constructor({ status }: TokenJob) {
    super('Job is not running');
    this.extensions.headers = { 'Job-Status': status };
  }
}
