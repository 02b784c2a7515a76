import type { Request, Router } from 'express';
import { isRunning, runningJob } from '#src/access/credentials/tokens/job_token.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { writeTrace } from '#src/domain/ci/job_logs/append.ts';
import { isLogMissing } from '#src/domain/ci/job_logs/missing.ts';
import { traceCoverage } from '#src/domain/ci/jobs/coverage.ts';
import { failureReason } from '#src/domain/ci/jobs/failure_reason.ts';
import { authenticateRunner } from '#src/domain/ci/runners/authenticate.ts';
import { endRunningJob } from '#src/domain/ci/runners/finish.ts';
import { noteHeartbeat } from '#src/domain/ci/runners/heartbeat.ts';
import { requestJob } from '#src/domain/ci/runners/payload/request.ts';
import type { ProtocolAnswer, ProtocolEndpoint } from '#src/entrances/web/runner_answers.ts';
import { contactOf } from '#src/entrances/web/runner_contact.ts';
import { jobIdOf, SOON, TRACE_INTERVAL } from '#src/entrances/web/runner_job.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { BadParameter, readText, requireTexts } from '#src/entrances/web/runner_parameters.ts';
import { SMALL_BODY, smallBody } from '#src/entrances/web/runner_small_body.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** The header with the queue value, which the runner sends back. */
const LAST_UPDATE = 'X-GitLab-Last-Update';

/** Bytes of the largest body at the end of a job, which may contain its log. */
const LARGE_BODY = 8 * 1024 * 1024;

/** Such bodies are in memory before their sender is authenticated: few at a time. */
const LARGE_BODY_CONCURRENCY = { concurrency: 8, perCaller: 2, waitingPerCaller: 100, waiting: 400, patience: 60_000 };

/** Adds the endpoints for requesting jobs and reporting how they ended. */
export function addJobs(router: Router, endpoint: ProtocolEndpoint, options: RunnerProtocolOptions): void {
  const { stores, readBody, queue, baseUrl, sshAddress } = options;
  const { db, secret, sites } = stores;
  const receiveSmall = smallBody(options);
  const largeBodies = new CallerSemaphore(LARGE_BODY_CONCURRENCY);
  const readUpdate = (request: Request) => {
    const size =
      request.get('transfer-encoding') === undefined ? Number(request.get('content-length') ?? 0) : LARGE_BODY;
    if (size <= SMALL_BODY) return receiveSmall(request);
    return largeBodies.run(callerOf(null, request.ip ?? null), () => readBody(request, LARGE_BODY));
  };
  router.post(
    '/jobs/request',
    endpoint(
      '/jobs/request',
      async (request, _response, given): Promise<ProtocolAnswer> => {
        requireTexts(given, ['token']);
        const runner = await authenticateRunner(db, contactOf(request, given));
        // Read before the look-up, so that a change in between is found next time.
        const value = await queue.valueFor(runner);
        const nothing = { status: 204, headers: { [LAST_UPDATE]: value } };
        if (!runner.active || given.last_update === value) return nothing;
        const job = await requestJob(stores, runner, {
          db,
          secret,
          baseUrl: baseUrl(request),
          ssh: sshAddress(),
          sites,
        });
        if (job === 'taken') return { status: 409, body: { message: '409 Conflict' } };
        return job ? { status: 201, body: job } : nothing;
      },
      { receive: receiveSmall },
    ),
  );
  router.put(
    '/jobs/:id',
    endpoint(
      '/jobs/:id',
      async (request, _response, given): Promise<ProtocolAnswer> => {
        const token = given.token ?? request.get('JOB-TOKEN');
        requireTexts({ token }, ['token']);
        const state = stateOf(given);
        const job = await runningJob(db, jobIdOf(request), token);
        if (!isRunning(job)) return over(job.status);
        const trace = readText(given, 'trace');
        if (trace !== null) await writeTrace(stores, job.id, trace);
        if (state === 'running') {
          await noteHeartbeat(db, job.id);
          return { status: 200, body: 200, headers: { [JOB_STATUS]: job.status } };
        }
        if (await isLogMissing(db, job.id, sizeOf(given))) {
          return { status: 202, headers: { [JOB_STATUS]: job.status, [TRACE_INTERVAL]: SOON } };
        }
        const coverage = await traceCoverage(stores, job);
        const end =
          state === 'success'
            ? ({ state, coverage } as const)
            : ({
                state,
                coverage,
                reason: failureReason(given.failure_reason ?? 'script_failure'),
                exitCode: exitCodeOf(given),
              } as const);
        const status = await endRunningJob(stores, job, end);
        const isEnded = status === state || job.status === 'canceling';
        return isEnded ? { status: 200, body: 200, headers: { [JOB_STATUS]: status } } : over(status);
      },
      { receive: readUpdate },
    ),
  );
}

/** The header that tells the runner that the job is over. */
const JOB_STATUS = 'Job-Status';

/** The response to the runner of a job that has ended: to stop. */
function over(status: JobStatus): ProtocolAnswer {
  return { status: 404, body: { message: '404 Not Found' }, headers: { [JOB_STATUS]: status } };
}

/** How many bytes its log has, as the runner says; 0 if it does not. */
function sizeOf({ output }: Record<string, unknown>): number {
  const { bytesize } = Object(output) as { bytesize?: unknown };
  return typeof bytesize === 'number' && Number.isSafeInteger(bytesize) ? bytesize : 0;
}

/** With which the script ended; null if it does not say, or says what cannot be one. */
function exitCodeOf({ exit_code: code }: Record<string, unknown>): number | null {
  return typeof code === 'number' && Number.isInteger(code) && Math.abs(code) < 2 ** 31 ? code : null;
}

const STATES = ['running', 'success', 'failed'] as const;

/** Without a state, the runner only reports that it is alive. Throws BadParameter. */
function stateOf(given: Record<string, unknown>): (typeof STATES)[number] {
  const word = readText(given, 'state') ?? 'running';
  const state = STATES.find((known) => known === word);
  if (!state) throw new BadParameter('state does not have a valid value');
  return state;
}
