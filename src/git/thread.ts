import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * Starts a thread that sends nothing but its answers: under `node --watch` (`npm run dev`) threads would also send the names of
 * the modules that they load, as messages like any other.
 */
export function startThread(script: string | URL, resourceLimits: ResourceLimits): Worker {
  const { WATCH_REPORT_DEPENDENCIES: _reports, ...env } = process.env;
  return new Worker(script, { execArgv: [], resourceLimits, env });
}
