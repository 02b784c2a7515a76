import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { type Logger, redactUrl } from '#src/log.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in logs, in `X-Request-Id` and in reports of unexpected errors. */
    id: string;
  }
}

/**
 * Gives each request an id (the client's own `X-Request-Id` where that is sane), and logs one line when its response has
 * been sent or broken off.
 */
export function requestLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const begun = performance.now();
    const proposed = request.headers['x-request-id'];
    request.id = typeof proposed === 'string' && saneRequestId.test(proposed) ? proposed : randomUUID();
    response.setHeader('X-Request-Id', request.id);
    if (log.isLevelEnabled('info')) {
      const { method, originalUrl } = request;
      response.once('close', () => {
        const ms = Math.round((performance.now() - begun) * 10) / 10;
        const aborted = response.writableFinished ? undefined : true;
        log.info(
          { id: request.id, method, path: redactUrl(originalUrl), status: response.statusCode, ms, aborted },
          'request',
        );
      });
    }
    next();
  };
}

/** Request ids that clients may choose: nothing that could break a log line or a header. */
const saneRequestId = /^[A-Za-z0-9._-]{1,64}$/;
