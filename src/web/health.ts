import { Router } from 'express';
import type { Db } from '../db.ts';

export interface HealthOptions {
  db: Db;
  /** True once the server has begun to stop: it should get no new requests then. */
  isShuttingDown?: () => boolean;
}

/** Milliseconds that the database has for its answer. */
const deadline = 1_000;

/** `/-/liveness` says that the process answers, `/-/readiness` that it can do its work: 200 or 503. */
export function health({ db, isShuttingDown }: HealthOptions): Router {
  const router = Router();
  router.get('/-/liveness', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/-/readiness', async (_request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    if (isShuttingDown?.()) response.status(503).json({ status: 'stopping' });
    else if (await answers(db)) response.json({ status: 'ok' });
    else response.status(503).json({ status: 'failed', failed: ['database'] });
  });
  return router;
}

async function answers(db: Db): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, deadline, false);
  const asked = db.$queryRaw`select 1`.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
