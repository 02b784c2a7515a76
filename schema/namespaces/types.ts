import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { NamespaceKind } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { avatarUrl } from '#schema/users/types.ts';
import { groupAvatarPath } from '#src/domain/groups/avatar.ts';

export const Namespace = builder.prismaInterface('Namespace', {
  description: 'A place for projects: a group, or the personal namespace of a user.',
  select: { id: true, kind: true },
  resolveType: ({ kind }) => (kind === 'group' ? 'Group' : 'PersonalNamespace'),
  fields: (t) => ({
    databaseId: t.exposeInt('id', {
      description:
        'Numeric ID, as the REST API uses it. For a group, the ID of the group; for a personal namespace, not the ID of the user.',
    }),
    name: t.exposeString('name', { description: 'Display name of the group, or username of the user.' }),
    path: t.exposeString('path', { description: 'The last part of the full path; unique within the parent group.' }),
    kind: t.expose('kind', {
      type: NamespaceKind,
      description: 'Whether the namespace is a group or a personal namespace.',
    }),
    fullPath: t.exposeString('fullPath', {
      description: 'Paths of the group and its parents, separated by slashes: `team/web`.',
    }),
    parentId: t.exposeInt('parentId', {
      nullable: true,
      description: 'Numeric ID of the parent group; null for a top-level group and for a personal namespace.',
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'URL of the picture of the user, or of the one that was uploaded for the group; null without one.',
      select: {
        id: true,
        kind: true,
        avatarKey: true,
        owner: { select: { id: true, avatarHash: true, avatarKey: true } },
      },
      resolve: ({ id, avatarKey, owner }, _args, context) => {
        if (owner) return avatarUrl(owner, context);
        return avatarKey === null ? null : context.baseUrl + groupAvatarPath(id, avatarKey);
      },
    }),
    webUrl: t.string({
      description: 'URL of the page of the group or user.',
      select: { kind: true, fullPath: true },
      resolve: ({ kind, fullPath }, _args, { baseUrl }) => `${baseUrl}/${kind === 'group' ? 'groups/' : ''}${fullPath}`,
    }),
    membersCount: t.int({
      nullable: true,
      description:
        'Number of users who are members of the group or of anything in it; null for personal namespaces, and for callers who do not own the group.',
      select: { membersCount: true },
      resolve: ({ membersCount }) => membersCount,
    }),
  }),
});

export const PersonalNamespace = builder.prismaObject('Namespace', {
  variant: 'PersonalNamespace',
  description: 'The namespace of one user, which holds their personal projects.',
  interfaces: [Node, Namespace],
  select: { id: true, kind: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the namespace.',
      resolve: ({ id }) => toGlobalId('PersonalNamespace', id),
    }),
    owner: t.relation('owner', { nullable: true, description: 'The user who owns the namespace.' }),
  }),
});

export const NamespaceConnection = connectionOf('Namespace', Namespace);
