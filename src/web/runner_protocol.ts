import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Context } from '#src/access/actor.ts';
import type { RawContent } from '#src/repository/raw.ts';
import type { QueueWatch } from '#src/runners/queue_watch.ts';
import { type Answering, answering, type ProtocolEndpoint } from '#src/web/runner_answers.ts';
import { addArtifacts } from '#src/web/runner_artifacts.ts';
import { addJobs } from '#src/web/runner_jobs.ts';
import { addRegistration } from '#src/web/runner_registration.ts';
import { addTraces } from '#src/web/runner_traces.ts';

export interface RunnerProtocolOptions extends Answering {
  stores: Pick<Context, 'db' | 'secret' | 'jobs' | 'repositories' | 'uploads'>;
  /** URL of the server, without a trailing slash. */
  baseUrl(request: Request): string;
  /** Knows whether there may be a job for a runner. */
  queue: Pick<QueueWatch, 'valueFor'>;
  /**
   * The parameters of a body of at most so many bytes: JSON or a form, of which one parameter may be a SpooledFile. Throws
   * errors with a `status`.
   */
  readBody(request: Request, bytes: number, file?: { name: string; bytes: number }): Promise<Record<string, unknown>>;
  /** Sends a content, or the part of it that is asked for. */
  sendContent(content: RawContent, request: Request, response: Response): Promise<void>;
}

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
