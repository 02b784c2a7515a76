import type { InputFields } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';

export const PASSWORD = 'of 8 to 128 characters';

/** The fields that users set on their own profile. */
export const about = (t: InputFields) => ({
  bio: t.string({ description: 'A short text about the user.' }),
  location: t.string({ description: 'Where the user lives or works.' }),
  organization: t.string({ description: 'The organization that the user works for.' }),
  websiteUrl: t.string({ description: 'URL of the user’s website, which begins with `http://` or `https://`.' }),
  skype: t.string({ description: 'The user’s Skype name.' }),
  linkedin: t.string({ description: 'The user’s LinkedIn name.' }),
  twitter: t.string({ description: 'The user’s Twitter name.' }),
  publicEmail: t.string({ description: 'One of the user’s confirmed e-mail addresses, which everyone can see then.' }),
  commitEmail: t.string({
    description:
      'One of the user’s confirmed e-mail addresses, for commits over the web and the API; null for the primary one.',
  }),
  pronouns: t.string({ description: 'How to speak of the user, such as `she/her`.' }),
  jobTitle: t.string({ description: 'What the user works as.' }),
  discord: t.string({ description: 'The user’s Discord name.' }),
  github: t.string({ description: 'The user’s GitHub name.' }),
  privateProfile: t.boolean({
    description: 'Whether others see nothing of the profile of the user, nor what the user does.',
  }),
  themeId: t.int({ description: 'Number of a colour theme, from 1 to 11, for clients.' }),
  colorSchemeId: t.int({ description: 'Number of a colour scheme for code, from 1 to 6, for clients.' }),
});

export const avatar = (t: InputFields) =>
  t.field({
    type: 'Upload',
    description:
      'A picture: PNG, JPEG, GIF or WebP of up to 200 KB, sent as described in the GraphQL multipart request specification. Null removes it.',
  });

/** The fields of a new or existing user. */
export const profile = (t: InputFields) => ({
  ...about(t),
  avatar: avatar(t),
  note: t.string({ description: 'What administrators note about the user, of up to 10,000 characters.' }),
  viewDiffsFileByFile: t.boolean({ description: 'Whether pages of changes show one file at a time.' }),
  externUid: t.string({ description: 'ID of the user at the identity provider; required with `provider`.' }),
  provider: t.string({
    description: 'Name of an identity provider that the user can be found at; required with `externUid`.',
  }),
});

export const ADMIN = 'Whether the user is an administrator.';
export const GROUPS = 'Whether the user can create groups.';
export const EXTERNAL = 'Whether the user is external: cannot see internal projects, nor create projects or groups.';

/** Names a user in an input; `what` is done to them. */
export const userTo = (what: string) => (t: InputFields) => ({
  id: t.field({ ...idOf('User'), required: true, description: `Global or numeric ID of the user to ${what}.` }),
});
