import { Router } from 'express';
import { requireActor } from '#src/access/permissions/actor.ts';
import { TOO_LARGE as AVATAR_TOO_LARGE, avatarPath, LARGEST_AVATAR } from '#src/domain/users/avatar.ts';
import { listEmails } from '#src/domain/users/emails/list.ts';
import { createEmail, deleteEmail } from '#src/domain/users/emails/save.ts';
import { findViewer } from '#src/domain/users/find.ts';
import { requestConfirmation } from '#src/domain/users/mail_requests.ts';
import { updateProfile } from '#src/domain/users/update_profile.ts';
import { hasConfirmed, named } from '#src/entrances/web/pages/asking.ts';
import { type Problems, problemsOf, text } from '#src/entrances/web/pages/fields.ts';
import { leadSaying, type Notice } from '#src/entrances/web/pages/notices.ts';
import { leadTo, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { NotFound } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { select } from '#src/platform/records/selection.ts';

const HOME = '/profile';
const TOO_LARGE = 'avatar_too_large';
const AVATAR = { field: 'avatar', largest: LARGEST_AVATAR, tooLarge: `${HOME}?problem=${TOO_LARGE}` };

/** The public profile of the signed-in user, and the user's e-mail addresses. */
export function profilePages({ own, ownForm, ownUpload }: Pages): Router {
  return Router()
    .get(HOME, own(showProfile))
    .post(HOME, ownForm(save))
    .get(`${HOME}/avatar`, leadTo(HOME))
    .post(`${HOME}/avatar`, ownUpload(AVATAR, saveAvatar))
    .get(`${HOME}/avatar/delete`, leadTo(HOME))
    .post(`${HOME}/avatar/delete`, ownForm(deleteAvatar))
    .get(`${HOME}/emails`, leadTo(HOME))
    .post(`${HOME}/emails`, ownForm(addEmail))
    .get(`${HOME}/emails/:id/confirmation`, leadTo(HOME))
    .post(`${HOME}/emails/:id/confirmation`, ownForm(resendConfirmation))
    .get(`${HOME}/emails/:id/delete`, leadTo(HOME))
    .post(`${HOME}/emails/:id/delete`, ownForm(removeEmail));
}

/** How many addresses the page shows. */
const SHOWN = 100;

/** The fields of the first form, by column name. */
const FIELDS = {
  name: 'name',
  bio: 'bio',
  organization: 'organization',
  location: 'location',
  websiteUrl: 'website_url',
} as const;

const USER = select('User', {
  id: true,
  name: true,
  email: true,
  confirmedAt: true,
  avatarKey: true,
  bio: true,
  organization: true,
  location: true,
  websiteUrl: true,
});

type Values = Record<string, string>;

function showProfile(visit: Visit): Promise<void> {
  const tooLarge = visit.request.query.problem === TOO_LARGE;
  return show(visit, tooLarge ? { avatar: AVATAR_TOO_LARGE } : {});
}

/** What the page shows. */
export interface ShownProfile {
  primary: { email: string; confirmed: boolean };
  /** Path of the picture. */
  picture: string | null;
  emails: Awaited<ReturnType<typeof listEmails>>;
  /** Whether the server sends mail. */
  mail: boolean;
  values: Values;
  problems: Problems;
}

/** The page; `values` has the input of a rejected form. */
async function show(visit: Visit, problems: Problems, values: Values = {}, status = 200): Promise<void> {
  const { context } = visit;
  const { id, avatarKey, ...user } = await findViewer(context, USER);
  const page = { limit: SHOWN, offset: 0, withTotal: true };
  const saved = Object.fromEntries(
    Object.entries(FIELDS).map(([name, field]) => [field, user[name as keyof typeof FIELDS] ?? '']),
  );
  const shown: ShownProfile = {
    primary: { email: user.email, confirmed: user.confirmedAt !== null },
    picture: avatarKey === null ? null : avatarPath(id, avatarKey),
    emails: await listEmails(context, id, page),
    mail: sendsMail(context.db),
    values: { email: '', ...saved, ...values },
    problems,
  };
  visit.show('profile', { title: visit.texts.t('Profile') }, { ...shown }, status);
}

async function save(visit: Visit): Promise<void> {
  const { body } = visit.request;
  const changes = Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, text(body[field]).trim()]));
  const typed = Object.fromEntries(Object.values(FIELDS).map((field) => [field, text(body[field])]));
  await saving(visit, 'profile_saved', typed, () => updateProfile(visit.context, changes));
}

async function saveAvatar(visit: Visit): Promise<void> {
  const { avatar } = visit.request.body;
  if (!(avatar instanceof File) || avatar.size === 0) return show(visit, { avatar: "can't be blank" }, {}, 422);
  // The upload is small and has been received completely.
  const picture = { size: avatar.size, stream: () => avatar.stream() as unknown as AsyncIterable<Uint8Array> };
  await saving(visit, 'avatar_saved', {}, () => updateProfile(visit.context, { avatar: picture }));
}

async function deleteAvatar(visit: Visit): Promise<void> {
  const { t } = visit.texts;
  const question = {
    heading: t('Remove the picture?'),
    says: [t('The file is deleted. The first letter of the name is shown in its place.')],
    button: t('Remove picture'),
    back: HOME,
  };
  if (!hasConfirmed(visit, question)) return;
  await updateProfile(visit.context, { avatar: null });
  back(visit, 'avatar_deleted');
}

async function addEmail(visit: Visit): Promise<void> {
  const email = text(visit.request.body.email);
  const notice = sendsMail(visit.context.db) ? 'email_added_unconfirmed' : 'email_added';
  await saving(visit, notice, { email }, () => createEmail(visit.context, { email }));
}

async function resendConfirmation(visit: Visit): Promise<void> {
  const { context } = visit;
  const { nodes } = await listEmails(context, requireActor(context).id, { limit: SHOWN, offset: 0, withTotal: false });
  const found = nodes.find(({ id }) => id === idOf(visit, 'Email'));
  if (!found) throw new NotFound('Email');
  await requestConfirmation(context, found.email);
  back(visit, 'confirmation_sent');
}

async function removeEmail(visit: Visit): Promise<void> {
  const { t } = visit.texts;
  const question = {
    heading: t('Remove {name}?', { name: named(visit.request.body) }),
    says: [t('Commits with the address are no longer shown as yours.')],
    button: t('Remove address'),
    back: HOME,
  };
  if (!hasConfirmed(visit, question)) return;
  await deleteEmail(visit.context, { id: idOf(visit, 'Email') });
  back(visit, 'email_deleted');
}

/** Saves, or shows the page again with the errors next to their fields. */
async function saving(visit: Visit, notice: Notice, values: Values, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    return show(visit, problemsOf(error), values, 422);
  }
  back(visit, notice);
}

function back(visit: Visit, notice: Notice): void {
  leadSaying(visit, HOME, notice);
}

/** Throws NotFound for an invalid ID. */
function idOf({ request }: Visit, resource: string): number {
  const given = text(request.params.id);
  if (!/^\d{1,9}$/.test(given)) throw new NotFound(resource);
  return Number(given);
}
