import type { Request, Response } from 'express';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { Db } from '#src/platform/database/db.ts';

/** What the OAuth server is handed by the composition root. */
export interface OAuthOptions {
  db: Db;
  /** Key material for what is stored encrypted. */
  secret: string;
  contextOf(actor: Actor | null, request: Request): Context;
  /** Token of the browser's session; undefined without one. */
  sessionTokenOf(request: Request): string | undefined;
  /** URL of the server as the request used it, without a trailing slash. */
  baseUrl(request: Request): string;
  /** URL by which clients know this server, without a trailing slash; asked for when it is first needed. */
  issuer(): string;
  /** Shows why an application cannot be authorized, if the client wants a page; false where nothing was answered. */
  showRefusal(request: Request, response: Response, refusal: AuthorizationRefusal): Promise<boolean>;
  /** Called with unexpected errors. */
  report(error: unknown, request: Request): void;
}

/** Why an application cannot be authorized. */
export interface AuthorizationRefusal {
  status: number;
  /** For people. */
  message: string;
}
