import type { Request, Response } from 'express';
import { allowCompression } from '#src/platform/compressible.ts';
import { packageRoot } from '#src/platform/package_root.ts';

/** Sends the GraphQL schema in its own language, for tools that read files rather than introspection. */
export function sendSchema(_request: Request, response: Response): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  allowCompression(response);
  // Parts of it are of no use, and not the same when it is compressed.
  response.sendFile('schema/schema.graphql', { root: packageRoot, cacheControl: false, acceptRanges: false });
}
