import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { AccessLevel, Visibility } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import type { GroupRow } from '#src/groups/find.ts';
import type { GroupStatistics } from '#src/groups/statistics.ts';

const Statistics = builder.objectRef<GroupStatistics>('GroupStatistics').implement({
  description: 'What the projects directly in a group take, in bytes.',
  fields: (t) => ({
    storageSize: t.expose('storageSize', { type: 'Long', description: 'The other sizes together, in bytes.' }),
    repositorySize: t.expose('repositorySize', { type: 'Long', description: 'The repositories, in bytes.' }),
    lfsObjectsSize: t.expose('lfsObjectsSize', { type: 'Long', description: 'Large files, in bytes.' }),
    jobArtifactsSize: t.expose('jobArtifactsSize', { type: 'Long', description: 'What jobs left behind, in bytes.' }),
  }),
});

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
    statistics: t.field({
      type: Statistics,
      nullable: true,
      description: 'What its projects take; null for all but administrators.',
      resolve: ({ id }, _args, { loaders }) => loaders.groupStatistics.load(id),
    }),
    viewerAccessLevel: t.field({
      type: AccessLevel,
      nullable: true,
      description: 'The effective access level of the caller; null without a membership of it or a group around it.',
      resolve: ({ accessLevel }) => accessLevel || null,
    }),
    avatarUrl: t.string({ nullable: true, description: 'Address of its picture.', resolve: () => null }),
    webUrl: t.string({
      description: 'Address of its page.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/groups/${fullPath}`,
    }),
  }),
});

export const GroupConnection = connectionOf('Group', Group);
