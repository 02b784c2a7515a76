import type { Request, Router } from 'express';
import { jobForDependent } from '#src/access/credentials/tokens/job_token.ts';
import { openArtifacts } from '#src/domain/ci/artifacts/read.ts';
import {
  ARCHIVE,
  expiryOf,
  receiveArtifacts,
  reportFormat,
  requireFitting,
  requireKnown,
  type SentArtifacts,
} from '#src/domain/ci/artifacts/receive.ts';
import { noteHeartbeat } from '#src/domain/ci/runners/heartbeat.ts';
import { endSilentBody } from '#src/entrances/web/end_silent_body.ts';
import type { ProtocolAnswer, ProtocolEndpoint } from '#src/entrances/web/runner_answers.ts';
import { jobIdOf, jobTokenOf, requireRunningJob } from '#src/entrances/web/runner_job.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { BadParameter, readText } from '#src/entrances/web/runner_parameters.ts';
import { smallBody } from '#src/entrances/web/runner_small_body.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** How many archives are received at a time, to the disk; those of one job sequentially. */
const CONCURRENCY_LIMITS = { concurrency: 20, perCaller: 1, waitingPerCaller: 4, waiting: 200, patience: 60_000 };

/** Bytes that a form may have besides the file. */
const MULTIPART_OVERHEAD = 64 * 1024;
const FORM = 1024 * 1024;

/** Milliseconds that an archive may take to arrive, and for which nothing of it may arrive. */
const BODY_TIMEOUTS_MS = { total: 60 * 60_000, silence: 60_000 };

const PATH = /^\/api\/v4\/jobs\/\d+\/artifacts$/;

/** Whether the body at this path may take as long as an archive. */
export function isArtifactsPath(path: string): boolean {
  return PATH.test(path);
}

/** Adds the endpoints for uploading a job's artifacts, and downloading those of other jobs. */
export function addArtifacts(router: Router, endpoint: ProtocolEndpoint, options: RunnerProtocolOptions): void {
  const { stores, sendContent } = options;
  const turns = new CallerSemaphore(CONCURRENCY_LIMITS);

  router.post(
    '/jobs/:id/artifacts/authorize',
    endpoint(
      '/jobs/:id/artifacts/authorize',
      async (request, _response, body) => {
        if (isOff(options)) return SWITCHED_OFF;
        const { projectId } = await requireRunningJob(options, request);
        const given = { ...request.query, ...body };
        await requireFitting(stores, projectId, sizeOf(given.filesize));
        return { status: 200, body: {} };
      },
      { receive: smallBody(options) },
    ),
  );

  router.post(
    '/jobs/:id/artifacts',
    endpoint(
      '/jobs/:id/artifacts',
      async (request) => {
        if (isOff(options)) return SWITCHED_OFF;
        // Nothing is received without the token of a running job.
        const { projectId } = await requireRunningJob(options, request);
        const sent = sentOf(request.query);
        // Invalid values are rejected before anything is sent.
        requireKnown(sent.type, sent.format);
        expiryOf(sent.expireIn);
        const announced = Number(request.headers['content-length'] ?? 0) - MULTIPART_OVERHEAD - FORM;
        await requireFitting(stores, projectId, announced);
        return turns.run(`job ${jobIdOf(request)}`, () => receive(options, request, sent));
      },
      { bypassQueue: true },
    ),
  );

  router.get(
    '/jobs/:id/artifacts',
    endpoint(
      '/jobs/:id/artifacts',
      async (request, response) => {
        const { id } = await jobForDependent(stores.db, jobIdOf(request), jobTokenOf(request));
        await sendContent(await openArtifacts(stores, id), request, response);
        return null;
      },
      { bypassQueue: true },
    ),
  );
}

const SWITCHED_OFF: ProtocolAnswer = { status: 405, body: { message: '405 Method Not Allowed' } };

function isOff({ stores }: Pick<RunnerProtocolOptions, 'stores'>): boolean {
  return stores.repositories.limits.artifactsBytes === 0;
}

async function receive(
  { stores, readBody }: RunnerProtocolOptions,
  request: Request,
  sent: SentArtifacts,
): Promise<ProtocolAnswer> {
  const job = await requireRunningJob({ stores }, request);
  endSilentBody(request, BODY_TIMEOUTS_MS);
  const given = await readBody(request, MULTIPART_OVERHEAD, {
    name: 'file',
    bytes: stores.repositories.limits.artifactsBytes,
  });
  if (!(given.file instanceof SpooledFile)) throw new BadParameter('file is missing');
  await using file = given.file;
  await noteHeartbeat(stores.db, job.id);
  await receiveArtifacts(stores, job, file, { ...sent, expireIn: readText(given, 'expire_in') ?? sent.expireIn });
  return { status: 201, body: { id: job.id } };
}

/** What the query says of the file; of an archive it says no more than when it expires. */
function sentOf(query: Request['query']): SentArtifacts {
  const type = readText(query, 'artifact_type') ?? ARCHIVE;
  const format = readText(query, 'artifact_format') ?? (type === ARCHIVE ? 'zip' : (reportFormat(type) ?? 'raw'));
  return { type, format, expireIn: readText(query, 'expire_in') ?? undefined };
}

function sizeOf(given: unknown): number {
  if (given === undefined) return 0;
  const size = Number(given);
  if (given === '' || !Number.isSafeInteger(size) || size < 0) throw new BadParameter('filesize is invalid');
  return size;
}
