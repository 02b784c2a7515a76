import { constants } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import { mayCompress, offerCompression } from '#src/platform/compressible.ts';

/** Bytes from which on an answer is compressed. */
const THRESHOLD = 1024;

/** A window of 256 KiB: the usual one takes megabytes of memory for each answer, and gains little for JSON. */
const WINDOW = { [constants.BROTLI_PARAM_LGWIN]: 18 };

/** Listeners to one event of an answer: those of the server's limits and those of a stream that is compressed are 11. */
const MOST_LISTENERS = 20;

/** What can be compressed; clients that ask for none of it cost nothing. */
const ENCODINGS = /\b(?:br|gzip|deflate)\b|\*/;

/**
 * Compresses answers that allow it (src/platform/compressible.ts), as clients accept it: with Brotli, else gzip. Zlib works in
 * threads, piece by piece, and no faster than the client takes the answer.
 */
export function compressAnswers(): RequestHandler {
  const compress = compression({ threshold: THRESHOLD, filter, level: 5, brotli: { params: WINDOW } });
  return (request, response, next) => {
    offerCompression(response);
    const accepted = request.headers['accept-encoding'];
    if (accepted === undefined || !ENCODINGS.test(accepted)) return next();
    response.setMaxListeners(MOST_LISTENERS);
    compress(request.method === 'HEAD' ? asGet(request) : request, response, next);
  };
}

/** HEAD has the headers that GET has: without a length, as that is known only when all is compressed. */
function asGet(request: Request): Request {
  return Object.create(request, { method: { value: 'GET' } });
}

/** Answers without content, parts of one, and streams of events stay as they are. */
function filter(request: Request, response: Response): boolean {
  const { statusCode } = response;
  if (!mayCompress(response) || [204, 206, 304].includes(statusCode)) return false;
  return (
    !String(response.getHeader('Content-Type')).startsWith('text/event-stream') && compression.filter(request, response)
  );
}
