import { builder } from '#schema/builder.ts';
import { AccessLevel, ImportStatus, Visibility } from '#schema/enums.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import { Namespace } from '#schema/namespaces/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { through } from '#schema/records/plugin.ts';
import { User } from '#schema/users/types.ts';
import { can } from '#src/access/abilities.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { PROJECT_BASE } from '#src/projects/find.ts';
import type { ProjectShareRow } from '#src/projects/own_values.ts';
import { runnersToken } from '#src/projects/runners_token.ts';

export const ProjectShare = builder.objectRef<ProjectShareRow>('ProjectShare').implement({
  description: 'Access that a project gives to all members of a group.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the share.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project that is shared.' }),
    groupId: t.exposeInt('groupId', { description: 'Numeric ID of the group; `group` leads to it.' }),
    group: t.field({
      type: Group,
      nullable: true,
      description: 'The group whose members get access; null where the caller may not see it.',
      resolve: ({ groupId }, _args, context, info) => groupOf(context, info, groupId),
    }),
    groupName: t.exposeString('groupName', {
      description: 'Display name of the group with which the project is shared.',
    }),
    groupAccessLevel: t.expose('groupAccessLevel', {
      type: AccessLevel,
      description: 'The highest level that members of the group get.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'Day (UTC) from which the share gives no access; null when it has no end.',
    }),
  }),
});

const Access = builder.objectRef<number>('ProjectAccess').implement({
  description: 'A membership of the caller, with its level.',
  fields: (t) => ({
    accessLevel: t.field({
      type: AccessLevel,
      description: 'The level of the membership.',
      resolve: (level) => level,
    }),
    notificationLevel: t.int({
      description: 'Always 3: notifications follow the global setting of the caller.',
      resolve: () => 3,
    }),
  }),
});

const Permissions = builder
  .objectRef<{ projectMembership: number | null; groupMembership: number | null }>('ProjectPermissions')
  .implement({
    description: 'The memberships of the caller around a project.',
    fields: (t) => ({
      projectAccess: t.field({
        type: Access,
        nullable: true,
        description: 'Direct membership of the project; null without one.',
        resolve: ({ projectMembership }) => projectMembership,
      }),
      groupAccess: t.field({
        type: Access,
        nullable: true,
        description: 'The highest membership of the group or the groups around it; null without one.',
        resolve: ({ groupMembership }) => groupMembership,
      }),
    }),
  });

const STATISTICS = { commits: true, repositorySize: true, lfsObjectsSize: true, jobArtifactsSize: true } as const;

const Statistics = builder
  .objectRef<Pick<Columns['ProjectCounters'], keyof typeof STATISTICS>>('ProjectStatistics')
  .implement({
    description: 'Counts and sizes of what a project holds.',
    fields: (t) => ({
      commitCount: t.exposeInt('commits', { description: 'Number of commits reachable from the default branch.' }),
      storageSize: t.field({
        type: 'Long',
        description: 'Sum of the other sizes, in bytes.',
        resolve: ({ repositorySize, lfsObjectsSize, jobArtifactsSize }) =>
          Number(repositorySize) + Number(lfsObjectsSize) + Number(jobArtifactsSize),
      }),
      repositorySize: t.field({
        type: 'Long',
        description: 'Size of the repository, in bytes.',
        resolve: ({ repositorySize }) => Number(repositorySize),
      }),
      lfsObjectsSize: t.field({
        type: 'Long',
        description: 'Size of the files in large file storage, in bytes.',
        resolve: ({ lfsObjectsSize }) => Number(lfsObjectsSize),
      }),
      jobArtifactsSize: t.field({
        type: 'Long',
        description: 'Size of the artifacts of jobs, in bytes.',
        resolve: ({ jobArtifactsSize }) => Number(jobArtifactsSize),
      }),
    }),
  });

export const Project = builder.prismaObject('Project', {
  description: 'A repository with the issues, labels, milestones and pipelines around it.',
  interfaces: [Node],
  select: PROJECT_BASE,
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the project, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Project', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the project, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'Display name, unique in its namespace.' }),
    path: t.exposeString('path', { description: 'The last part of its full path.' }),
    fullName: t.exposeString('fullName', {
      description: 'Names from the topmost group or the user down, with slashes between them: `Team / Site`.',
    }),
    fullPath: t.exposeString('fullPath', {
      description: 'Paths from the topmost group or the user down, with slashes between them: `team/site`.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the project is for, as plain text.',
    }),
    defaultBranch: t.exposeString('defaultBranch', {
      nullable: true,
      description: 'Name of the branch that is shown first; null while the repository is empty.',
    }),
    tagList: t.exposeStringList('tagList', { description: 'Words that describe the project, in no particular order.' }),
    visibility: t.expose('visibility', { type: Visibility, description: 'Who may see the project.' }),
    archived: t.exposeBoolean('archived', {
      description: 'Whether the project is archived: its repository is read-only then.',
    }),
    namespace: t.relation('namespace', {
      type: Namespace,
      description: 'The group or personal namespace that holds the project.',
    }),
    owner: t.field({
      type: User,
      nullable: true,
      description: 'The user whose personal namespace holds the project; null in a group.',
      ...through('namespace', 'owner'),
    }),
    creatorId: t.exposeInt('creatorId', {
      description: 'Numeric ID of the user who created the project; `creator` leads to the user.',
    }),
    creator: t.relation('creator', { description: 'The user who created the project.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the project was created.' }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      description: 'When the latest event of the project happened, such as a push or an opened issue.',
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'Always null: projects have no pictures yet.',
      resolve: () => null,
    }),
    webUrl: t.string({
      description: 'URL of the page of the project.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/${fullPath}`,
    }),
    httpUrlToRepo: t.string({
      description: 'URL from which git clones the repository over HTTP.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/${fullPath}.git`,
    }),
    sshUrlToRepo: t.string({
      description: 'Address from which git clones the repository over SSH.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `git@${new URL(baseUrl).hostname}:${fullPath}.git`,
    }),
    issuesEnabled: t.exposeBoolean('issuesEnabled', { description: 'Whether issues are switched on.' }),
    mergeRequestsEnabled: t.exposeBoolean('mergeRequestsEnabled', {
      description: 'Whether merge requests are switched on.',
    }),
    wikiEnabled: t.exposeBoolean('wikiEnabled', { description: 'Whether the wiki is switched on.' }),
    jobsEnabled: t.exposeBoolean('jobsEnabled', { description: 'Whether pipelines are switched on.' }),
    snippetsEnabled: t.exposeBoolean('snippetsEnabled', { description: 'Whether snippets are switched on.' }),
    containerRegistryEnabled: t.exposeBoolean('containerRegistryEnabled', {
      description: 'Whether the container registry is switched on.',
    }),
    sharedRunnersEnabled: t.exposeBoolean('sharedRunnersEnabled', {
      description: 'Whether shared runners work on its jobs.',
    }),
    lfsEnabled: t.exposeBoolean('lfsEnabled', { description: 'Whether large file storage is on.' }),
    publicJobs: t.exposeBoolean('publicJobs', {
      description: 'Whether everybody who sees the project sees its pipelines and jobs.',
    }),
    requestAccessEnabled: t.exposeBoolean('requestAccessEnabled', {
      description: 'Whether users may ask for access to the project.',
    }),
    onlyAllowMergeIfPipelineSucceeds: t.exposeBoolean('onlyAllowMergeIfPipelineSucceeds', {
      description: 'Whether merge requests are merged only after their pipeline has succeeded.',
    }),
    onlyAllowMergeIfAllDiscussionsAreResolved: t.exposeBoolean('onlyAllowMergeIfAllDiscussionsAreResolved', {
      description: 'Whether merge requests are merged only after all discussions are resolved.',
    }),
    importStatus: t.expose('importStatus', {
      type: ImportStatus,
      nullable: true,
      description: 'Progress of the import of the repository; null where it was not imported.',
    }),
    importError: t.string({
      nullable: true,
      description: 'Why the import failed. For masters of the project; null for others.',
      select: { importError: true },
      resolve: (project, _args, { actor }) => (can(actor, 'update_project', project) ? project.importError : null),
    }),
    viewerHasStarred: t.exposeBoolean('isStarred', { description: 'Whether the caller starred the project.' }),
    starCount: t.int({ description: 'Number of users who starred the project.', ...through('counters', 'stars') }),
    forksCount: t.int({
      description: 'Number of forks of the project, those too that the caller does not see.',
      ...through('counters', 'forks'),
    }),
    statistics: t.field({
      type: Statistics,
      nullable: true,
      description: 'Counts and sizes of what the project holds; null for callers who may not read the repository.',
      select: { counters: { select: STATISTICS } },
      resolve: (project, _args, { actor }) => (can(actor, 'read_repository', project) ? project.counters : null),
    }),
    openIssuesCount: t.int({
      nullable: true,
      description: 'Number of open issues that the caller may see; null when issues are switched off.',
      select: { openIssuesCount: true },
      resolve: ({ issuesEnabled, openIssuesCount }) => (issuesEnabled ? openIssuesCount : null),
    }),
    runnersToken: t.string({
      nullable: true,
      description: 'The token with which runners register. For masters of the project; null for others.',
      resolve: (project, _args, context) => runnersToken(context, project),
    }),
    permissions: t.field({
      type: Permissions,
      description: 'The memberships that give the caller access to the project.',
      select: { projectMembership: true, groupMembership: true },
      resolve: (project) => project,
    }),
    sharedWithGroups: t.expose('sharedWithGroups', {
      type: [ProjectShare],
      description: 'The groups with which the project is shared, as far as the caller may see them.',
    }),
    viewerAccessLevel: t.field({
      type: AccessLevel,
      nullable: true,
      description: 'The effective access level of the caller; null without a membership.',
      resolve: ({ accessLevel }) => accessLevel || null,
    }),
  }),
});

builder.prismaObjectFields(Project, (t) => ({
  forkedFrom: t.field({
    type: Project,
    nullable: true,
    description: 'The project of which this one is a fork; null for others and where the caller may not see it.',
    select: { forkedFromId: true },
    resolve: ({ forkedFromId }, _args, context, info) => projectOf(context, info, forkedFromId),
  }),
}));
