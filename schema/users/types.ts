import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { ServiceAccountKind, UserState } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { guardedBy } from '#schema/records/plugin.ts';
import type { Known } from '#schema/records/types.ts';
import { accountReaderOf, requireAccount } from '#src/access/permissions/actor.ts';
import { avatarPath } from '#src/domain/users/avatar.ts';
import type { OwnAccount } from '#src/domain/users/find.ts';
import type { UserActivity as Activity } from '#src/domain/users/list.ts';
import { localTime } from '#src/domain/users/preferences.ts';
import { LANGUAGES } from '#src/platform/texts/texts.ts';
import '#src/domain/users/computed_fields.ts';

builder.prismaObject('Identity', {
  description: 'A user’s account at an external identity provider.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'Name of the identity provider.' }),
    externUid: t.exposeString('externUid', { description: 'The user’s identifier at the provider.' }),
  }),
});

export const AVATAR =
  'URL of the user’s picture: the uploaded one, or an 80 by 80 pixel one from the avatar service. Null if there is neither.';

/** A user, with what may be shown beyond the caller's usual access. */
type Shown = { id: number; shownEmail?: string } & Partial<OwnAccount>;

/** For fields visible to signed-in callers. Throws Unauthenticated, InsufficientScope. */
const signedIn = guardedBy(({ isOwn }: Shown, context) => {
  if (!isOwn) requireAccount(context);
  return true;
});

/** For fields visible only to administrators and the user; null for others. */
const forAccount = guardedBy(seesAccount);

/** For fields visible only to administrators; null for others. */
const forAdministrators = guardedBy(
  ({ isOwn }: Shown, context) => context.actor?.admin === true && (isOwn || requireAccount(context).admin),
);

/** What a field of the profile needs beside its value. */
const OF_PROFILE = { id: true, privateProfile: true } as const;

/** For fields that visitors without an account see too. Throws InsufficientScope. */
const forReaders = guardedBy(({ isOwn }: Shown, context) => {
  if (!isOwn) accountReaderOf(context);
  return true;
});

/** Whether the caller may see the profile. Throws InsufficientScope. */
function seesProfile(user: Shown & { privateProfile: boolean }, context: GraphQLContext): boolean {
  const actor = user.isOwn ? context.actor : accountReaderOf(context);
  return !user.privateProfile || (actor !== null && seesAccount(user, context));
}

/** Whether a user is an administrator, for those who may know. */
function adminFor(
  { isOwn, admin }: Shown & { admin: boolean },
  _args: object,
  context: GraphQLContext,
): boolean | null {
  return isOwn || accountReaderOf(context) ? admin : null;
}

function seesAccount({ id, isOwn }: Shown, context: GraphQLContext): boolean {
  if (isOwn) return true;
  const actor = requireAccount(context);
  return actor.admin || actor.id === id;
}

export const User = builder.prismaObject('User', {
  description:
    'A person or bot with an account. Fields that only administrators and the user can see are null for others, and say so.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the user, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('User', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the user, as the REST API uses it.' }),
    username: t.exposeString('username', {
      description: 'Name for signing in and in URLs; unique regardless of case.',
    }),
    name: t.exposeString('name', { description: 'Display name of the user.' }),
    state: t.expose('state', { type: UserState, description: 'Whether the user is active or blocked.' }),
    avatarUrl: t.string({
      nullable: true,
      description: AVATAR,
      select: { avatarHash: true, avatarKey: true },
      resolve: (user, _args, context) => avatarUrl(user, context),
    }),
    webUrl: t.string({
      description: 'URL of the user’s page.',
      select: { username: true },
      resolve: ({ username }, _args, { baseUrl }) => `${baseUrl}/${username}`,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the account was created.',
      ...forReaders,
    }),
    admin: t.exposeBoolean('admin', {
      description:
        'Whether the user is an administrator. An error for visitors without an account: where they may ask, read `administrator`.',
      ...signedIn,
    }),
    administrator: t.boolean({
      nullable: true,
      description: 'Whether the user is an administrator; null for visitors without an account.',
      select: { admin: true },
      resolve: adminFor,
    }),
    bot: t.exposeBoolean('bot', {
      description:
        'Whether the account is that of a program, which acts with an access token of a project or group, or is a service account.',
      ...forReaders,
    }),
    serviceAccount: t.expose('serviceAccount', {
      type: ServiceAccountKind,
      nullable: true,
      description:
        'What the account is for if it is a service account; null for people and for users of access tokens.',
      ...forReaders,
    }),
    placeholderSource: t.exposeString('placeholderSource', {
      nullable: true,
      description:
        'For placeholders, which stand for users of what was imported until the owner of an account takes them over: the host that the user comes from, empty if that is not known. Null for all others.',
    }),
    bio: t.string({
      nullable: true,
      description: 'A short text about the user. Null for others if the profile is private.',
      select: { ...OF_PROFILE, bio: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.bio : null),
    }),
    location: t.string({
      nullable: true,
      description: 'Where the user lives or works. Null for others if the profile is private.',
      select: { ...OF_PROFILE, location: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.location : null),
    }),
    skype: t.string({
      description: 'Skype name of the user; empty when unset. Empty for others if the profile is private.',
      select: { ...OF_PROFILE, skype: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.skype : ''),
    }),
    linkedin: t.string({
      description: 'LinkedIn name of the user; empty when unset. Empty for others if the profile is private.',
      select: { ...OF_PROFILE, linkedin: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.linkedin : ''),
    }),
    twitter: t.string({
      description: 'Twitter name of the user; empty when unset. Empty for others if the profile is private.',
      select: { ...OF_PROFILE, twitter: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.twitter : ''),
    }),
    websiteUrl: t.string({
      description: 'URL of the user’s website; empty when unset. Empty for others if the profile is private.',
      select: { ...OF_PROFILE, websiteUrl: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.websiteUrl : ''),
    }),
    organization: t.string({
      nullable: true,
      description: 'Organization that the user works for. Null for others if the profile is private.',
      select: { ...OF_PROFILE, organization: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.organization : null),
    }),
    publicEmail: t.string({
      nullable: true,
      description:
        'E-mail address that the user lets every signed-in user see; null without one, for visitors without an account, and for others if the profile is private.',
      select: { ...OF_PROFILE, publicEmail: true },
      resolve: (user, _args, context) => (context.actor && seesProfile(user, context) ? user.publicEmail : null),
    }),
    sshPublicKeys: t.stringList({
      description:
        'The SSH keys with which the user signs in, oldest first, as lines of `authorized_keys` without comments; at most 100. For everyone who sees the user, as `/USERNAME.keys` has them; none of blocked users, and none for others if the profile is private.',
      select: { ...OF_PROFILE, sshPublicKeys: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.sshPublicKeys : []),
    }),
    gpgPublicKeys: t.stringList({
      description:
        'The GPG keys of the user that name a confirmed address, oldest first, in their armor; at most 100. For everyone who sees the user, as `/USERNAME.gpg` has them; none for others if the profile is private.',
      select: { ...OF_PROFILE, gpgPublicKeys: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.gpgPublicKeys : []),
    }),
    pronouns: t.string({
      nullable: true,
      description: 'How to speak of the user, such as `she/her`. Null for others if the profile is private.',
      select: { ...OF_PROFILE, pronouns: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.pronouns : null),
    }),
    jobTitle: t.string({
      description: 'What the user works as; empty when unset. Empty for others if the profile is private.',
      select: { ...OF_PROFILE, jobTitle: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.jobTitle : ''),
    }),
    discord: t.string({
      description: 'Discord name of the user; empty when unset. Empty for others if the profile is private.',
      select: { ...OF_PROFILE, discord: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.discord : ''),
    }),
    github: t.string({
      description: 'GitHub name of the user; empty when unset. Empty for others if the profile is private.',
      select: { ...OF_PROFILE, github: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.github : ''),
    }),
    workInformation: t.string({
      nullable: true,
      description:
        'Job title and organization of the user in one text; null without either, and for others if the profile is private.',
      select: { ...OF_PROFILE, jobTitle: true, organization: true },
      resolve: (user, _args, context) =>
        seesProfile(user, context) ? [user.jobTitle, user.organization].filter(Boolean).join(' at ') || null : null,
    }),
    followersCount: t.int({
      nullable: true,
      description: 'How many users follow the user. Null for others if the profile is private.',
      select: { ...OF_PROFILE, followersCount: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.followersCount : null),
    }),
    followingCount: t.int({
      nullable: true,
      description: 'How many users the user follows. Null for others if the profile is private.',
      select: { ...OF_PROFILE, followingCount: true },
      resolve: (user, _args, context) => (seesProfile(user, context) ? user.followingCount : null),
    }),
    localTime: t.string({
      nullable: true,
      description:
        'What the clock shows in the time zone of the user, such as `3:38 PM`; null for users who chose none, and for others if the profile is private.',
      select: { ...OF_PROFILE, timezone: true },
      resolve: (user, _args, context) =>
        seesProfile(user, context) && user.timezone !== null ? localTime(user.timezone) : null,
    }),
    timezone: t.exposeString('timezone', {
      nullable: true,
      description:
        'Name of the time zone of the user in the IANA database; null for users who chose none. For administrators and the user.',
      ...forAccount,
    }),
    preferredLanguage: t.exposeString('preferredLanguage', {
      nullable: true,
      description:
        'Language that the user chose for pages and mail, `en` or `de`; null for users who chose none. For administrators and the user.',
      ...forAccount,
    }),
    language: t.string({
      nullable: true,
      description:
        'Language in which pages and mail speak to the user: the one that the user chose, else `en`. For administrators and the user.',
      select: { id: true, preferredLanguage: true },
      resolve: (user, _args, context) =>
        seesAccount(user as Shown, context) ? (user.preferredLanguage ?? LANGUAGES[0]) : null,
    }),
    scimIdentities: t.stringList({
      nullable: true,
      description:
        'IDs of the user at SCIM providers: none, as the server knows no such provider. For administrators and the user.',
      select: { id: true },
      resolve: (user, _args, context) => (seesAccount(user as Shown, context) ? [] : null),
    }),
    privateProfile: t.exposeBoolean('privateProfile', {
      nullable: true,
      description:
        'Whether others see nothing of the profile of the user, nor what the user does. For administrators and the user.',
      ...forAccount,
    }),
    commitEmail: t.string({
      nullable: true,
      description:
        'E-mail address of the commits that the user makes over the web and the API; the primary one by default. For administrators and the user.',
      select: { id: true, email: true, commitEmail: true },
      resolve: (user, _args, context) =>
        seesAccount(user as Shown, context) ? (user.commitEmail ?? user.email) : null,
    }),
    themeId: t.exposeInt('themeId', {
      nullable: true,
      description: 'Number of the user’s colour theme, 1 by default, for clients. For administrators and the user.',
      ...forAccount,
    }),
    namespaceId: t.int({
      nullable: true,
      description: 'Numeric ID of the personal namespace of the user. For administrators and the user.',
      select: { id: true, namespace: { select: { id: true } } },
      resolve: (user, _args, context) => (seesAccount(user as Shown, context) ? (user.namespace?.id ?? null) : null),
    }),
    locked: t.exposeBoolean('locked', {
      description:
        'Whether signing in with a password is refused for now, after too many wrong passwords. For signed-in callers.',
      ...signedIn,
    }),
    createdBy: t.relation('createdBy', {
      nullable: true,
      description: 'The administrator who created the account; null for users who signed up. For administrators.',
      ...forAdministrators,
    }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'What administrators noted about the user. For administrators.',
      ...forAdministrators,
    }),
    signInCount: t.exposeInt('signInCount', {
      nullable: true,
      description: 'How often the user signed in with a password. For administrators.',
      ...forAdministrators,
    }),
    currentSignInIp: t.exposeString('currentSignInIp', {
      nullable: true,
      description: 'IP address of the latest sign-in. For administrators.',
      ...forAdministrators,
    }),
    lastSignInIp: t.exposeString('lastSignInIp', {
      nullable: true,
      description: 'IP address of the sign-in before the latest. For administrators.',
      ...forAdministrators,
    }),
    email: t.string({
      nullable: true,
      description:
        'Primary e-mail address. For administrators and the user, and where the description of a field that returns the user says so.',
      select: { email: true },
      resolve: (user, _args, context) =>
        (user as Shown).shownEmail ?? (seesAccount(user as Shown, context) ? user.email : null),
    }),
    lastSignInAt: t.expose('lastSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the user signed in before the current sign-in. For administrators and the user.',
      ...forAccount,
    }),
    currentSignInAt: t.expose('currentSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the user last signed in. For administrators and the user.',
      ...forAccount,
    }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the primary address was confirmed. For administrators and the user.',
      ...forAccount,
    }),
    lastActivityOn: t.expose('lastActivityOn', {
      type: 'Date',
      nullable: true,
      description: 'Day (UTC) of the latest request of the user. For administrators and the user.',
      ...forAccount,
    }),
    colorSchemeId: t.exposeInt('colorSchemeId', {
      nullable: true,
      description: 'ID of the user’s colour scheme; 1 by default. For administrators and the user.',
      ...forAccount,
    }),
    projectsLimit: t.exposeInt('projectsLimit', {
      nullable: true,
      description: 'How many personal projects the user can have. For administrators and the user.',
      ...forAccount,
    }),
    identities: t.relation('identities', {
      nullable: true,
      description: 'The user’s accounts at external identity providers. For administrators and the user.',
      ...forAccount,
    }),
    canCreateGroup: t.exposeBoolean('canCreateGroup', {
      nullable: true,
      description: 'Whether the user can create groups. For administrators and the user.',
      ...forAccount,
    }),
    canCreateProject: t.exposeBoolean('canCreateProject', {
      nullable: true,
      description: 'Whether the user has not reached the limit of personal projects. For administrators and the user.',
      ...forAccount,
    }),
    twoFactorEnabled: t.exposeBoolean('twoFactorEnabled', {
      nullable: true,
      description: 'Whether two-factor authentication is enabled. For administrators and the user.',
      ...forAccount,
    }),
    external: t.exposeBoolean('external', {
      nullable: true,
      description: 'Whether the user is external, and cannot see internal projects. For administrators and the user.',
      ...forAccount,
    }),
    privateToken: t.string({
      nullable: true,
      description:
        'The private token, only returned when signing in with a password and to administrators who act as the user by `sudo`; otherwise null.',
      resolve: (user) => (user as Shown).privateToken ?? null,
    }),
  }),
});

export const UserConnection = connectionOf('User', User);

/** The description of an argument of lists of users that are offered to be chosen from. */
export const ACTIVE_PEOPLE =
  'Whether to only list people who may sign in: no blocked or deactivated users, and no users of access tokens.';

export const UserActivity = builder.objectRef<Activity<Known<'User'>>>('UserActivity').implement({
  description: 'The day of the latest request of a user.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user who sent the request.' }),
    username: t.string({
      description: 'Username of the user, as the REST API returns it.',
      resolve: ({ user }) => user.username,
    }),
    lastActivityOn: t.expose('lastActivityOn', {
      type: 'Date',
      description: 'Day (UTC) of the latest request of the user.',
    }),
  }),
});

export const UserActivityConnection = connectionOf('UserActivity', UserActivity);

/** URL of the user's uploaded avatar, else of the one of 80 by 80 pixels at the avatar service; null if there is neither. */
export function avatarUrl(user: Pictured, { baseUrl, avatars }: Pick<GraphQLContext, 'baseUrl' | 'avatars'>) {
  if (user.avatarKey !== null) return baseUrl + avatarPath(user.id, user.avatarKey);
  return avatars ? `https://www.gravatar.com/avatar/${user.avatarHash}?s=80&d=identicon` : null;
}

/** What the URL of an avatar is made from. */
export interface Pictured {
  id: number;
  avatarHash: string;
  avatarKey: string | null;
}
