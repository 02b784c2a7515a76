import type { Request } from 'express';
import { endSilentBody } from '#src/entrances/web/end_silent_body.ts';
import type { Given } from '#src/entrances/web/runner_answers.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';

/** Bytes of the largest body that describes a runner or the state of a job. */
export const SMALL_BODY = 256 * 1024;

/** Milliseconds that such a body may take to arrive, and for which nothing of it may arrive. */
const BODY_TIMEOUTS_MS = { total: 30_000, silence: 10_000 };

/** Returns the reader of such bodies. */
export function smallBody({ readBody }: Pick<RunnerProtocolOptions, 'readBody'>): (request: Request) => Promise<Given> {
  return (request) => {
    endSilentBody(request, BODY_TIMEOUTS_MS);
    return readBody(request, SMALL_BODY);
  };
}
