import { type RequestHandler, Router } from 'express';
import { answering, type ProtocolEndpoint } from '#src/entrances/web/runner_answers.ts';
import { addArtifacts } from '#src/entrances/web/runner_artifacts.ts';
import { addJobs } from '#src/entrances/web/runner_jobs.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { addRegistration } from '#src/entrances/web/runner_registration.ts';
import { addTraces } from '#src/entrances/web/runner_traces.ts';

/** Adds endpoints to the protocol; each part is in a file of its own. */
type Part = (router: Router, endpoint: ProtocolEndpoint, options: RunnerProtocolOptions) => void;

const PARTS: readonly Part[] = [addRegistration, addJobs, addTraces, addArtifacts];

/** The paths of the protocol: other requests are passed on. */
const PATH = /^\/(runners|jobs)(\/|$)/;

/**
 * The runner protocol below /api/v4 (runner-protocol.md), with tokens of its own. It is a separate entrance, as git's is: none of
 * its endpoints is for people or in the OpenAPI document. Other requests go to the next handler.
 */
export function runnerProtocol(options: RunnerProtocolOptions): RequestHandler {
  const endpoint = answering(options);
  const router = Router({ caseSensitive: true });
  for (const add of PARTS) add(router, endpoint, options);
  return (request, response, next) => (PATH.test(request.path) ? router(request, response, next) : next());
}
