import { builder } from '#schema/builder.ts';
import { AccessLevel, Visibility } from '#schema/enums.ts';
import { Namespace } from '#schema/namespaces/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { User } from '#schema/users/types.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { runnersToken } from '#src/projects/runners_token.ts';

const ProjectShare = builder.objectRef<ProjectRow['sharedWithGroups'][number]>('ProjectShare').implement({
  description: 'Access that a project gives to the members of a group.',
  fields: (t) => ({
    groupId: t.exposeInt('groupId', { description: 'Numeric ID of the group.' }),
    groupName: t.exposeString('groupName', { description: 'Name of the group.' }),
    groupAccessLevel: t.exposeInt('groupAccessLevel', { description: 'The highest level that it gives, as a number.' }),
  }),
});

const Access = builder.objectRef<number>('ProjectAccess').implement({
  description: 'A membership of the caller.',
  fields: (t) => ({
    accessLevel: t.int({ description: 'The level as a number.', resolve: (level) => level }),
    notificationLevel: t.int({ description: '3: what the caller set for everything.', resolve: () => 3 }),
  }),
});

const Permissions = builder.objectRef<ProjectRow>('ProjectPermissions').implement({
  description: 'The memberships of the caller around a project.',
  fields: (t) => ({
    projectAccess: t.field({
      type: Access,
      nullable: true,
      description: 'Membership of the project itself.',
      resolve: ({ projectMembership }) => projectMembership,
    }),
    groupAccess: t.field({
      type: Access,
      nullable: true,
      description: 'The highest membership of its group or the groups around it.',
      resolve: ({ groupMembership }) => groupMembership,
    }),
  }),
});

export const Project = builder.objectRef<ProjectRow>('Project');
Project.implement({
  description: 'A repository with the issues, labels and milestones around it.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Project', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'What people call it.' }),
    path: t.exposeString('path', { description: 'Its part of addresses.' }),
    fullName: t.exposeString('fullName', { description: 'Its name behind that of its namespace.' }),
    fullPath: t.exposeString('fullPath', { description: 'Its path behind that of its namespace.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it is for.' }),
    defaultBranch: t.exposeString('defaultBranch', {
      nullable: true,
      description: 'Null while the repository is empty.',
    }),
    tagList: t.stringList({ description: 'Words that describe it.', resolve: () => [] }),
    visibility: t.expose('visibility', { type: Visibility, description: 'Who may see it.' }),
    archived: t.exposeBoolean('archived', { description: 'Whether it is kept for reading only.' }),
    namespace: t.expose('namespace', { type: Namespace, description: 'Where it lives.' }),
    owner: t.expose('owner', { type: User, nullable: true, description: 'Whose personal namespace holds it.' }),
    creatorId: t.exposeInt('creatorId', { description: 'Numeric ID of the user who created it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      description: 'When something last happened in it.',
    }),
    avatarUrl: t.string({ nullable: true, description: 'Address of its picture.', resolve: () => null }),
    webUrl: t.string({
      description: 'Address of its page.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/${fullPath}`,
    }),
    httpUrlToRepo: t.string({
      description: 'Where git clones it over HTTP.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/${fullPath}.git`,
    }),
    sshUrlToRepo: t.string({
      description: 'Where git clones it over SSH.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `git@${new URL(baseUrl).hostname}:${fullPath}.git`,
    }),
    issuesEnabled: t.exposeBoolean('issuesEnabled', { description: 'Whether it has issues.' }),
    mergeRequestsEnabled: t.exposeBoolean('mergeRequestsEnabled', { description: 'Whether it has merge requests.' }),
    wikiEnabled: t.exposeBoolean('wikiEnabled', { description: 'Whether it has a wiki.' }),
    jobsEnabled: t.exposeBoolean('jobsEnabled', { description: 'Whether it has pipelines.' }),
    snippetsEnabled: t.exposeBoolean('snippetsEnabled', { description: 'Whether it has snippets.' }),
    containerRegistryEnabled: t.exposeBoolean('containerRegistryEnabled', {
      description: 'Whether it has a registry.',
    }),
    sharedRunnersEnabled: t.exposeBoolean('sharedRunnersEnabled', { description: 'Whether shared runners serve it.' }),
    lfsEnabled: t.exposeBoolean('lfsEnabled', { description: 'Whether large file storage is on.' }),
    publicJobs: t.exposeBoolean('publicJobs', { description: 'Whether whoever sees it sees its jobs.' }),
    requestAccessEnabled: t.exposeBoolean('requestAccessEnabled', { description: 'Whether users may ask for access.' }),
    onlyAllowMergeIfPipelineSucceeds: t.exposeBoolean('onlyAllowMergeIfPipelineSucceeds', {
      description: 'Whether merging waits for a pipeline.',
    }),
    onlyAllowMergeIfAllDiscussionsAreResolved: t.exposeBoolean('onlyAllowMergeIfAllDiscussionsAreResolved', {
      description: 'Whether merging waits for discussions.',
    }),
    starCount: t.int({ description: 'How many users starred it.', resolve: () => 0 }),
    forksCount: t.int({ description: 'How many forks it has.', resolve: () => 0 }),
    openIssuesCount: t.int({
      nullable: true,
      description: 'How many issues are open; null when issues are switched off.',
      resolve: ({ issuesEnabled, openIssuesCount }) => (issuesEnabled ? openIssuesCount : null),
    }),
    runnersToken: t.string({
      nullable: true,
      description: 'What runners register with; null unless the caller administers the project.',
      resolve: (project, _args, context) => runnersToken(context, project),
    }),
    permissions: t.field({
      type: Permissions,
      description: 'The memberships behind the access of the caller.',
      resolve: (project) => project,
    }),
    sharedWithGroups: t.expose('sharedWithGroups', { type: [ProjectShare], description: 'Groups with access to it.' }),
    viewerAccessLevel: t.field({
      type: AccessLevel,
      nullable: true,
      description: 'The effective access level of the caller; null without a membership.',
      resolve: ({ accessLevel }) => accessLevel || null,
    }),
  }),
});
