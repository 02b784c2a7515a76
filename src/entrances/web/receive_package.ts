import type { Request } from 'express';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { publishableProject, requireFitting, StoredContent } from '#src/domain/packages/receive.ts';
import { endSilentBody } from '#src/entrances/web/end_silent_body.ts';
import { isBrokenOff } from '#src/platform/broken_off.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** How many files are received at a time, in all and of one user. */
const UPLOAD_CONCURRENCY = { concurrency: 20, perCaller: 4, waitingPerCaller: 20, waiting: 200, patience: 60_000 };

/** Milliseconds that a file may take to arrive, and for which nothing of it may arrive. */
const BODY_TIMEOUTS_MS = { total: 60 * 60_000, silence: 60_000 };

const PATH = /^\/api\/v4\/projects\/[^/]+\/packages\/(?!npm\/|\d)[^/]+(?:\/|$)/;

const arrivals = new CallerSemaphore(UPLOAD_CONCURRENCY);

/** Whether the body at this path may take as long as a file of a package. */
export function isPackagePath(path: string): boolean {
  return PATH.test(path);
}

/** Stores the body of a request as a file of a package. Throws Forbidden, NotFound, BadRequest, RateLimited. */
export async function receivePackageFile(
  context: Context,
  ref: IdOrPath,
  request: Request,
  fileName: string,
): Promise<StoredContent> {
  const { project } = await publishableProject(context, ref);
  requireFitting(context, sizeOf(request) ?? 0);
  return receiveBody(context, request, (size) =>
    StoredContent.receive(context, project.id, { name: fileName, size, content: bodyOf(request) }),
  );
}

/**
 * Receives the body of a request that publishes something, when it is the caller's turn. `receive` gets its size in bytes; null if it
 * is known at the end only. Throws BadRequest, RateLimited, and what `receive` throws.
 */
export async function receiveBody<Received>(
  context: Context,
  request: Request,
  receive: (size: number | null) => Promise<Received>,
): Promise<Received> {
  return arrivals.run(callerOf(context.actor, request.ip ?? null), async () => {
    endSilentBody(request, BODY_TIMEOUTS_MS);
    try {
      return await receive(sizeOf(request));
    } catch (error) {
      if (isBrokenOff(error)) throw new BadRequest('The body ended before all of it had come');
      throw error;
    }
  });
}

function sizeOf({ headers }: Request): number | null {
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}

/** The body in chunks. The request stays open if reading stops early, so that the client can be told why. */
function bodyOf(request: Request): AsyncIterable<Uint8Array> {
  return request.iterator({ destroyOnReturn: false });
}
