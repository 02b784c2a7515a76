import type { Request, Response } from 'express';
import type { Actor } from '#src/access/permissions/actor.ts';
import { DomainError } from '#src/platform/errors.ts';

/**
 * The caller of a request for a file; null for nobody, undefined where its credential is good for nothing, which is answered with
 * 401. Throws other DomainErrors.
 */
export async function knownCaller(
  authenticate: (request: Request) => Promise<Actor | null>,
  request: Request,
  response: Response,
): Promise<Actor | null | undefined> {
  try {
    return await authenticate(request);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'UNAUTHENTICATED') throw error;
    response.status(401).type('text/plain').send(`${error.message}\n`);
    return undefined;
  }
}
