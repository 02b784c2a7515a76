import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { NamespaceKind } from '#schema/enums.ts';

export const Namespace = builder.prismaObject('Namespace', {
  description: 'Where projects live.',
  select: { id: true },
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID; that of the group where it is one.' }),
    name: t.exposeString('name', { description: 'What people call it.' }),
    path: t.exposeString('path', { description: 'Its part of addresses.' }),
    kind: t.expose('kind', { type: NamespaceKind, description: 'What it belongs to.' }),
    fullPath: t.exposeString('fullPath', { description: 'Paths from the topmost group down.' }),
  }),
});

export const NamespaceConnection = connectionOf('Namespace', Namespace);
