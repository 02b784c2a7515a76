import type { Request, Response } from 'express';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { Db } from '#src/platform/database/db.ts';

/** What the composition root passes to the OAuth server. */
export interface OAuthOptions {
  db: Db;
  /** Key material for encrypted columns. */
  secret: string;
  contextOf(actor: Actor | null, request: Request): Context;
  /** Token of the browser's session; undefined without one. */
  sessionTokenOf(request: Request): string | undefined;
  /** URL of the server as the request used it, without a trailing slash. */
  baseUrl(request: Request): string;
  /** URL by which clients know this server, without a trailing slash; read when first needed. */
  issuer(): string;
  /** Shows why an application cannot be authorized if the client accepts HTML; returns false when it did not answer. */
  showRefusal(request: Request, response: Response, refusal: AuthorizationRefusal): Promise<boolean>;
  /** Registers a client that asks for it; clients cannot register themselves when absent. Throws ValidationFailed, RateLimited. */
  registerClient?(context: Context, client: ClientValues): Promise<RegisteredClient>;
  /** Called with unexpected errors. */
  report(error: unknown, request: Request): void;
}

/** Why an application cannot be authorized. */
export interface AuthorizationRefusal {
  status: number;
  /** Human-readable. */
  message: string;
}

/** What a client that registers itself says of itself. */
export interface ClientValues {
  name: string;
  redirectUris: readonly string[];
  scopes: readonly string[];
}

/** A client that has registered itself. */
export interface RegisteredClient extends ClientValues {
  /** The client_id. */
  uid: string;
  createdAt: Date;
}
