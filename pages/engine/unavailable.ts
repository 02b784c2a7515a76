import type { Request, Response } from 'express';
import { NO_BRANDING } from '#pages/engine/branding.ts';
import { refusalIn } from '#pages/engine/refusals.ts';
import { render } from '#pages/engine/render.ts';
import { languageFor, type PageOptions } from '#pages/engine/visit.ts';
import type { DomainError } from '#src/platform/errors.ts';
import { textsIn } from '#src/platform/texts/texts.ts';

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
  const language = languageFor(request, null);
  const texts = textsIn(language);
  const title = texts.t('Temporarily unavailable');
  const frame = {
    language,
    timezone: null,
    title,
    username: null,
    csrf: '',
    script: '',
    later: { formulas: '', diagram: '', editor: '' },
    branding: NO_BRANDING,
  };
  const page = { ...frame, stylesheet: await stylesheet().catch(() => '') };
  render(response, 503, 'error', page, { message: refusalIn(texts, message), signIn: null });
}
