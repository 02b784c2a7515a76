import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { UserState } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { type Account, findUser } from '#src/users/find.ts';
import type { UserRow } from '#src/users/rows.ts';

export const User = builder.objectRef<UserRow>('User');
User.implement({
  description: 'A user, as everybody sees them.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('User', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    username: t.exposeString('username', { description: 'Unique, whatever its case.' }),
    name: t.exposeString('name', { description: 'What people call them.' }),
    state: t.expose('state', { type: UserState, description: 'Whether they may sign in.' }),
    avatarUrl: t.string({
      nullable: true,
      description: 'Address of their picture; null when the server uses no avatar service.',
      resolve: ({ avatarHash }, _args, { avatars }) => (avatars ? avatarUrl(avatarHash) : null),
    }),
    webUrl: t.string({
      description: 'Address of their page.',
      resolve: ({ username }, _args, { baseUrl }) => `${baseUrl}/${username}`,
    }),
  }),
});

export const UserConnection = connectionOf('User', User);

const Identity = builder.objectRef<{ provider: string; externUid: string }>('Identity').implement({
  description: 'How a user is known to another provider of identities.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'Name of the provider.' }),
    externUid: t.exposeString('externUid', { description: 'The user there.' }),
  }),
});

export const Viewer = builder.objectRef<Account>('Viewer').implement({
  description: 'The account of the signed-in user.',
  fields: (t) => ({
    user: t.field({
      type: User,
      description: 'What everybody sees.',
      resolve: ({ id }, _args, context) => findUser(context, id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    username: t.exposeString('username', { description: 'Unique, whatever its case.' }),
    name: t.exposeString('name', { description: 'What people call them.' }),
    state: t.expose('state', { type: UserState, description: 'Whether they may sign in.' }),
    avatarUrl: t.string({ nullable: true, description: 'Address of their picture.', resolve: () => null }),
    webUrl: t.string({
      description: 'Address of their page.',
      resolve: ({ username }, _args, { baseUrl }) => `${baseUrl}/${username}`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    admin: t.exposeBoolean('admin', { description: 'Whether they administrate the server.' }),
    bio: t.exposeString('bio', { nullable: true, description: 'What they say of themselves.' }),
    location: t.exposeString('location', { nullable: true, description: 'Where they are.' }),
    skype: t.exposeString('skype', { description: 'Skype name.' }),
    linkedin: t.exposeString('linkedin', { description: 'LinkedIn name.' }),
    twitter: t.exposeString('twitter', { description: 'Twitter name.' }),
    websiteUrl: t.exposeString('websiteUrl', { description: 'Their page elsewhere.' }),
    organization: t.exposeString('organization', { nullable: true, description: 'Where they work.' }),
    email: t.exposeString('email', { description: 'Primary e-mail address.' }),
    lastSignInAt: t.expose('lastSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The sign-in before this.',
    }),
    currentSignInAt: t.expose('currentSignInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The latest sign-in.',
    }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the e-mail was confirmed.',
    }),
    lastActivityOn: t.expose('lastActivityOn', {
      type: 'Date',
      nullable: true,
      description: 'Day of the latest activity.',
    }),
    colorSchemeId: t.exposeInt('colorSchemeId', { description: 'Number of the chosen colour scheme.' }),
    projectsLimit: t.exposeInt('projectsLimit', { description: 'How many personal projects they may have.' }),
    identities: t.field({ type: [Identity], description: 'Identities elsewhere.', resolve: () => [] }),
    canCreateGroup: t.exposeBoolean('canCreateGroup', { description: 'Whether they may create groups.' }),
    canCreateProject: t.boolean({
      description: 'Whether they may create projects.',
      resolve: ({ projectsLimit }) => projectsLimit > 0,
    }),
    twoFactorEnabled: t.exposeBoolean('twoFactorEnabled', { description: 'Whether signing in takes a second factor.' }),
    external: t.exposeBoolean('external', { description: 'Whether internal projects are hidden from them.' }),
    privateToken: t.exposeString('privateToken', {
      nullable: true,
      description: 'Only after signing in with a password, and for an administrator who acts as the user.',
    }),
  }),
});

/** The picture of 80 pixels that the avatar service has for an address, or makes for it. */
function avatarUrl(hash: string): string {
  return `https://www.gravatar.com/avatar/${hash}?s=80&d=identicon`;
}
