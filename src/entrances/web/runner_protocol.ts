import { type RequestHandler, Router } from 'express';
import { answering, type ProtocolEndpoint } from '#src/entrances/web/runner_answers.ts';
import { addArtifacts } from '#src/entrances/web/runner_artifacts.ts';
import { addJobs } from '#src/entrances/web/runner_jobs.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { addRegistration } from '#src/entrances/web/runner_registration.ts';
import { addTraces } from '#src/entrances/web/runner_traces.ts';

/** What adds endpoints to the protocol, each in a file of its own. */
type Part = (router: Router, endpoint: ProtocolEndpoint, options: RunnerProtocolOptions) => void;

const PARTS: readonly Part[] = [addRegistration, addJobs, addTraces, addArtifacts];

/** Where anything of it may be: other requests are not looked at. */
const PATH = /^\/(runners|jobs)(\/|$)/;

/**
 * How runners talk to the server below /api/v4 (runner-protocol.md), by tokens of their own. It is an entrance of its own, as
 * git's is: no endpoint of it is for people, and none is in the OpenAPI document. What is not for it goes on to the next handler.
 */
export function runnerProtocol(options: RunnerProtocolOptions): RequestHandler {
  const endpoint = answering(options);
  const router = Router({ caseSensitive: true });
  for (const add of PARTS) add(router, endpoint, options);
  return (request, response, next) => (PATH.test(request.path) ? router(request, response, next) : next());
}
