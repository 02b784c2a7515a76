import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { UserState } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import type { UserActivity as Activity } from '#src/users/list.ts';
import type { AccountDetails, UserDetails, UserRow } from '#src/users/rows.ts';
import '#src/users/own_values.ts';

const Identity = builder.objectRef<{ provider: string; externUid: string }>('Identity').implement({
  description: 'How a user is known to another provider of identities.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'Name of the provider.' }),
    externUid: t.exposeString('externUid', { description: 'The user there.' }),
  }),
});

/** What users bring along who were read alone, or for a purpose that shows more of them. */
type Alone = Pick<UserRow, 'details' | 'email' | 'privateToken'>;
/** A user on the way to a field that reads the ID alone. */
type Identified = Pick<UserRow, 'id'> & Alone;

/** A resolver for what the row may not hold: then one statement fetches it for all users of the answer. */
function detail<T>(pick: (details: UserDetails) => T) {
  return ({ id, details }: Identified, _args: object, { loaders }: GraphQLContext): T | Promise<T> =>
    details ? pick(details) : loaders.userDetails.load(id).then(pick);
}

/** As detail, for what only administrators and the user see; null for others. */
function account<T>(pick: (account: AccountDetails) => T) {
  return detail((details) => details.account && pick(details.account));
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
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the account was created. This and the following are for signed-in callers.',
      resolve: detail((d) => d.createdAt),
    }),
    admin: t.boolean({ description: 'Whether they administrate the server.', resolve: detail((d) => d.admin) }),
    bio: t.string({ nullable: true, description: 'What they say of themselves.', resolve: detail((d) => d.bio) }),
    location: t.string({ nullable: true, description: 'Where they are.', resolve: detail((d) => d.location) }),
    skype: t.string({ description: 'Skype name.', resolve: detail((d) => d.skype) }),
    linkedin: t.string({ description: 'LinkedIn name.', resolve: detail((d) => d.linkedin) }),
    twitter: t.string({ description: 'Twitter name.', resolve: detail((d) => d.twitter) }),
    websiteUrl: t.string({ description: 'Their page elsewhere.', resolve: detail((d) => d.websiteUrl) }),
    organization: t.string({
      nullable: true,
      description: 'Where they work.',
      resolve: detail((d) => d.organization),
    }),
    email: t.string({
      nullable: true,
      description: 'Primary e-mail address. For administrators and the user, and where a field says so.',
      resolve: (user: Identified, args, context) => user.email ?? account((a) => a.email)(user, args, context),
    }),
    lastSignInAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The sign-in before the latest. For administrators and the user.',
      resolve: account((a) => a.lastSignInAt),
    }),
    currentSignInAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The latest sign-in. For administrators and the user.',
      resolve: account((a) => a.currentSignInAt),
    }),
    confirmedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the primary address was confirmed. For administrators and the user.',
      resolve: account((a) => a.confirmedAt),
    }),
    lastActivityOn: t.field({
      type: 'Date',
      nullable: true,
      description: 'Day of the latest request (UTC). For administrators and the user.',
      resolve: account((a) => a.lastActivityOn),
    }),
    colorSchemeId: t.int({
      nullable: true,
      description: 'Number of the chosen colour scheme. For administrators and the user.',
      resolve: account((a) => a.colorSchemeId),
    }),
    projectsLimit: t.int({
      nullable: true,
      description: 'How many personal projects they may have. For administrators and the user.',
      resolve: account((a) => a.projectsLimit),
    }),
    identities: t.field({
      type: [Identity],
      nullable: true,
      description: 'Identities elsewhere. For administrators and the user.',
      resolve: account((a) => a.identities),
    }),
    canCreateGroup: t.boolean({
      nullable: true,
      description: 'Whether they may create groups. For administrators and the user.',
      resolve: account((a) => a.canCreateGroup),
    }),
    canCreateProject: t.boolean({
      nullable: true,
      description: 'Whether they may create another personal project. For administrators and the user.',
      resolve: account((a) => a.canCreateProject),
    }),
    twoFactorEnabled: t.boolean({
      nullable: true,
      description: 'Whether signing in takes a second factor. For administrators and the user.',
      resolve: account((a) => a.twoFactorEnabled),
    }),
    external: t.boolean({
      nullable: true,
      description: 'Whether internal projects are hidden from them. For administrators and the user.',
      resolve: account((a) => a.external),
    }),
    privateToken: t.string({
      nullable: true,
      description: 'Only after signing in with a password, and for an administrator who acts as the user.',
      resolve: ({ privateToken }: Identified) => privateToken ?? null,
    }),
  }),
});

export const UserConnection = connectionOf('User', User);

export const UserActivity = builder.objectRef<Activity>('UserActivity').implement({
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
