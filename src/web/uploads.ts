import path from 'node:path';
import type { Request, RequestHandler } from 'express';
import type { Actor, Context } from '#src/access/actor.ts';
import { DomainError } from '#src/errors.ts';
import { PICTURES } from '#src/uploads/create.ts';
import { findUpload } from '#src/uploads/find.ts';

export interface UploadOptions {
  contextOf(actor: Actor | null, request: Request): Context;
  /** Who asks, by credential or by the session of a browser. Throws DomainErrors. */
  authenticate(request: Request): Promise<Actor | null>;
}

const PATH = /^\/(.+)\/uploads\/([0-9a-f]{32})\/([\w.+-]+)$/;

/** Uploaded files, at the address that `POST /projects/:id/uploads` gave, for who sees the project. */
export function serveUploads({ contextOf, authenticate }: UploadOptions): RequestHandler {
  return async (request, response, next) => {
    const [, encoded = '', secret = '', fileName = ''] = PATH.exec(request.path) ?? [];
    if (secret === '' || !['GET', 'HEAD'].includes(request.method)) return next();
    try {
      const context = contextOf(await authenticate(request), request);
      const place = await findUpload(context, decodeURIComponent(encoded), secret, fileName);
      const picture = PICTURES[path.extname(fileName).toLowerCase()];
      response.sendFile(context.uploads.pathOf(place), {
        dotfiles: 'allow',
        cacheControl: false,
        headers: {
          'Content-Type': picture ?? 'application/octet-stream',
          'Content-Disposition': `${picture ? 'inline' : 'attachment'}; filename="${fileName}"`,
          'Content-Security-Policy': 'sandbox',
          'Cache-Control': 'max-age=0, private, must-revalidate',
        },
      });
    } catch (error) {
      // What may not be seen is not there; the page that says so follows.
      if ((error instanceof DomainError && error.code !== 'UNAVAILABLE') || error instanceof URIError) next();
      else next(error);
    }
  };
}
