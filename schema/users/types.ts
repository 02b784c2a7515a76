import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { UserState } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { guardedBy } from '#schema/records/plugin.ts';
import type { Known } from '#schema/records/types.ts';
import { requireAccount } from '#src/access/actor.ts';
import type { OwnAccount } from '#src/users/find.ts';
import type { UserActivity as Activity } from '#src/users/list.ts';
import '#src/users/own_values.ts';

builder.prismaObject('Identity', {
  description: 'How a user is known to another provider of identities.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'Name of the provider.' }),
    externUid: t.exposeString('externUid', { description: 'The user there.' }),
  }),
});

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
  description: 'A user. Some fields are null but for administrators and the user; they say so.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('User', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    username: t.exposeString('username', { description: 'Unique, whatever its case.' }),
    name: t.exposeString('name', { description: 'What people call them.' }),
    state: t.expose('state', { type: UserState, description: 'Whether they may sign in.' }),
    avatarUrl: t.string({
      nullable: true,
      description: 'Address of their picture; null when the server uses no avatar service.',
      select: { avatarHash: true },
      resolve: ({ avatarHash }, _args, { avatars }) => (avatars ? avatarUrl(avatarHash) : null),
    }),
    webUrl: t.string({
      description: 'Address of their page.',
      select: { username: true },
      resolve: ({ username }, _args, { baseUrl }) => `${baseUrl}/${username}`,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the account was created. This and the following are for signed-in callers.',
      ...signedIn,
    }),
    admin: t.exposeBoolean('admin', { description: 'Whether they administrate the server.', ...signedIn }),
    bio: t.exposeString('bio', { nullable: true, description: 'What they say of themselves.', ...signedIn }),
    location: t.exposeString('location', { nullable: true, description: 'Where they are.', ...signedIn }),
    skype: t.exposeString('skype', { description: 'Skype name.', ...signedIn }),
    linkedin: t.exposeString('linkedin', { description: 'LinkedIn name.', ...signedIn }),
    twitter: t.exposeString('twitter', { description: 'Twitter name.', ...signedIn }),
    websiteUrl: t.exposeString('websiteUrl', { description: 'Their page elsewhere.', ...signedIn }),
    organization: t.exposeString('organization', {
      nullable: true,
      description: 'Where they work.',
      ...signedIn,
    }),
    email: t.string({
      nullable: true,
      description: 'Primary e-mail address. For administrators and the user, and where a field says so.',
      select: { email: true },
      resolve: (user, _args, context) =>
        (user as Shown).shownEmail ?? (seesAccount(user as Shown, context) ? user.email : null),
    }),
    lastSignInAt: t.expose('lastSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The sign-in before the latest. For administrators and the user.',
      ...forAccount,
    }),
    currentSignInAt: t.expose('currentSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The latest sign-in. For administrators and the user.',
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
      description: 'Day of the latest request (UTC). For administrators and the user.',
      ...forAccount,
    }),
    colorSchemeId: t.exposeInt('colorSchemeId', {
      nullable: true,
      description: 'Number of the chosen colour scheme. For administrators and the user.',
      ...forAccount,
    }),
    projectsLimit: t.exposeInt('projectsLimit', {
      nullable: true,
      description: 'How many personal projects they may have. For administrators and the user.',
      ...forAccount,
    }),
    identities: t.relation('identities', {
      nullable: true,
      description: 'Identities elsewhere. For administrators and the user.',
      ...forAccount,
    }),
    canCreateGroup: t.exposeBoolean('canCreateGroup', {
      nullable: true,
      description: 'Whether they may create groups. For administrators and the user.',
      ...forAccount,
    }),
    canCreateProject: t.exposeBoolean('canCreateProject', {
      nullable: true,
      description: 'Whether they may create another personal project. For administrators and the user.',
      ...forAccount,
    }),
    twoFactorEnabled: t.exposeBoolean('twoFactorEnabled', {
      nullable: true,
      description: 'Whether signing in takes a second factor. For administrators and the user.',
      ...forAccount,
    }),
    external: t.exposeBoolean('external', {
      nullable: true,
      description: 'Whether internal projects are hidden from them. For administrators and the user.',
      ...forAccount,
    }),
    privateToken: t.string({
      nullable: true,
      description: 'Only after signing in with a password, and for an administrator who acts as the user.',
      resolve: (user) => (user as Shown).privateToken ?? null,
    }),
  }),
});

export const UserConnection = connectionOf('User', User);

export const UserActivity = builder.objectRef<Activity<Known<'User'>>>('UserActivity').implement({
  description: 'When a user was last there.',
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'Who.' }),
    username: t.string({ description: 'Who, by name.', resolve: ({ user }) => user.username }),
    lastActivityOn: t.expose('lastActivityOn', { type: 'Date', description: 'Day of the latest request (UTC).' }),
  }),
});

export const UserActivityConnection = connectionOf('UserActivity', UserActivity);

/** The picture of 80 pixels that the avatar service has for an address, or makes for it. */
export function avatarUrl(hash: string): string {
  return `https://www.gravatar.com/avatar/${hash}?s=80&d=identicon`;
}
