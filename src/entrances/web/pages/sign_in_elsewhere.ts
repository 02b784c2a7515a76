import { Router } from 'express';
import { problemsOf, text } from '#pages/engine/fields.ts';
import { leadSaying } from '#pages/engine/notices.ts';
import { leadTo, localPath, type Pages, showError, type TablePages } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { countUses, spaced } from '#src/access/sign_in/attempts.ts';
import { keepChallenge, takeChallenge } from '#src/access/sign_in/challenges.ts';
import type { Begun, OpenIdProvider } from '#src/access/sign_in/providers/openid.ts';
import { openIdProvider } from '#src/access/sign_in/providers/registry.ts';
import { Unconfirmed } from '#src/access/sign_in/sign_in.ts';
import { connectDirectory, connectIdentity } from '#src/domain/lifecycle/accounts/connect.ts';
import { enterFromProvider } from '#src/domain/lifecycle/accounts/sign_in.ts';
import { go, showSignIn } from '#src/entrances/web/pages/sign_in.ts';
import { DomainError, Unauthenticated } from '#src/platform/errors.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** Seconds within which a browser must come back from a provider. */
export const PROVIDER_LIFETIME = 15 * 60;
/** How many sign-ins at providers one network can begin in WINDOW. */
export const BEGINNINGS = 60;
/** Seconds. */
const WINDOW = 10 * 60;

/** What is remembered of a browser while it is at a provider. */
interface Journey extends Begun {
  returnTo: string;
  /** The signed-in user who connects the account; null for a sign-in. */
  userId: number | null;
}

/** Signing in with an account elsewhere, and connecting such accounts. */
export function signInElsewherePages({ page, form, ownForm }: Pages, { again }: TablePages): Router {
  return Router()
    .get('/users/auth/:provider', leadTo('/users/sign_in'))
    .post('/users/auth/:provider', form(start))
    .get('/users/auth/:provider/callback', page(finish))
    .get('/profile/account/identities/:provider', leadTo('/profile/account'))
    .post('/profile/account/identities/:provider', ownForm(startConnecting))
    .get('/profile/account/directories/:provider', leadTo('/profile/account'))
    .post('/profile/account/directories/:provider', ownForm(connectWithPassword(again)));
}

async function start(visit: Visit): Promise<void> {
  const returnTo = localPath(visit.request.body.return_to, '');
  await send(visit, { returnTo, userId: null });
}

async function startConnecting(visit: Visit): Promise<void> {
  await send(visit, { returnTo: '/profile/account', userId: visit.session?.actor.id ?? null });
}

/**
 * Leads the browser to the provider by a page rather than a redirect, which the Content-Security-Policy of the page with the form
 * would have to allow.
 */
async function send(visit: Visit, journey: Pick<Journey, 'returnTo' | 'userId'>): Promise<void> {
  const { context } = visit;
  const { db, clientAddress } = context;
  const provider = await openIdProvider(db, nameIn(visit));
  if (clientAddress !== null) {
    const key = `sign-ins elsewhere ${networkOf(clientAddress)}`;
    await spaced(clientAddress, () => countUses(db, WINDOW, { [key]: BEGINNINGS }));
  }
  const { url, begun } = await provider.begin(callbackOf(visit));
  await keepChallenge(context, keyOf(visit, begun.state), { ...journey, ...begun }, PROVIDER_LIFETIME);
  const { label } = provider.settings;
  visit.show('leave', { title: visit.texts.t('Continue to {label}', { label }) }, { label, url });
}

async function finish(visit: Visit): Promise<void> {
  const { context, request, baseUrl } = visit;
  const provider = await openIdProvider(context.db, nameIn(visit));
  const journey = await takeChallenge<Journey>(context, keyOf(visit, text(request.query.state)));
  if (!journey) {
    return refuse(
      visit,
      null,
      new Unauthenticated('Your sign-in has expired, or began in another browser. Start again.'),
    );
  }
  try {
    const person = await provider.finish(new URL(`${baseUrl}${request.originalUrl}`), journey);
    if (journey.userId === null) await signIn(visit, provider, journey, person);
    else {
      await connectIdentity(context, provider.settings, person);
      leadSaying(visit, '/profile/account', 'identity_connected');
    }
  } catch (error) {
    refuse(visit, journey, error);
  }
}

async function signIn(
  visit: Visit,
  { settings }: OpenIdProvider,
  { returnTo }: Journey,
  person: Parameters<typeof enterFromProvider>[2],
): Promise<void> {
  const next = await enterFromProvider(visit.context, settings, person);
  if (next.step === 'unconfirmed') leadSaying(visit, '/users/sign_in', 'signed_up');
  else await go(visit, next, returnTo);
}

/** Says on the page where the sign-in began why there was none. Rethrows what visitors are told nothing of. */
function refuse(visit: Visit, journey: Journey | null, error: unknown): Promise<void> | void {
  if (!(error instanceof DomainError)) throw error;
  const { t } = visit.texts;
  if (error.code === 'UNAUTHENTICATED' && !visit.session) {
    const problem = error.reason === 'explained' ? error.message : 'You could not be signed in.';
    const returnTo = journey?.returnTo ?? '';
    return showSignIn(visit, { returnTo, problem, unconfirmed: error instanceof Unconfirmed }, 401);
  }
  if (error.code === 'UNAUTHENTICATED') return showError(visit, 401, t('You could not be signed in'), error.message);
  if (error.code === 'CONFLICT') return showError(visit, 409, t('The accounts were not connected'), error.message);
  throw error;
}

function connectWithPassword(again: TablePages['again']): (visit: Visit) => Promise<void> {
  return async (visit) => {
    const { context, request } = visit;
    const { directory_login: login, directory_password: password } = request.body;
    try {
      await connectDirectory(context, nameIn(visit), { login: text(login), password: text(password) });
      leadSaying(visit, '/profile/account', 'identity_connected');
    } catch (error) {
      await again('/profile/account', visit, problemsOf(error), { directory_login: text(login) });
    }
  };
}

function nameIn({ request }: Visit): string {
  return text(request.params.provider);
}

function callbackOf(visit: Visit): string {
  return `${visit.baseUrl}/users/auth/${nameIn(visit)}/callback`;
}

/** A sign-in belongs to the browser that began it: the token of its forms comes of its session, or of a cookie of its own. */
function keyOf(visit: Visit, state: string): string {
  return `provider ${nameIn(visit)} ${state} ${visit.csrf}`;
}
