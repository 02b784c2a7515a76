import { constants } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import { mayCompress, offerCompression } from '#src/platform/compressible.ts';

/** Size in bytes from which a response is compressed. */
const THRESHOLD = 1024;

/** A window of 256 KiB: the default takes megabytes of memory per response, and gains little for JSON. */
const WINDOW = { [constants.BROTLI_PARAM_LGWIN]: 18 };

/** Listeners of one event of a response: the server's limits and a compressed stream add 11. */
const MAX_LISTENERS = 20;

/** The supported encodings; clients that accept none cost nothing. */
const ENCODINGS = /\b(?:br|gzip|deflate)\b|\*/;

/**
 * Compresses responses that allow it (src/platform/compressible.ts), with Brotli or gzip as the client accepts. Zlib works in
 * threads, chunk by chunk, and no faster than the client reads.
 */
export function compressAnswers(): RequestHandler {
  const compress = compression({ threshold: THRESHOLD, filter, level: 5, brotli: { params: WINDOW } });
  return (request, response, next) => {
    offerCompression(response);
    const accepted = request.headers['accept-encoding'];
    if (accepted === undefined || !ENCODINGS.test(accepted)) return next();
    response.setMaxListeners(MAX_LISTENERS);
    compress(request.method === 'HEAD' ? asGet(request) : request, response, next);
  };
}

/** HEAD gets the same headers as GET: no length, as that is only known after compression. */
function asGet(request: Request): Request {
  return Object.create(request, { method: { value: 'GET' } });
}

/** Responses without content, partial ones and event streams are not compressed. */
function filter(request: Request, response: Response): boolean {
  const { statusCode } = response;
  if (!mayCompress(response) || [204, 206, 304].includes(statusCode)) return false;
  return (
    !String(response.getHeader('Content-Type')).startsWith('text/event-stream') && compression.filter(request, response)
  );
}
