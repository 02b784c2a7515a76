import type { Request, RequestHandler, Response } from 'express';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { readSnippetAt } from '#src/domain/snippets/raw.ts';
import { knownCaller } from '#src/entrances/web/known_caller.ts';
import { DomainError } from '#src/platform/errors.ts';

export interface RawSnippetOptions {
  contextOf(actor: Actor | null, request: Request): Context;
  /** Identifies the caller by credential or session. Throws DomainErrors. */
  authenticate(request: Request): Promise<Actor | null>;
  /** Sends content as it is, so that no browser takes it for a page of this server. */
  sendContent(content: RawContent, request: Request, response: Response): Promise<void>;
}

/** Also without `-`, as earlier versions wrote them. */
const PATH =
  /^(?:\/((?!-\/).+?))?(?:\/-)?\/snippets\/(\d{1,9})\/raw(?:\/(main|master|HEAD|[0-9a-f]{7,40})\/(.{1,2000}))?$/;

/** Serves the text of snippets at their `raw_url`, for those who can see them. */
export function serveRawSnippets({ contextOf, authenticate, sendContent }: RawSnippetOptions): RequestHandler {
  return async (request, response, next) => {
    const [, place, id, ref, file] = PATH.exec(request.path) ?? [];
    if (id === undefined || !['GET', 'HEAD'].includes(request.method)) return next();
    try {
      const actor = await knownCaller(authenticate, request, response);
      if (actor === undefined) return;
      const context = contextOf(actor, request);
      const fullPath = place === undefined ? null : decodeURIComponent(place);
      const name = file === undefined ? undefined : decodeURIComponent(file);
      await sendContent(await readSnippetAt(context, fullPath, Number(id), name, ref), request, response);
    } catch (error) {
      // Invisible snippets get the same page as missing ones.
      if (error instanceof URIError || (error instanceof DomainError && error.code !== 'UNAVAILABLE')) next();
      else next(error);
    }
  };
}
