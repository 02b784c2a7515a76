import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { NamespaceKind } from '#schema/enums.ts';

export const Namespace = builder.prismaInterface('Namespace', {
  description: 'Where projects live: a group, or the personal namespace of a user.',
  select: { id: true, kind: true },
  resolveType: ({ kind }) => (kind === 'group' ? 'Group' : 'PersonalNamespace'),
  fields: (t) => ({
    databaseId: t.exposeInt('id', {
      description: 'Numeric ID, as the REST API uses it; of a group that of the group. Other than that of the user.',
    }),
    name: t.exposeString('name', { description: 'Display name of the group, or username of the user.' }),
    path: t.exposeString('path', { description: 'The last part of its full path, unique within the group around it.' }),
    kind: t.expose('kind', { type: NamespaceKind, description: 'Whether it is a group or belongs to a user.' }),
    fullPath: t.exposeString('fullPath', {
      description: 'Paths from the topmost group down, with slashes between them: `team/web`.',
    }),
  }),
});

export const PersonalNamespace = builder.prismaObject('Namespace', {
  variant: 'PersonalNamespace',
  description: 'The namespace of one user, which holds their personal projects.',
  interfaces: [Namespace],
  select: { id: true, kind: true },
  fields: (t) => ({
    owner: t.relation('owner', { nullable: true, description: 'The user to whom the namespace belongs.' }),
  }),
});

export const NamespaceConnection = connectionOf('Namespace', Namespace);
