import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { type Actor, actorFor, type Context } from '#src/access/permissions/actor.ts';
import { PICTURES } from '#src/domain/uploads/create.ts';
import { type FoundUpload, findUpload } from '#src/domain/uploads/find.ts';
import type { ByteRange } from '#src/domain/uploads/store.ts';
import { knownCaller } from '#src/entrances/web/known_caller.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';

export interface UploadOptions {
  contextOf(actor: Actor | null, request: Request): Context;
  /** Identifies the caller by credential or session. Throws DomainErrors. */
  authenticate(request: Request): Promise<Actor | null>;
}

const PATH = /^\/(.+)\/uploads\/([0-9a-f]{32})\/([\w.+-]+)$/;

/** Serves uploaded files at the URL that `POST /projects/:id/uploads` returned, for users who can see the project. */
export function serveUploads({ contextOf, authenticate }: UploadOptions): RequestHandler {
  return async (request, response, next) => {
    const [, encoded = '', secret = '', fileName = ''] = PATH.exec(request.path) ?? [];
    if (secret === '' || !['GET', 'HEAD'].includes(request.method)) return next();
    try {
      const actor = await knownCaller(authenticate, request, response);
      if (actor === undefined) return;
      const context = contextOf(actorFor(actor, 'read'), request);
      await send(context, await findUpload(context, decodeURIComponent(encoded), secret, fileName), request, response);
    } catch (error) {
      // Invisible uploads get the same page as missing ones.
      if (error instanceof URIError || (error instanceof DomainError && error.code !== 'UNAVAILABLE')) next();
      else next(error);
    }
  };
}

/** Sends a file or the requested range of it. Throws NotFound if it is recorded but missing. */
async function send(context: Context, upload: FoundUpload, request: Request, response: Response): Promise<void> {
  const { secret, fileName } = upload.place;
  const picture = PICTURES[path.extname(fileName).toLowerCase()];
  response.set({
    'Content-Type': picture ?? 'application/octet-stream',
    'Content-Disposition': `${picture ? 'inline' : 'attachment'}; filename="${fileName}"`,
    'Content-Security-Policy': 'sandbox',
    'Cache-Control': 'max-age=0, private, must-revalidate',
    'Accept-Ranges': 'bytes',
    // The content at a secret never changes.
    ETag: `"${secret}"`,
    'Last-Modified': upload.createdAt.toUTCString(),
  });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  const { uploads } = context;
  const range = rangeOf(request, upload);
  if (range === 'unsatisfiable') {
    response.status(416).set('Content-Range', `bytes */${upload.size}`).end();
    return;
  }
  const content = request.method === 'HEAD' ? null : await uploads.read(upload.place, range ?? undefined);
  if (!(content ?? (await uploads.has(upload.place)))) throw new NotFound('File');
  response.set('Content-Length', String(range ? range.end - range.start + 1 : upload.size));
  if (range) response.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${upload.size}`);
  if (!content) {
    response.end();
    return;
  }
  // If the client disconnects or the store fails midway, the response ends short of its length.
  await pipeline(content, response).catch(() => response.destroy());
}

/** The requested range; null for the whole, also if several ranges are requested. */
function rangeOf(request: Request, { place, size, createdAt }: FoundUpload): ByteRange | 'unsatisfiable' | null {
  const condition = request.get('If-Range');
  if (condition !== undefined && condition !== `"${place.secret}"` && condition !== createdAt.toUTCString())
    return null;
  const ranges = request.range(size, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (!Array.isArray(ranges) || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}
