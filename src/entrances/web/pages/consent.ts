import { Router } from 'express';
import { askToSignIn, byOneself, pagesFor, showError } from '#pages/engine/page.ts';
import type { PageOptions, Visit } from '#pages/engine/visit.ts';
import { rememberScopes } from '#src/access/oauth/grants.ts';
import {
  begunAt,
  findInteraction,
  finishInteraction,
  type Interaction,
  scopesOf,
} from '#src/access/oauth/interaction.ts';
import type { LazyProvider } from '#src/access/oauth/lazy.ts';
import { signedInAt } from '#src/access/oauth/session.ts';
import { inWords } from '#src/access/permissions/scopes.ts';
import { showSignIn } from '#src/entrances/web/pages/sign_in.ts';

/** The pages where users sign in for an application and decide what it can do. */
export function consentPages(options: PageOptions, lazy: LazyProvider): Router {
  const { page, ownForm } = pagesFor(options);
  const path = '/oauth/interaction/:uid';
  return Router()
    .get(path, page(byOneself((visit) => show(lazy, visit))))
    .post(path, ownForm(byOneself((visit) => decide(lazy, visit))));
}

async function show(lazy: LazyProvider, visit: Visit): Promise<void> {
  const interaction = await findInteraction(lazy, visit);
  if (!interaction) return outOfDate(visit);
  if (interaction.prompt.name === 'login') return signIn(interaction, visit);
  const { session, context } = visit;
  if (!session) return askToSignIn(visit);
  if (interaction.session?.accountId !== String(session.actor.id)) return outOfDate(visit);
  const { client_id: uid, redirect_uri: redirectUri } = interaction.params;
  const application = await context.db.oAuthApplication.findUnique({
    where: { uid: String(uid) },
    select: { name: true, owner: { select: { name: true, username: true } } },
  });
  if (!application) return outOfDate(visit);
  visit.show(
    'consent',
    { title: visit.texts.t('Authorize {name}', { name: application.name }) },
    {
      name: application.name,
      by: ownerInWords(application),
      scopes: scopesOf(interaction).map(inWords),
      destination: destinationOf(String(redirectUri)),
      action: `/oauth/interaction/${interaction.uid}`,
    },
  );
}

/** The user signs in, or has signed in since the application's request; then the provider continues. */
async function signIn(interaction: Interaction, visit: Visit): Promise<void> {
  const { session, context, request } = visit;
  if (!session) return askToSignIn(visit);
  const anySession = interaction.prompt.reasons.every((reason) => reason === 'no_session');
  if (!anySession && session.createdAt <= (await begunAt(context.db, interaction.uid))) {
    return showSignIn(visit, { returnTo: request.originalUrl });
  }
  const ts = signedInAt(session.age);
  // Signing in again ends the previous session, and may be as another user.
  interaction.session = undefined;
  await finishInteraction(interaction, visit.response, { login: { accountId: String(session.actor.id), ts } });
}

async function decide(lazy: LazyProvider, visit: Visit): Promise<void> {
  const { session, request, response, context } = visit;
  const interaction = await findInteraction(lazy, visit);
  const user = session?.actor.id;
  if (user === undefined || interaction?.prompt.name !== 'consent') return outOfDate(visit);
  if (interaction.session?.accountId !== String(user)) return outOfDate(visit);
  if (request.body.decision !== 'approve') {
    const denied = { error: 'access_denied', error_description: 'The user denied access to the application.' };
    return finishInteraction(interaction, response, denied);
  }
  await rememberScopes(context.db, user, String(interaction.params.client_id), scopesOf(interaction));
  await finishInteraction(interaction, response, { ...interaction.lastSubmission, consent: {} });
}

/** The host of an http(s) URL; the whole URI for other schemes. */
function destinationOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  return ['http:', 'https:'].includes(url.protocol) ? url.host : redirectUri;
}

/** The user who registered an application, as pages name them; null for one that registered itself. */
export function ownerInWords({ owner }: { owner: { name: string; username: string } | null }): string | null {
  return owner && `${owner.name} (${owner.username})`;
}

function outOfDate(visit: Visit): void {
  showError(
    visit,
    400,
    visit.texts.t('This authorization request has expired'),
    visit.texts.t('Go back to the application and start again.'),
  );
}
