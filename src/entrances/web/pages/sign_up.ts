import { Router } from 'express';
import { enter } from '#pages/engine/enter.ts';
import { type Problems, problemsOf, text, withNewPassword } from '#pages/engine/fields.ts';
import { leadSaying } from '#pages/engine/notices.ts';
import type { Pages } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { acceptInvitationFor } from '#src/domain/members/invitations/accept.ts';
import { provesAddress } from '#src/domain/members/invitations/token.ts';
import { signUp, signUpErrors } from '#src/domain/users/sign_up.ts';
import { followedInvitation, forgetInvitation } from '#src/entrances/web/pages/invitations.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export function signUpPages({ page, form }: Pages): Router {
  return Router().get('/users/sign_up', page(showForm)).post('/users/sign_up', form(submit));
}

async function showForm(visit: Visit): Promise<void> {
  if (visit.session) return visit.response.redirect(303, '/');
  const { signupEnabled } = await currentSettings(visit.context.db);
  if (!signupEnabled) throw new Forbidden('Sign-up is disabled. Ask your administrator for an account.');
  const invitation = await followedInvitation(visit);
  show(visit, { name: '', username: '', email: invitation?.email ?? '' }, {});
}

async function submit(visit: Visit): Promise<void> {
  const { context, request } = visit;
  const { name, username, email } = request.body;
  const values = { name: text(name), username: text(username), email: text(email) };
  const invitation = await followedInvitation(visit);
  const proven = invitation && provesAddress(invitation.token) ? invitation.email : undefined;
  try {
    const { userId, isPending } = await withNewPassword(
      request,
      (password) => signUp(context, { ...values, password }, proven),
      (password) => signUpErrors(context, { ...values, password }, proven),
    );
    const accepted = userId !== null && invitation ? await accept(visit, invitation.token, userId) : null;
    if (userId !== null && isPending) leadSaying(visit, '/users/sign_in', 'pending');
    else if (userId === null) leadSaying(visit, '/users/sign_in', 'signed_up');
    else await enter(visit, userId, accepted ?? '/');
  } catch (error) {
    show(visit, values, problemsOf(error, { password: 'new_password' }), 422);
  }
}

/** Accepts the invitation that the new user followed; returns the path of the place, or null if the invitation is void by now. */
async function accept(visit: Visit, token: string, userId: number): Promise<string | null> {
  forgetInvitation(visit);
  try {
    const { record } = await acceptInvitationFor(visit.context, token, userId);
    return `/${record.fullPath}`;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

function show(visit: Visit, values: Record<string, string>, problems: Problems, status = 200): void {
  visit.show('sign_up', { title: visit.texts.t('Create an account') }, { values, problems }, status);
}
