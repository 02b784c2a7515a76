import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { AccessLevel, Visibility } from '#schema/enums.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Namespace } from '#schema/namespaces/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { guardedBy } from '#schema/records/plugin.ts';
import { requireActor } from '#src/access/actor.ts';
import { GROUP_BASE } from '#src/groups/find.ts';
import type { GroupStatistics } from '#src/groups/statistics.ts';

const Statistics = builder.objectRef<GroupStatistics>('GroupStatistics').implement({
  description: 'Space that the projects directly in a group take, in bytes.',
  fields: (t) => ({
    storageSize: t.expose('storageSize', {
      type: 'Long',
      description: 'Sum of the other sizes, in bytes.',
    }),
    repositorySize: t.expose('repositorySize', {
      type: 'Long',
      description: 'Size of the repositories, in bytes.',
    }),
    lfsObjectsSize: t.expose('lfsObjectsSize', {
      type: 'Long',
      description: 'Size of the files in large file storage, in bytes.',
    }),
    jobArtifactsSize: t.expose('jobArtifactsSize', {
      type: 'Long',
      description: 'Size of the artifacts of jobs, in bytes.',
    }),
  }),
});

/** For what signed-in callers see of a group. Throws Unauthenticated, InsufficientScope. */
const signedIn = guardedBy((_group: object, context) => requireActor(context) !== null);

export const Group = builder.prismaObject('Namespace', {
  variant: 'Group',
  description: 'A namespace of projects that several people share. Groups are shown to signed-in callers.',
  interfaces: [Node, Namespace],
  select: GROUP_BASE,
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the group, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Group', id),
    }),
    fullName: t.exposeString('fullName', {
      description: 'Names from the topmost group down, with slashes between them: `Team / Web`.',
      ...signedIn,
    }),
    description: t.exposeString('description', {
      description: 'What the group is for; plain text, perhaps empty.',
      ...signedIn,
    }),
    visibility: t.expose('visibility', { type: Visibility, description: 'Who may see the group.', ...signedIn }),
    lfsEnabled: t.exposeBoolean('lfsEnabled', {
      description: 'Whether large file storage is on for its projects.',
      ...signedIn,
    }),
    requestAccessEnabled: t.exposeBoolean('requestAccessEnabled', {
      description: 'Whether users may ask for access to the group.',
      ...signedIn,
    }),
    parentId: t.exposeInt('parentId', {
      nullable: true,
      description: 'Numeric ID of the group around it; null at the top. Use `parent`.',
      ...signedIn,
    }),
    statistics: t.field({
      type: Statistics,
      nullable: true,
      description: 'Space that its projects take; null for all but administrators.',
      resolve: ({ id }, _args, { loaders }) => loaders.groupStatistics.load(id),
    }),
    viewerAccessLevel: t.field({
      type: AccessLevel,
      nullable: true,
      description: 'The effective access level of the caller; null without a membership of it or a group around it.',
      resolve: ({ accessLevel }) => accessLevel || null,
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'Always null: groups have no pictures yet.',
      resolve: () => null,
    }),
    webUrl: t.string({
      description: 'Address of the page of the group.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/groups/${fullPath}`,
    }),
  }),
});

export const GroupConnection = connectionOf('Group', Group);

builder.prismaObjectFields(Group, (t) => ({
  parent: t.field({
    type: Group,
    nullable: true,
    description: 'The group directly around it; null at the top and where the caller may not see it.',
    select: { parentId: true },
    resolve: ({ parentId }, _args, context, info) => groupOf(context, info, parentId),
  }),
}));
