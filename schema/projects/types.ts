import { builder } from '#schema/builder.ts';
import { AccessLevel, ImportStatus, Visibility } from '#schema/enums.ts';
import '#schema/namespaces/types.ts';
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
  description: 'Access that a project gives to the members of a group.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    groupId: t.exposeInt('groupId', { description: 'Numeric ID of the group.' }),
    groupName: t.exposeString('groupName', { description: 'Name of the group.' }),
    groupAccessLevel: t.expose('groupAccessLevel', {
      type: AccessLevel,
      description: 'The highest level that members of the group get.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Date',
      nullable: true,
      description: 'From this day on it gives nothing; null: it has no end.',
    }),
  }),
});

const Access = builder.objectRef<number>('ProjectAccess').implement({
  description: 'A membership of the caller.',
  fields: (t) => ({
    accessLevel: t.field({
      type: AccessLevel,
      description: 'The level of the membership.',
      resolve: (level) => level,
    }),
    notificationLevel: t.int({ description: '3: what the caller set for everything.', resolve: () => 3 }),
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

const STATISTICS = { commits: true, repositorySize: true, lfsObjectsSize: true, jobArtifactsSize: true } as const;

const Statistics = builder
  .objectRef<Pick<Columns['ProjectCounters'], keyof typeof STATISTICS>>('ProjectStatistics')
  .implement({
    description: 'How much there is of a project; sizes in bytes.',
    fields: (t) => ({
      commitCount: t.exposeInt('commits', { description: 'Commits behind the default branch.' }),
      storageSize: t.field({
        type: 'Long',
        description: 'All of it together, in bytes.',
        resolve: ({ repositorySize, lfsObjectsSize, jobArtifactsSize }) =>
          Number(repositorySize) + Number(lfsObjectsSize) + Number(jobArtifactsSize),
      }),
      repositorySize: t.field({
        type: 'Long',
        description: 'What the repository takes, in bytes.',
        resolve: ({ repositorySize }) => Number(repositorySize),
      }),
      lfsObjectsSize: t.field({
        type: 'Long',
        description: 'What files in large file storage take, in bytes.',
        resolve: ({ lfsObjectsSize }) => Number(lfsObjectsSize),
      }),
      jobArtifactsSize: t.field({
        type: 'Long',
        description: 'What artifacts of jobs take, in bytes.',
        resolve: ({ jobArtifactsSize }) => Number(jobArtifactsSize),
      }),
    }),
  });

export const Project = builder.prismaObject('Project', {
  description: 'A repository with the issues, labels and milestones around it.',
  interfaces: [Node],
  select: PROJECT_BASE,
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
    tagList: t.exposeStringList('tagList', { description: 'Words that describe it.' }),
    visibility: t.expose('visibility', { type: Visibility, description: 'Who may see it.' }),
    archived: t.exposeBoolean('archived', { description: 'Whether it is kept for reading only.' }),
    namespace: t.relation('namespace', { description: 'Where it lives.' }),
    owner: t.field({
      type: User,
      nullable: true,
      description: 'Whose personal namespace holds it.',
      ...through('namespace', 'owner'),
    }),
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
    importStatus: t.expose('importStatus', {
      type: ImportStatus,
      nullable: true,
      description: 'How far the import of its repository is; null where it was not imported.',
    }),
    importError: t.string({
      nullable: true,
      description: 'Why its import failed, for those who administer it.',
      select: { importError: true },
      resolve: (project, _args, { actor }) => (can(actor, 'update_project', project) ? project.importError : null),
    }),
    starCount: t.int({ description: 'How many users starred it.', ...through('counters', 'stars') }),
    forksCount: t.int({ description: 'How many forks it has.', ...through('counters', 'forks') }),
    statistics: t.field({
      type: Statistics,
      nullable: true,
      description: 'How much there is of it; null for those who may not read the repository.',
      select: { counters: { select: STATISTICS } },
      resolve: (project, _args, { actor }) => (can(actor, 'read_repository', project) ? project.counters : null),
    }),
    openIssuesCount: t.int({
      nullable: true,
      description: 'How many issues are open that the caller sees; null when issues are switched off.',
      select: { openIssuesCount: true },
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
      select: { projectMembership: true, groupMembership: true },
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

builder.prismaObjectFields(Project, (t) => ({
  forkedFrom: t.field({
    type: Project,
    nullable: true,
    description: 'The project of which it is a fork, if there is one that the caller sees.',
    select: { forkedFromId: true },
    resolve: ({ forkedFromId }, _args, context, info) => projectOf(context, info, forkedFromId),
  }),
}));
