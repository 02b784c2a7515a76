import type { RequestHandler } from 'express';

/** Breaks off requests whose body does not arrive within that many milliseconds, unless a path may take longer. */
export function bodyTimeout(milliseconds: number, mayTakeLonger: (path: string) => boolean): RequestHandler {
  return (request, response, next) => {
    const { headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody && !mayTakeLonger(request.path)) {
      const timer = setTimeout(() => request.complete || request.destroy(), milliseconds);
      response.once('close', () => clearTimeout(timer));
    }
    next();
  };
}
