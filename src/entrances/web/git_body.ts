import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Request } from 'express';
import { TooMuchSent } from '#src/git/incoming/invalid_request.ts';
import { limited } from '#src/platform/limits/limited.ts';

/**
 * The decompressed body, of so many bytes at most; reading it fails with TooMuchSent, or when the client disconnects. A
 * compressed body may unpack to `mostUnzipped` bytes, counted as they arrive. Throws TooMuchSent.
 */
export function gitBody(request: Request, most: number, mostUnzipped: number): Readable {
  const isCompressed = ['gzip', 'x-gzip'].includes(request.headers['content-encoding'] ?? '');
  const limit = isCompressed ? Math.min(most, mostUnzipped) : most;
  const refusal = () =>
    new TooMuchSent(
      limit === mostUnzipped && isCompressed
        ? `The compressed content has more than ${limit} bytes when it is unpacked (GANTRY_MAX_UNZIPPED_BYTES).`
        : `The content of the request has more than ${limit} bytes.`,
    );
  if (Number(request.headers['content-length'] ?? 0) > most) throw refusal();
  const source = isCompressed ? unzipped(request) : request;
  return limited(source, limit, refusal);
}

function unzipped(request: Request): Readable {
  const plain = createGunzip();
  request.once('error', (error) => plain.destroy(error));
  request.once('close', () => {
    if (!request.complete) plain.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  });
  return request.pipe(plain);
}
