import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { AccessLevel, ProjectCreationLevel, SubgroupCreationLevel, Visibility } from '#schema/enums.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Namespace } from '#schema/namespaces/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { guardedBy } from '#schema/records/plugin.ts';
import { readerOf } from '#src/access/permissions/actor.ts';
import { groupAvatarPath } from '#src/domain/groups/avatar.ts';
import { GROUP_BASE } from '#src/domain/groups/find.ts';
import type { GroupStatistics } from '#src/domain/groups/statistics.ts';
import type { GroupShareRow } from '#src/platform/records/computed_types.ts';

const Statistics = builder.objectRef<GroupStatistics>('GroupStatistics').implement({
  description: 'Disk space used by the projects directly in a group, in bytes.',
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
    packagesSize: t.expose('packagesSize', {
      type: 'Long',
      description: 'Size of the files of packages, in bytes.',
    }),
    containerRegistrySize: t.expose('containerRegistrySize', {
      type: 'Long',
      description: 'Size of the images in the container registry, in bytes.',
    }),
    uploadsSize: t.expose('uploadsSize', {
      type: 'Long',
      description: 'Size of the files that are attached to descriptions and comments, in bytes.',
    }),
    wikiSize: t.expose('wikiSize', {
      type: 'Long',
      description: 'Size of the repositories of the wikis of the projects and of the group itself, in bytes.',
    }),
    snippetsSize: t.expose('snippetsSize', {
      type: 'Long',
      description: 'Size of the repositories of snippets, in bytes.',
    }),
  }),
});

/** For fields that `read_user` does not reach. Throws InsufficientScope. */
const forReaders = guardedBy((_group: object, context) => {
  readerOf(context);
  return true;
});

export const Group = builder.prismaObject('Namespace', {
  variant: 'Group',
  description: 'A namespace for projects that several people share.',
  interfaces: [Node, Namespace],
  select: GROUP_BASE,
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the group, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Group', id),
    }),
    fullName: t.exposeString('fullName', {
      description: 'Names of the group and its parents, separated by slashes: `Team / Web`.',
      ...forReaders,
    }),
    description: t.exposeString('description', {
      description: 'Description of the group, as plain text; may be empty.',
      ...forReaders,
    }),
    visibility: t.expose('visibility', { type: Visibility, description: 'Who can see the group.', ...forReaders }),
    lfsEnabled: t.exposeBoolean('lfsEnabled', {
      description: 'Whether large file storage is on for its projects.',
      ...forReaders,
    }),
    requestAccessEnabled: t.exposeBoolean('requestAccessEnabled', {
      description: 'Whether users can ask for access to the group.',
      ...forReaders,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the group was created.', ...forReaders }),
    shareWithGroupLock: t.exposeBoolean('shareWithGroupLock', {
      description: 'Whether projects in the group, and in groups in it, cannot be shared with groups.',
      ...forReaders,
    }),
    preventSharingGroupsOutsideHierarchy: t.boolean({
      nullable: true,
      description:
        'Whether the group and those in it are only shared with groups of the same tree; null for a group with a parent.',
      resolve: ({ parentId, preventSharingGroupsOutsideHierarchy }) =>
        parentId === null ? preventSharingGroupsOutsideHierarchy : null,
    }),
    maxArtifactsSize: t.exposeInt('maxArtifactsSize', {
      nullable: true,
      description:
        'How large the artifacts of a job in its projects may be, in megabytes, within the limit of the server; null for that of its parent.',
    }),
    projectCreationLevel: t.expose('projectCreationLevel', {
      type: ProjectCreationLevel,
      description: 'Who can create projects in the group.',
      ...forReaders,
    }),
    subgroupCreationLevel: t.expose('subgroupCreationLevel', {
      type: SubgroupCreationLevel,
      description: 'Who can create subgroups of the group.',
      ...forReaders,
    }),
    parentId: t.exposeInt('parentId', {
      nullable: true,
      description: 'Numeric ID of the parent group; null for a top-level group. See also `parent`.',
    }),
    statistics: t.field({
      type: Statistics,
      nullable: true,
      description: 'Disk space used by the group’s projects. For administrators; null for others.',
      resolve: ({ id }, _args, { loaders }) => loaders.groupStatistics.load(id),
    }),
    viewerAccessLevel: t.field({
      type: AccessLevel,
      nullable: true,
      description:
        'The caller’s effective access level; null if the caller is not a member of the group or its parents.',
      resolve: ({ accessLevel }) => accessLevel || null,
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'URL of the picture that was uploaded for the group; null without one.',
      select: { avatarKey: true },
      resolve: ({ id, avatarKey }, _args, { baseUrl }) =>
        avatarKey === null ? null : baseUrl + groupAvatarPath(id, avatarKey),
    }),
    webUrl: t.string({
      description: 'URL of the group’s page.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/groups/${fullPath}`,
    }),
  }),
});

const Share = builder.objectRef<GroupShareRow>('GroupShare').implement({
  description: 'A group with whose members another group is shared.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the share.' }),
    groupId: t.exposeInt('groupId', { description: 'Numeric ID of the group; see also `group`.' }),
    group: t.field({
      type: Group,
      nullable: true,
      description: 'The group whose members get access; null if the caller cannot see it.',
      resolve: ({ groupId }, _args, context, info) => groupOf(context, info, groupId),
    }),
    groupName: t.exposeString('groupName', { description: 'Display name of the group.' }),
    groupFullPath: t.exposeString('groupFullPath', { description: 'Full path of the group whose members get access.' }),
    groupAccessLevel: t.expose('groupAccessLevel', {
      type: AccessLevel,
      description: 'The highest level that members of the group get.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'The share ends at 00:00 UTC on this day; null when it never ends.',
    }),
  }),
});

export const GroupConnection = connectionOf('Group', Group);

builder.prismaObjectFields(Group, (t) => ({
  sharedWithGroups: t.field({
    type: [Share],
    description:
      'The groups with whose members the group is shared, as far as the caller can see them, oldest shares first.',
    select: { sharedWithGroups: true },
    resolve: ({ sharedWithGroups }) => sharedWithGroups,
  }),
  parent: t.field({
    type: Group,
    nullable: true,
    description: 'The parent group; null for a top-level group, and if the caller cannot see it.',
    select: { parentId: true },
    resolve: ({ parentId }, _args, context, info) => groupOf(context, info, parentId),
  }),
}));
