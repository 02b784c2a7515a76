import { Router } from 'express';
import { freshSession } from '#pages/engine/enter.ts';
import { problemsOf, text } from '#pages/engine/fields.ts';
import { leadSaying } from '#pages/engine/notices.ts';
import { leadTo, type Pages, type TablePages } from '#pages/engine/page.ts';
import { refusalIn } from '#pages/engine/refusals.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { countUses, spaced } from '#src/access/sign_in/attempts.ts';
import { addPasskey, registrationOptions } from '#src/access/sign_in/passkeys/manage.ts';
import { signInOptions } from '#src/access/sign_in/passkeys/verify.ts';
import { passkeyFactorOptions, provePasskey, signInByPasskey } from '#src/access/sign_in/sign_in_steps.ts';
import {
  go,
  returnPath,
  showCodeForm,
  showSignIn,
  again as startOver,
  ticketOf,
} from '#src/entrances/web/pages/sign_in.ts';
import { DomainError, Unauthenticated, ValidationFailed } from '#src/platform/errors.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** How many sign-ins with passkeys one network can begin in WINDOW. */
export const PASSKEY_BEGINNINGS = 60;
/** Seconds. */
const WINDOW = 10 * 60;

/** Passkeys: signing in with them, as a second factor or alone, and those of the own account. Only these pages need a script. */
export function passkeyPages({ form, ownForm }: Pages, { again }: TablePages): Router {
  return Router()
    .get(['/users/passkey', '/users/passkey/begin'], leadTo('/users/sign_in'))
    .post('/users/passkey/begin', form(beginSignIn))
    .post('/users/passkey', form(signIn))
    .get(['/users/two_factor/passkey', '/users/two_factor/passkey/begin'], leadTo('/users/two_factor'))
    .post('/users/two_factor/passkey/begin', form(beginFactor))
    .post('/users/two_factor/passkey', form(proveFactor))
    .get(['/profile/passkeys', '/profile/passkeys/begin'], leadTo('/profile/account'))
    .post(
      '/profile/passkeys/begin',
      ownForm((visit) => beginRegistration(visit, again)),
    )
    .post(
      '/profile/passkeys',
      ownForm((visit) => register(visit, again)),
    );
}

async function beginSignIn(visit: Visit): Promise<void> {
  const { db, clientAddress } = visit.context;
  if (clientAddress !== null) {
    const key = `passkey sign-ins ${networkOf(clientAddress)}`;
    await spaced(clientAddress, () => countUses(db, WINDOW, { [key]: PASSKEY_BEGINNINGS }));
  }
  const options = await signInOptions(visit.context, visit);
  ask(visit, { title: visit.texts.t('Sign in with a passkey'), action: '/users/passkey', kind: 'get', options });
}

async function signIn(visit: Visit): Promise<void> {
  try {
    await go(visit, await signInByPasskey(visit.context, visit, text(visit.request.body.answer)));
  } catch (error) {
    const refused = error instanceof ValidationFailed;
    if (!refused && !(error instanceof Unauthenticated)) throw error;
    const problem = refused
      ? visit.texts.t('The passkey {problem}.', {
          problem: refusalIn(visit.texts, error.fields.passkey?.join(', ') ?? ''),
        })
      : error.message;
    await showSignIn(visit, { returnTo: returnPath(visit), problem }, 401);
  }
}

async function beginFactor(visit: Visit): Promise<void> {
  await factor(visit, async () => {
    const options = await passkeyFactorOptions(visit.context, visit, ticketOf(visit));
    ask(visit, {
      title: visit.texts.t('Two-factor authentication'),
      action: '/users/two_factor/passkey',
      kind: 'get',
      options,
    });
  });
}

async function proveFactor(visit: Visit): Promise<void> {
  const answer = text(visit.request.body.answer);
  await factor(visit, async () => go(visit, await provePasskey(visit.context, visit, ticketOf(visit), answer)));
}

/** Starts over without a ticket, and shows the form for codes again if the passkey is refused. */
async function factor(visit: Visit, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') startOver(visit);
    else showCodeForm(visit, problemsOf(error), 422);
  }
}

async function beginRegistration(visit: Visit, again: TablePages['again']): Promise<void> {
  const { context, request, session } = visit;
  const { passkey_password: password, passkey_code: code, passkey_name: name } = request.body;
  const proof = {
    password: text(password),
    code: text(code),
    signedInSeconds: session?.age ?? Number.POSITIVE_INFINITY,
  };
  try {
    const options = await registrationOptions(context, visit, proof);
    ask(visit, {
      title: visit.texts.t('Add a passkey'),
      action: '/profile/passkeys',
      kind: 'create',
      options,
      name: text(name),
    });
  } catch (error) {
    const problems = problemsOf(error, { password: 'passkey_password', code: 'passkey_code' });
    await again('/profile/account', visit, problems, { passkey_name: text(name) });
  }
}

async function register(visit: Visit, again: TablePages['again']): Promise<void> {
  const { context, request } = visit;
  const { passkey_name: name, answer } = request.body;
  try {
    const enabled = await addPasskey(context, visit, { name: text(name), answer: text(answer) });
    if (!enabled) return leadSaying(visit, '/profile/account', 'passkey_added');
    const csrf = await freshSession(visit, requireActor(context).id);
    const message = visit.texts.t('The passkey was added, and two-factor authentication is enabled.');
    const shown = { codes: enabled.recoveryCodes, message, renewed: true };
    visit.show('recovery_codes', { title: visit.texts.t('Recovery codes'), csrf }, shown);
  } catch (error) {
    await again('/profile/account', visit, problemsOf(error), { passkey_name: text(name) });
  }
}

/** The page from which a script asks the authenticator. */
function ask(
  visit: Visit,
  values: { title: string; action: string; kind: 'get' | 'create'; options: object; name?: string },
) {
  const { title, options, name = '', ...others } = values;
  visit.show(
    'passkey',
    { title },
    {
      ...others,
      passkeyName: name,
      options: JSON.stringify(options),
      returnTo: returnPath(visit),
    },
  );
}
