import { Router } from 'express';
import { renewPrivateToken } from '#src/access/credentials/private_token.ts';
import { isConfirmed } from '#src/entrances/web/pages/asking.ts';
import type { Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';

/** Renews the private token of the signed-in user: asks for confirmation, and shows the new one once. */
export function privateTokenPages({ own, ownForm }: Pages): Router {
  return Router().get('/profile/private_token', own(confirm)).post('/profile/private_token', ownForm(renew));
}

function confirm(visit: Visit): void {
  visit.show('private_token', { title: visit.texts.t('Renew your private token') }, { token: null });
}

async function renew(visit: Visit): Promise<void> {
  if (!isConfirmed(visit.request.body)) return confirm(visit);
  const token = await renewPrivateToken(visit.context);
  visit.show('private_token', { title: visit.texts.t('Your private token was renewed') }, { token });
}
