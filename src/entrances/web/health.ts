import { type RequestHandler, Router } from 'express';
import type { Readiness } from '#src/platform/lifecycle/readiness.ts';

/**
 * `/-/liveness` says that the process responds, `/-/readiness` that it can do its work: 200, or 503 with the problem: `database`,
 * `disk`, `storage <name>`.
 */
export function health(readiness: Readiness): Router {
  const router = Router();
  router.get('/-/liveness', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/-/readiness', async (_request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    const problems = await readiness.problems();
    if (readiness.isStopping) response.status(503).json({ status: 'stopping' });
    else if (problems.length === 0) response.json({ status: 'ok' });
    else response.status(503).json({ status: 'failed', failed: problems.map(({ name }) => name) });
  });
  return router;
}

/** Makes clients open new connections, which a load balancer directs elsewhere, once the server is about to stop. */
export function closeWhenDraining(readiness: Readiness): RequestHandler {
  return (_request, response, next) => {
    if (readiness.isStopping) response.setHeader('Connection', 'close');
    next();
  };
}
