import { type RequestHandler, Router } from 'express';
import { createPersonalAccessToken } from '#src/access/credentials/tokens/create.ts';
import {
  listPersonalAccessTokens,
  type MadeToken,
  TOKEN,
  type TokenRow,
  type TokenState,
} from '#src/access/credentials/tokens/list.ts';
import { revokePersonalAccessToken } from '#src/access/credentials/tokens/revoke.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { offeredScopes } from '#src/access/permissions/scopes.ts';
import { hasConfirmed, named } from '#src/entrances/web/pages/asking.ts';
import { type Problems, problemsOf, text } from '#src/entrances/web/pages/fields.ts';
import { leadSaying } from '#src/entrances/web/pages/notices.ts';
import { leadTo, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The personal access tokens of the signed-in user. */
export function tokenPages({ own, ownForm }: Pages): Router {
  return Router()
    .get('/-/user_settings/personal_access_tokens', moved('/profile/personal_access_tokens'))
    .get('/-/profile/personal_access_tokens', moved('/profile/personal_access_tokens'))
    .get('/-/user_settings/applications', moved('/profile/applications'))
    .get(['/-/user_settings/:of', '/-/profile/:of'], (request, response, next) => {
      const path = MOVED.get(String(request.params.of));
      return path === undefined ? next() : response.redirect(302, path);
    })
    .get('/profile/personal_access_tokens', own(showTokens))
    .post('/profile/personal_access_tokens', ownForm(create))
    .get('/profile/personal_access_tokens/:id/revoke', leadTo('/profile/personal_access_tokens'))
    .post('/profile/personal_access_tokens/:id/revoke', ownForm(revoke));
}

/** Where pages are now whose addresses people know. */
const MOVED = new Map([
  ['ssh_keys', '/profile/keys'],
  ['keys', '/profile/keys'],
  ['gpg_keys', '/profile/keys'],
  ['active_sessions', '/profile/sessions'],
  ['notifications', '/profile/notifications'],
  ['preferences', '/profile/preferences'],
  ['account', '/profile/account'],
  ['profile', '/profile'],
]);

/** Leads from an address that programs and instructions know, with the query, which fills in the form. */
function moved(path: string): RequestHandler {
  return ({ originalUrl }, response) => {
    const at = originalUrl.indexOf('?');
    response.redirect(302, path + (at < 0 ? '' : originalUrl.slice(at)));
  };
}

/** How many tokens of each state the page shows. */
const SHOWN = 100;

interface Values {
  name: string;
  expiresAt: string;
  scopes: string[];
}

interface Shown {
  values?: Values;
  problems?: Problems;
  /** The token that was just created, whose text is only shown once. */
  made?: MadeToken<TokenRow>;
}

/** The form is filled in with what the query says, for programs that ask for a token. */
function showTokens(visit: Visit): Promise<void> {
  const { name, expires_at: expiresAt, scopes } = visit.request.query;
  const wanted = text(scopes)
    .split(',')
    .map((scope) => scope.trim());
  return show(visit, { values: { name: text(name), expiresAt: text(expiresAt), scopes: wanted } });
}

async function show(visit: Visit, { values, problems = {}, made }: Shown, status = 200): Promise<void> {
  const lists = [
    await list(visit, 'active', visit.texts.t('Active tokens')),
    await list(visit, 'inactive', visit.texts.t('Inactive tokens')),
  ];
  const shown: ShownTokens = {
    scopes: offeredScopes({ admin: visit.session?.actor.admin ?? false }),
    values: values ?? { name: '', expiresAt: '', scopes: [] },
    problems,
    made: made ?? null,
    lists,
  };
  visit.show('tokens', { title: visit.texts.t('Personal access tokens') }, { ...shown }, status);
}

/** What the page shows. */
export interface ShownTokens {
  scopes: ReturnType<typeof offeredScopes>;
  values: Values;
  problems: Problems;
  made: MadeToken<TokenRow> | null;
  lists: Awaited<ReturnType<typeof list>>[];
}

async function list({ context }: Visit, state: TokenState, title: string) {
  const { id } = requireActor(context);
  const page = { limit: SHOWN, offset: 0, withTotal: true };
  const { nodes, total } = await listPersonalAccessTokens(context, id, state, page, TOKEN);
  return { title, active: state === 'active', tokens: nodes, total, more: (total ?? 0) > nodes.length };
}

async function create(visit: Visit): Promise<void> {
  const { name, expires_at: expiresAt, scopes = [] } = visit.request.body;
  const values = { name: text(name), expiresAt: text(expiresAt), scopes: [scopes].flat().map(text) };
  try {
    const made = await createPersonalAccessToken(
      visit.context,
      { ...values, expiresAt: values.expiresAt || null },
      TOKEN,
    );
    await show(visit, { made });
  } catch (error) {
    await show(visit, { values, problems: problemsOf(error) }, 422);
  }
}

async function revoke(visit: Visit): Promise<void> {
  const id = text(visit.request.params.id);
  if (!/^\d{1,9}$/.test(id)) throw new NotFound('Personal Access Token');
  const { t } = visit.texts;
  const question = {
    heading: t('Revoke {name}?', { name: named(visit.request.body) }),
    says: [t('Programs that use it lose their access at once. This cannot be undone.')],
    button: t('Revoke token'),
    back: '/profile/personal_access_tokens',
  };
  if (!hasConfirmed(visit, question)) return;
  await revokePersonalAccessToken(visit.context, { id: Number(id) }, TOKEN);
  leadSaying(visit, '/profile/personal_access_tokens', 'token_revoked');
}
