import type { Request, Response } from 'express';
import { render } from '#src/entrances/web/pages/render.ts';
import type { PageOptions } from '#src/entrances/web/pages/visit.ts';
import type { DomainError } from '#src/platform/errors.ts';

/** Responds with 503 without using the database, which may be unavailable: a page for browsers, JSON for other clients. */
export async function unavailable(
  { stylesheet }: Pick<PageOptions, 'stylesheet'>,
  refusal: DomainError,
  request: Request,
  response: Response,
): Promise<void> {
  response.setHeader('Retry-After', String(refusal.extensions.retryAfter));
  const { message } = refusal;
  if (request.accepts(['json', 'html']) !== 'html') return void response.status(503).json({ error: message });
  const frame = { title: 'Temporarily unavailable', message, username: null, csrf: '', script: '' };
  render(response, 503, 'error', { ...frame, stylesheet: await stylesheet().catch(() => '') });
}
