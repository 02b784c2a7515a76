import { named } from '#pages/engine/asking.ts';
import { text } from '#pages/engine/fields.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import {
  ProfilePageDocument,
  SendAvatarDeletionDocument,
  SendAvatarDocument,
  SendConfirmationDocument,
  SendEmailDeletionDocument,
  SendNewEmailDocument,
  SendProfileDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const HOME = '/profile';

/** What the address says where a picture was refused before it was received. */
const TOO_LARGE = 'avatar_too_large';

/** The largest picture in KB. */
const MAX_AVATAR_KB = 200;

/** The path of a picture that was uploaded; null for one that another server makes of the address. */
function uploaded(avatarUrl: string | null): string | null {
  const path = avatarUrl === null ? '' : new URL(avatarUrl).pathname;
  return path.startsWith('/uploads/') ? path : null;
}

const profile = page({
  path: HOME,
  operation: ProfilePageDocument,
  view: 'profile',
  found: ({ viewer, appearance }) => viewer && { ...viewer, guidelines: appearance?.profileImageGuidelinesHtml ?? '' },
  title: (_found, { t }) => t('Profile'),
  show: ({ name, bio, organization, location, websiteUrl, ...viewer }, { needed, given, t }) => ({
    before: { name, bio, organization, location, website_url: websiteUrl },
    primary: { email: viewer.email, isConfirmed: viewer.confirmedAt !== null },
    picture: uploaded(viewer.avatarUrl),
    guidelines: viewer.guidelines,
    tooLarge:
      given.problem === TOO_LARGE ? t('is too large (maximum is {count} KB)', { count: MAX_AVATAR_KB }) : undefined,
    emails: viewer.secondaryEmails,
    mail: needed.sendsMail,
  }),
  signIn: true,
  needs: ['sendsMail'],
});

const FIELDS = ['name', 'bio', 'organization', 'location', 'website_url'];

const trimmed = (given: Facts['given']) => Object.fromEntries(FIELDS.map((name) => [name, text(given[name]).trim()]));

/** Forms of the profile, which show it again with what was wrong. */
const OF_PROFILE = { isShort: true, again: profile, goTo: () => HOME } as const;

/** The public profile of users, and their e-mail addresses. */
export const profiles = [
  profile,
  form({
    ...OF_PROFILE,
    path: HOME,
    operation: SendProfileDocument,
    variables: trimmed,
    says: label('Your profile was saved.'),
  }),
  form({
    ...OF_PROFILE,
    path: `${HOME}/avatar`,
    operation: SendAvatarDocument,
    takesFile: { field: 'avatar', largest: MAX_AVATAR_KB * 1024, tooLarge: `${HOME}?problem=${TOO_LARGE}` },
    check: ({ avatar }): Record<string, string> =>
      avatar instanceof File && avatar.size > 0 ? {} : { avatar: "can't be blank" },
    says: label('Your picture was saved.'),
    from: HOME,
  }),
  form({
    ...OF_PROFILE,
    path: `${HOME}/avatar/delete`,
    operation: SendAvatarDeletionDocument,
    says: label('Your picture was removed.'),
    asks: ({ t }) => ({
      heading: t('Remove the picture?'),
      says: [t('The file is deleted. The first letter of the name is shown in its place.')],
      button: t('Remove picture'),
      back: HOME,
    }),
    from: HOME,
  }),
  form({
    ...OF_PROFILE,
    path: `${HOME}/emails`,
    operation: SendNewEmailDocument,
    says: ({ createEmail: made }) =>
      made?.email.confirmedAt
        ? label('The email address was added.')
        : label('The email address was added. Follow the link that we sent to it to confirm it.'),
    from: HOME,
  }),
  form({
    ...OF_PROFILE,
    path: `${HOME}/emails/:id/confirmation`,
    operation: SendConfirmationDocument,
    again: null,
    says: label('We sent the confirmation link again.'),
    from: HOME,
  }),
  form({
    ...OF_PROFILE,
    path: `${HOME}/emails/:id/delete`,
    operation: SendEmailDeletionDocument,
    again: null,
    says: label('The email address was removed.'),
    asks: ({ t, given }) => ({
      heading: t('Remove {name}?', { name: named(given) }),
      says: [t('Commits with the address are no longer shown as yours.')],
      button: t('Remove address'),
      back: HOME,
    }),
    from: HOME,
  }),
];
