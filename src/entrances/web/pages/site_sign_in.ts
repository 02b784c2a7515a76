import { Router } from 'express';
import { text } from '#pages/engine/fields.ts';
import type { Pages } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { passSessionOn, SIGN_IN_PATH } from '#src/domain/sites/sign_in.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Leads browsers back to the site that they came from, signed in there as here. */
export function siteSignInPages({ own }: Pages): Router {
  return Router().get(SIGN_IN_PATH, own(leadBack));
}

async function leadBack({ context, session, request, response }: Visit): Promise<void> {
  const { host, path, state } = request.query;
  if (!session) throw new NotFound('Site');
  const wanted = { host: text(host), path: text(path), state: text(state) };
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.redirect(302, await passSessionOn(context, session.id, wanted));
}
