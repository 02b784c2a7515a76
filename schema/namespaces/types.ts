import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { NamespaceKind } from '#schema/enums.ts';

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
  }),
});

export const PersonalNamespace = builder.prismaObject('Namespace', {
  variant: 'PersonalNamespace',
  description: 'The namespace of one user, which holds their personal projects.',
  interfaces: [Namespace],
  select: { id: true, kind: true },
  fields: (t) => ({
    owner: t.relation('owner', { nullable: true, description: 'The user who owns the namespace.' }),
  }),
});

export const NamespaceConnection = connectionOf('Namespace', Namespace);
