import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { UserState } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { guardedBy } from '#schema/records/plugin.ts';
import type { Known } from '#schema/records/types.ts';
import { requireAccount } from '#src/access/actor.ts';
import { avatarPath } from '#src/users/avatar.ts';
import type { OwnAccount } from '#src/users/find.ts';
import type { UserActivity as Activity } from '#src/users/list.ts';
import '#src/users/own_values.ts';

builder.prismaObject('Identity', {
  description: 'An account of a user at another provider of identities.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'Name of the provider of identities.' }),
    externUid: t.exposeString('externUid', { description: 'Identifier of the user at the provider.' }),
  }),
});

export const AVATAR =
  'URL of the picture of the user: the uploaded one, else one of 80 by 80 pixels from the avatar service. Null without either.';

/** A user, and what comes along where more is shown than the caller would see. */
type Shown = { id: number; shownEmail?: string } & Partial<OwnAccount>;

/** For what signed-in callers see. Throws Unauthenticated, InsufficientScope. */
const signedIn = guardedBy(({ isOwn }: Shown, context) => {
  if (!isOwn) requireAccount(context);
  return true;
});

/** For what only administrators and the user see; null for others. */
const forAccount = guardedBy(seesAccount);

function seesAccount({ id, isOwn }: Shown, context: GraphQLContext): boolean {
  if (isOwn) return true;
  const actor = requireAccount(context);
  return actor.admin || actor.id === id;
}

export const User = builder.prismaObject('User', {
  description:
    'A person or bot with an account. Fields that only administrators and the user see are null for others, and say so.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the user, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('User', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the user, as the REST API uses it.' }),
    username: t.exposeString('username', {
      description: 'Name for signing in and for addresses; unique, whatever its case.',
    }),
    name: t.exposeString('name', { description: 'Display name of the user.' }),
    state: t.expose('state', { type: UserState, description: 'Whether the user may sign in, or is blocked.' }),
    avatarUrl: t.string({
      nullable: true,
      description: AVATAR,
      select: { avatarHash: true, avatarKey: true },
      resolve: (user, _args, context) => avatarUrl(user, context),
    }),
    webUrl: t.string({
      description: 'URL of the page of the user.',
      select: { username: true },
      resolve: ({ username }, _args, { baseUrl }) => `${baseUrl}/${username}`,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the account was created. For signed-in callers.',
      ...signedIn,
    }),
    admin: t.exposeBoolean('admin', {
      description: 'Whether the user administers the server. For signed-in callers.',
      ...signedIn,
    }),
    bio: t.exposeString('bio', {
      nullable: true,
      description: 'What the user says of themselves, as plain text. For signed-in callers.',
      ...signedIn,
    }),
    location: t.exposeString('location', {
      nullable: true,
      description: 'Place where the user lives, as they wrote it. For signed-in callers.',
      ...signedIn,
    }),
    skype: t.exposeString('skype', {
      description: 'Skype name of the user; empty when unset. For signed-in callers.',
      ...signedIn,
    }),
    linkedin: t.exposeString('linkedin', {
      description: 'LinkedIn name of the user; empty when unset. For signed-in callers.',
      ...signedIn,
    }),
    twitter: t.exposeString('twitter', {
      description: 'Twitter name of the user; empty when unset. For signed-in callers.',
      ...signedIn,
    }),
    websiteUrl: t.exposeString('websiteUrl', {
      description: 'URL of a page of the user elsewhere; empty when unset. For signed-in callers.',
      ...signedIn,
    }),
    organization: t.exposeString('organization', {
      nullable: true,
      description: 'Organization for which the user works. For signed-in callers.',
      ...signedIn,
    }),
    email: t.string({
      nullable: true,
      description:
        'Primary e-mail address. For administrators and the user, and where the field that leads to the user says so.',
      select: { email: true },
      resolve: (user, _args, context) =>
        (user as Shown).shownEmail ?? (seesAccount(user as Shown, context) ? user.email : null),
    }),
    lastSignInAt: t.expose('lastSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the user signed in before the latest sign-in. For administrators and the user.',
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
      description: 'Number of the colour scheme that the user chose; 1 by default. For administrators and the user.',
      ...forAccount,
    }),
    projectsLimit: t.exposeInt('projectsLimit', {
      nullable: true,
      description: 'How many projects the personal namespace may hold. For administrators and the user.',
      ...forAccount,
    }),
    identities: t.relation('identities', {
      nullable: true,
      description: 'Accounts at other providers of identities. For administrators and the user.',
      ...forAccount,
    }),
    canCreateGroup: t.exposeBoolean('canCreateGroup', {
      nullable: true,
      description: 'Whether the user may create groups. For administrators and the user.',
      ...forAccount,
    }),
    canCreateProject: t.exposeBoolean('canCreateProject', {
      nullable: true,
      description: 'Whether the limit leaves room for another personal project. For administrators and the user.',
      ...forAccount,
    }),
    twoFactorEnabled: t.exposeBoolean('twoFactorEnabled', {
      nullable: true,
      description: 'Whether signing in takes a second factor. For administrators and the user.',
      ...forAccount,
    }),
    external: t.exposeBoolean('external', {
      nullable: true,
      description: 'Whether internal projects are hidden from the user. For administrators and the user.',
      ...forAccount,
    }),
    privateToken: t.string({
      nullable: true,
      description:
        'The private token, in the answer to a sign-in with a password and for an administrator who acts as the user; else null.',
      resolve: (user) => (user as Shown).privateToken ?? null,
    }),
  }),
});

export const UserConnection = connectionOf('User', User);

export const UserActivity = builder.objectRef<Activity<Known<'User'>>>('UserActivity').implement({
  description: 'The day of the latest request of a user.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The user who sent the request.' }),
    username: t.string({
      description: 'Name for signing in of that user, as the REST API has it.',
      resolve: ({ user }) => user.username,
    }),
    lastActivityOn: t.expose('lastActivityOn', {
      type: 'Date',
      description: 'Day (UTC) of the latest request of the user.',
    }),
  }),
});

export const UserActivityConnection = connectionOf('UserActivity', UserActivity);

/**
 * URL of the picture that a user uploaded, else of the one of 80 by 80 pixels that the avatar service has for their address; null
 * where neither is there.
 */
export function avatarUrl(user: Pictured, { baseUrl, avatars }: Pick<GraphQLContext, 'baseUrl' | 'avatars'>) {
  if (user.avatarKey !== null) return baseUrl + avatarPath(user.id, user.avatarKey);
  return avatars ? `https://www.gravatar.com/avatar/${user.avatarHash}?s=80&d=identicon` : null;
}

/** What the URL of a user's picture is made of. */
export interface Pictured {
  id: number;
  avatarHash: string;
  avatarKey: string | null;
}
