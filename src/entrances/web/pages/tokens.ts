import { Router } from 'express';
import { createPersonalAccessToken } from '#src/access/credentials/tokens/create.ts';
import { listPersonalAccessTokens, type TokenRow, type TokenState } from '#src/access/credentials/tokens/list.ts';
import { revokePersonalAccessToken } from '#src/access/credentials/tokens/revoke.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { noticeOf, type Problems, problemsOf, text } from '#src/entrances/web/pages/fields.ts';
import { leadTo, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The personal access tokens of the signed-in user. */
export function tokenPages({ own, ownForm }: Pages): Router {
  return Router()
    .get('/profile/personal_access_tokens', own(showTokens))
    .post('/profile/personal_access_tokens', ownForm(create))
    .get('/profile/personal_access_tokens/:id/revoke', leadTo('/profile/personal_access_tokens'))
    .post('/profile/personal_access_tokens/:id/revoke', ownForm(revoke));
}

/** How many tokens of each state the page shows. */
const SHOWN = 100;

const SCOPES = [
  ['api', 'Full access to your account through the API and git.'],
  ['read_api', 'Read everything that you can see through the API, without changing anything.'],
  ['read_user', 'Read your account and the public profiles of other users.'],
  ['read_repository', 'Clone and fetch repositories with git over HTTP, and download their files and archives.'],
  ['write_repository', 'Fetch from and push to repositories with git over HTTP.'],
  ['read_registry', 'Pull images from the container registry.'],
  ['write_registry', 'Push images to the container registry.'],
] as const;

/** Offered to administrators only. */
const METRICS = ['read_metrics', 'Read the metrics of this server, for monitoring.'] as const;

interface Values {
  name: string;
  expiresAt: string;
  scopes: string[];
}

interface Shown {
  values?: Values;
  problems?: Problems;
  /** The token that was just created, whose text is only shown once. */
  made?: TokenRow;
}

function showTokens(visit: Visit): Promise<void> {
  return show(visit, {});
}

async function show(visit: Visit, { values, problems = {}, made }: Shown, status = 200): Promise<void> {
  const lists = [await list(visit, 'active', 'Active tokens'), await list(visit, 'inactive', 'Inactive tokens')];
  const shown = {
    scopes: visit.session?.actor.admin ? [...SCOPES, METRICS] : SCOPES,
    values: values ?? { name: '', expiresAt: '', scopes: [] },
    problems,
    made: made ?? null,
    lists,
  };
  visit.show('tokens', { title: 'Personal access tokens', notice: noticeOf(visit.request), ...shown }, status);
}

async function list({ context }: Visit, state: TokenState, title: string) {
  const { id } = requireActor(context);
  const page = { limit: SHOWN, offset: 0, withTotal: true };
  const { nodes, total } = await listPersonalAccessTokens(context, id, state, page);
  return { title, active: state === 'active', tokens: nodes, total, more: (total ?? 0) > nodes.length };
}

async function create(visit: Visit): Promise<void> {
  const { name, expires_at: expiresAt, scopes = [] } = visit.request.body;
  const values = { name: text(name), expiresAt: text(expiresAt), scopes: [scopes].flat().map(text) };
  try {
    const made = await createPersonalAccessToken(visit.context, { ...values, expiresAt: values.expiresAt || null });
    await show(visit, { made });
  } catch (error) {
    await show(visit, { values, problems: problemsOf(error) }, 422);
  }
}

async function revoke(visit: Visit): Promise<void> {
  const id = text(visit.request.params.id);
  if (!/^\d{1,9}$/.test(id)) throw new NotFound('Personal Access Token');
  await revokePersonalAccessToken(visit.context, { id: Number(id) });
  visit.response.redirect(303, '/profile/personal_access_tokens?notice=token_revoked');
}
