import type { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { UserState } from '#schema/enums.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { AVATAR, avatarUrl, type Pictured } from '#schema/users/types.ts';

type Types = typeof builder.$inferSchemaTypes;
type Builder = PothosSchemaTypes.PrismaObjectFieldBuilder<Types, Types['PrismaTypes']['Member']>;

/**
 * The fields of a record about one user that are copied from that user, besides the user itself: for any model with the relation
 * `user` and its column, as members have, whose builder stands for the others' too.
 */
export function userFields(t: Builder) {
  return {
    user: t.relation('user', { description: 'The user that the record is about.' }),
    userId: t.exposeInt('userId', { description: 'Numeric ID of the user; see also `user`.' }),
    username: t.string({ description: 'Username of the user.', ...viaRelation('user', 'username') }),
    name: t.string({ description: 'Display name of the user.', ...viaRelation('user', 'name') }),
    locked: t.boolean({
      description: 'Whether signing in with a password is refused for now, after too many wrong passwords.',
      ...viaRelation('user', 'locked'),
    }),
    state: t.field({
      type: UserState,
      description: 'Whether the user is active or blocked.',
      ...viaRelation('user', 'state'),
    }),
  };
}

/** The user's public address. */
export const publicEmail = {
  nullable: true,
  description: 'E-mail address that the user lets everyone see; null without one, and if the profile is private.',
  select: { user: { select: { id: true, publicEmail: true, privateProfile: true } } },
  resolve: (
    { user }: { user: { id: number; publicEmail: string | null; privateProfile: boolean } },
    _args: object,
    { actor }: GraphQLContext,
  ) => (!actor || (user.privateProfile && !actor.admin && actor.id !== user.id) ? null : user.publicEmail),
} as const;

/** What the URLs of the user's avatar and page are made from. */
const SHOWN = { user: { select: { id: true, username: true, avatarHash: true, avatarKey: true } } } as const;

interface Shown {
  user: { username: string } & Pictured;
}

export const picture = {
  nullable: true,
  description: AVATAR,
  select: SHOWN,
  resolve: ({ user }: Shown, _args: object, context: GraphQLContext) => avatarUrl(user, context),
} as const;

export const page = {
  description: 'URL of the user’s page.',
  select: SHOWN,
  resolve: ({ user }: Shown, _args: object, { baseUrl }: GraphQLContext) => `${baseUrl}/${user.username}`,
} as const;
