import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import type { GroupRow } from '#src/groups/find.ts';

export const Group = builder.objectRef<GroupRow>('Group');
Group.implement({
  description: 'A namespace of projects that several people share.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Group', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'What people call it.' }),
    path: t.exposeString('path', { description: 'Its part of addresses.' }),
    fullName: t.exposeString('fullName', { description: 'Names from the topmost group down.' }),
    fullPath: t.exposeString('fullPath', { description: 'Paths from the topmost group down.' }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    visibility: t.expose('visibility', { type: Visibility, description: 'Who may see it.' }),
    lfsEnabled: t.exposeBoolean('lfsEnabled', { description: 'Whether large file storage is on.' }),
    requestAccessEnabled: t.exposeBoolean('requestAccessEnabled', { description: 'Whether users may ask for access.' }),
    parentId: t.exposeInt('parentId', { nullable: true, description: 'Numeric ID of the group around it.' }),
    avatarUrl: t.string({ nullable: true, description: 'Address of its picture.', resolve: () => null }),
    webUrl: t.string({
      description: 'Address of its page.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/groups/${fullPath}`,
    }),
  }),
});
