import type { Request, RequestHandler, Response } from 'express';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { readSnippetAt } from '#src/domain/snippets/raw.ts';
import { DomainError } from '#src/platform/errors.ts';

export interface RawSnippetOptions {
  contextOf(actor: Actor | null, request: Request): Context;
  /** Who asks, by credential or by the session of a browser. Throws DomainErrors. */
  authenticate(request: Request): Promise<Actor | null>;
  /** Sends content as it is, such that no browser takes it for a page of this server. */
  sendContent(content: RawContent, request: Request, response: Response): Promise<void>;
}

const PATH = /^(?:\/(.+))?\/snippets\/(\d{1,9})\/raw$/;

/** The text of snippets, at the URLs that `raw_url` gives, for those who can see them. */
export function serveRawSnippets({ contextOf, authenticate, sendContent }: RawSnippetOptions): RequestHandler {
  return async (request, response, next) => {
    const [, place, id] = PATH.exec(request.path) ?? [];
    if (id === undefined || !['GET', 'HEAD'].includes(request.method)) return next();
    try {
      const context = contextOf(await authenticate(request), request);
      const fullPath = place === undefined ? null : decodeURIComponent(place);
      await sendContent(await readSnippetAt(context, fullPath, Number(id)), request, response);
    } catch (error) {
      // What may not be seen is not there; the page that says so follows.
      if (error instanceof URIError || (error instanceof DomainError && error.code !== 'UNAVAILABLE')) next();
      else next(error);
    }
  };
}
