import type { Request } from 'express';
import { endSilentBody } from '#src/entrances/web/end_silent_body.ts';
import type { Given } from '#src/entrances/web/runner_answers.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';

/** Bytes of the largest body in which a runner speaks of itself, or of the state of a job. */
export const SMALL_BODY = 256 * 1024;

/** Milliseconds that such a body may take to come, and for which nothing may come of it. */
const ARRIVAL = { total: 30_000, silence: 10_000 };

/** What reads such bodies. */
export function smallBody({ readBody }: Pick<RunnerProtocolOptions, 'readBody'>): (request: Request) => Promise<Given> {
  return (request) => {
    endSilentBody(request, ARRIVAL);
    return readBody(request, SMALL_BODY);
  };
}
