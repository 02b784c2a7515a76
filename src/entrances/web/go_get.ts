import type { Request, RequestHandler } from 'express';
import { type Actor, actorFor, type Context } from '#src/access/permissions/actor.ts';
import { findRepositoryAbove } from '#src/domain/projects/above.ts';
import { identifyRemote } from '#src/domain/repository/access_remote.ts';
import { CHALLENGE } from '#src/entrances/web/git_remote.ts';
import { type SshPlace, sshUrl } from '#src/platform/config/ssh_address.ts';
import { DomainError } from '#src/platform/errors.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface GoGetOptions {
  contextOf(actor: Actor | null, request: Request): Context;
  /** URL of the server, without a trailing slash. */
  baseUrl(request: Request): string;
  sshAddress(): SshPlace;
  report(error: unknown, request: Request): void;
}

/** Longest path in bytes, and the pattern of its parts. */
const MAX_PATH_BYTES = 1024;
const PART = /^[\w.~+-]+$/;

/**
 * Tells the Go toolchain which repository a package is in (`?go-get=1`). If the caller sees no project along the path, its first
 * two parts are answered as one, so that responses do not reveal which projects exist.
 */
export function goGet({ contextOf, baseUrl, sshAddress, report }: GoGetOptions): RequestHandler {
  return async (request, response, next) => {
    const { path, method, query } = request;
    if (query['go-get'] !== '1' || !['GET', 'HEAD'].includes(method)) return next();
    const parts = path.split('/').filter((part) => part !== '');
    if (parts.length < 2 || path.length > MAX_PATH_BYTES || !parts.every((part) => PART.test(part))) return next();
    try {
      const actor = await identifyRemote(contextOf(null, request), request.headers);
      const context = contextOf(actorFor(actor, 'fetch'), request);
      const root = (await findRepositoryAbove(context, parts)) ?? parts.slice(0, 2).join('/');
      const { enabledGitAccessProtocol: only } = await currentSettings(context.db);
      const base = baseUrl(request);
      const address = only === 'ssh' ? sshUrl(root, base, sshAddress()) : `${base}/${root}.git`;
      const content = `${base.replace(/^https?:\/\//, '')}/${root} git ${address}`;
      response.setHeader('Cache-Control', 'no-store');
      response.setHeader('Content-Security-Policy', "default-src 'none'; form-action 'none'");
      response
        .type('html')
        .send(`<!DOCTYPE html><html><head><meta name="go-import" content="${escapeHtml(content)}"></head></html>\n`);
    } catch (error) {
      if (!(error instanceof DomainError)) {
        report(error, request);
        return next(error);
      }
      const isUnknown = error.code === 'UNAUTHENTICATED';
      if (isUnknown) response.setHeader('WWW-Authenticate', CHALLENGE);
      const { retryAfter } = error.extensions;
      if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
      const status = { UNAUTHENTICATED: 401, RATE_LIMITED: 429, UNAVAILABLE: 503 }[error.code as string] ?? 403;
      response.status(status).type('text').send(`${error.message}\n`);
    }
  };
}
