import { Router } from 'express';
import { clearCookie, readCookie } from '#pages/engine/cookies.ts';
import { leadSaying } from '#pages/engine/notices.ts';
import { leadTo, type Pages, showError } from '#pages/engine/page.ts';
import type { Visit } from '#pages/engine/visit.ts';
import {
  acceptInvitation,
  declineInvitation,
  type OpenInvitation,
  openInvitation,
} from '#src/domain/members/invitations/accept.ts';
import { INVITATION_PATH } from '#src/domain/members/invitations/token.ts';
import { levelName } from '#src/domain/members/level.ts';
import { landing } from '#src/entrances/web/pages/landing.ts';
import { NotFound } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** The page of an invitation, which is accepted with an account, new or not, or declined. */
export function invitationPages({ page, form, ownForm }: Pages): Router {
  return Router()
    .get(INVITATION_PATH, page(landing('gantry_invitation', showInvitation)))
    .get(`${INVITATION_PATH}/accept`, leadTo(INVITATION_PATH))
    .post(`${INVITATION_PATH}/accept`, ownForm(accept))
    .get(`${INVITATION_PATH}/decline`, leadTo(INVITATION_PATH))
    .post(`${INVITATION_PATH}/decline`, form(decline));
}

/** The invitation whose link the browser has followed within the last hour; null without one that can be accepted. */
export async function followedInvitation(visit: Visit): Promise<(OpenInvitation & { token: string }) | null> {
  const token = tokenOf(visit);
  const open = token === '' ? null : await openInvitation(visit.context, token);
  return open && { ...open, token };
}

/** Lets the browser forget the invitation. */
export function forgetInvitation({ response, secure }: Visit): void {
  clearCookie(response, 'gantry_invitation', secure);
}

async function showInvitation(visit: Visit): Promise<void> {
  const open = await followedInvitation(visit);
  if (!open) return showVoid(visit);
  const { source, inviter, accessLevel, email } = open;
  const { signupEnabled } = await currentSettings(visit.context.db);
  const { kind, record } = source;
  const shown = { inviter: inviter.username, email, signupEnabled, signInPath: SIGN_IN };
  visit.show(
    'invitation',
    { title: visit.texts.t('Invitation to {place}', { place: record.fullPath }) },
    { kind, name: record.fullPath, level: levelName(accessLevel), ...shown },
  );
}

const SIGN_IN = `/users/sign_in?return_to=${encodeURIComponent(INVITATION_PATH)}`;

async function accept(visit: Visit): Promise<void> {
  try {
    const { record } = await acceptInvitation(visit.context, tokenOf(visit));
    forgetInvitation(visit);
    leadSaying(visit, `/${record.fullPath}`, 'invitation_accepted');
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    showVoid(visit);
  }
}

async function decline(visit: Visit): Promise<void> {
  try {
    await declineInvitation(visit.context, tokenOf(visit));
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    return showVoid(visit);
  }
  forgetInvitation(visit);
  visit.show('invitation_declined', { title: visit.texts.t('Invitation declined') });
}

function showVoid(visit: Visit): void {
  const { t } = visit.texts;
  const message = t(
    'It was accepted, declined or withdrawn, or it is too old. Ask whoever invited you to do so again.',
  );
  showError(visit, 404, t('This invitation is no longer valid'), message);
}

function tokenOf({ request, secure }: Visit): string {
  return readCookie(request, 'gantry_invitation', secure) ?? '';
}
