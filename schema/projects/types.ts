import { builder } from '#schema/builder.ts';
import { deprecated } from '#schema/deprecated.ts';
import {
  AccessLevel,
  AutoCancel,
  FeatureAccess,
  ImportStatus,
  MergeMethod,
  ProjectFeature,
  SquashOption,
  Visibility,
} from '#schema/enums.ts';
import { groupOf } from '#schema/groups/group_of.ts';
import { Group } from '#schema/groups/types.ts';
import { Namespace } from '#schema/namespaces/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { User } from '#schema/users/types.ts';
import { can, type ProjectSubject } from '#src/access/permissions/abilities.ts';
import { FEATURES, type Features, hasFeature, levelOf } from '#src/access/permissions/features.ts';
import { NOTIFICATION_LEVELS } from '#src/domain/changes/notification_events.ts';
import { INHERITED } from '#src/domain/changes/notification_setting.ts';
import { projectAvatarPath } from '#src/domain/projects/avatar.ts';
import { PROJECT_BASE } from '#src/domain/projects/find.ts';
import { runnersToken } from '#src/domain/projects/runners_token.ts';
import { mainLanguage } from '#src/domain/repository/languages/count.ts';
import { sshUrl } from '#src/platform/config/ssh_address.ts';
import type { NotificationSetting, ProjectShareRow } from '#src/platform/records/computed_types.ts';
import type { Columns } from '#src/platform/records/model.ts';

export const ProjectShare = builder.objectRef<ProjectShareRow>('ProjectShare').implement({
  description: 'A group that a project is shared with.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the share.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the shared project.' }),
    groupId: t.exposeInt('groupId', { description: 'Numeric ID of the group; see also `group`.' }),
    group: t.field({
      type: Group,
      nullable: true,
      description: 'The group whose members get access; null if the caller cannot see it.',
      resolve: ({ groupId }, _args, context, info) => groupOf(context, info, groupId),
    }),
    groupName: t.exposeString('groupName', {
      description: 'Display name of the group.',
    }),
    groupFullPath: t.exposeString('groupFullPath', {
      description: 'Path of the group with those of the groups around it.',
    }),
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

/** A membership of the caller, with the caller's notification setting there. */
interface AccessRow {
  level: number;
  setting: NotificationSetting | null;
}

const Access = builder.objectRef<AccessRow>('ProjectAccess').implement({
  description: 'A membership of the caller, with its level.',
  fields: (t) => ({
    accessLevel: t.field({
      type: AccessLevel,
      description: 'The level of the membership.',
      resolve: ({ level }) => level,
    }),
    notificationLevel: t.int({
      description:
        'The caller’s notification level there: 0 disabled, 1 participating, 2 watch, 3 global, 4 mention, 5 custom.',
      resolve: ({ setting }) => NOTIFICATION_LEVELS.indexOf((setting ?? INHERITED).level),
    }),
  }),
});

const MEMBERSHIPS = {
  projectMembership: true,
  groupMembership: true,
  notificationSetting: true,
  groupNotificationSetting: true,
} as const;

interface Memberships {
  projectMembership: number | null;
  groupMembership: number | null;
  notificationSetting: NotificationSetting | null;
  groupNotificationSetting: NotificationSetting | null;
}

const Permissions = builder.objectRef<Memberships>('ProjectPermissions').implement({
  description: 'The caller’s memberships in a project and its groups.',
  fields: (t) => ({
    projectAccess: t.field({
      type: Access,
      nullable: true,
      description: 'The direct membership in the project; null if there is none.',
      resolve: ({ projectMembership: level, notificationSetting: setting }) =>
        level === null ? null : { level, setting },
    }),
    groupAccess: t.field({
      type: Access,
      nullable: true,
      description: 'The highest membership in the project’s group and its parents; null if there is none.',
      resolve: ({ groupMembership: level, groupNotificationSetting: setting }) =>
        level === null ? null : { level, setting },
    }),
  }),
});

const STATISTICS = {
  commits: true,
  repositorySize: true,
  lfsObjectsSize: true,
  jobArtifactsSize: true,
  packagesSize: true,
  containerRegistrySize: true,
  uploadsSize: true,
  wikiSize: true,
  snippetsSize: true,
} as const;

const Statistics = builder
  .objectRef<Pick<Columns['ProjectCounters'], keyof typeof STATISTICS>>('ProjectStatistics')
  .implement({
    description: 'Counts and sizes of a project’s contents.',
    fields: (t) => ({
      commitCount: t.exposeInt('commits', { description: 'Number of commits reachable from the default branch.' }),
      storageSize: t.field({
        type: 'Long',
        description: 'Sum of the other sizes, in bytes.',
        resolve: ({ commits: _, ...sizes }) => Object.values(sizes).reduce((sum, size) => sum + Number(size), 0),
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
      packagesSize: t.field({
        type: 'Long',
        description: 'Size of the files of packages, in bytes.',
        resolve: ({ packagesSize }) => Number(packagesSize),
      }),
      containerRegistrySize: t.field({
        type: 'Long',
        description: 'Size of the images in the container registry, in bytes; what they share counts once.',
        resolve: ({ containerRegistrySize }) => Number(containerRegistrySize),
      }),
      uploadsSize: t.field({
        type: 'Long',
        description: 'Size of the files that are attached to descriptions and comments, in bytes.',
        resolve: ({ uploadsSize }) => Number(uploadsSize),
      }),
      wikiSize: t.field({
        type: 'Long',
        description: 'Size of the repository of the wiki, in bytes.',
        resolve: ({ wikiSize }) => Number(wikiSize),
      }),
      snippetsSize: t.field({
        type: 'Long',
        description: 'Size of the repositories of snippets, in bytes.',
        resolve: ({ snippetsSize }) => Number(snippetsSize),
      }),
    }),
  });

const RestLinks = builder.objectRef<ProjectSubject & Features & { id: number }>('ProjectRestLinks').implement({
  description: 'URLs of a project in the REST API.',
  fields: (t) => {
    const link = (path: string, description: string) =>
      t.string({ description, resolve: ({ id }, _args, { baseUrl }) => `${baseUrl}/api/v4/projects/${id}${path}` });
    return {
      self: link('', 'URL of the record of the project.'),
      issues: t.string({
        nullable: true,
        description: 'URL of the list of issues; null when they are switched off for the caller.',
        resolve: (project, _args, { actor, baseUrl }) =>
          hasFeature(actor, 'issues', project) ? `${baseUrl}/api/v4/projects/${project.id}/issues` : null,
      }),
      mergeRequests: t.string({
        nullable: true,
        description: 'URL of the list of merge requests; null when they are switched off for the caller.',
        resolve: (project, _args, { actor, baseUrl }) =>
          hasFeature(actor, 'mergeRequests', project)
            ? `${baseUrl}/api/v4/projects/${project.id}/merge_requests`
            : null,
      }),
      branches: link('/repository/branches', 'URL of the list of branches.'),
      labels: t.string({
        description: 'URL of the list of labels, also for those who may not read them.',
        ...deprecated('Use `viewerLabels`.', '0.3.0', '0.5.0'),
        resolve: ({ id }, _args, { baseUrl }) => `${baseUrl}/api/v4/projects/${id}/labels`,
      }),
      viewerLabels: t.string({
        nullable: true,
        description: 'URL of the list of labels; null for those who may not read them.',
        resolve: (project, _args, { actor, baseUrl }) =>
          can(actor, 'read_label', project) ? `${baseUrl}/api/v4/projects/${project.id}/labels` : null,
      }),
      events: link('/events', 'URL of the list of events.'),
      members: link('/members', 'URL of the list of direct members.'),
    };
  },
});

export const Project = builder.prismaObject('Project', {
  description: 'A repository with its issues, labels, milestones and pipelines.',
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
      description: 'Names of the namespace and the project, separated by slashes: `Team / Site`.',
    }),
    fullPath: t.exposeString('fullPath', {
      description: 'Paths of the namespace and the project, separated by slashes: `team/site`.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the project is for, as plain text.',
    }),
    defaultBranch: t.exposeString('defaultBranch', {
      nullable: true,
      description: 'Name of the branch that is shown and cloned by default; null while the repository is empty.',
    }),
    tagList: t.exposeStringList('tagList', { description: 'Tags that describe the project, in no particular order.' }),
    visibility: t.expose('visibility', { type: Visibility, description: 'Who can see the project.' }),
    archived: t.exposeBoolean('archived', {
      description: 'Whether the project is archived, and its repository read-only.',
    }),
    namespace: t.relation('namespace', {
      type: Namespace,
      description: 'The group or personal namespace that holds the project.',
    }),
    owner: t.field({
      type: User,
      nullable: true,
      description: 'The user whose personal namespace holds the project; null in a group.',
      ...viaRelation('namespace', 'owner'),
    }),
    creatorId: t.exposeInt('creatorId', {
      description: 'Numeric ID of the user who created the project; see also `creator`.',
    }),
    creator: t.relation('creator', { description: 'The user who created the project.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the project was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the record of the project, such as its name or a setting, was last changed.',
    }),
    emptyRepository: t.exposeBoolean('isEmpty', { description: 'Whether the repository has no branch yet.' }),
    restLinks: t.field({
      type: RestLinks,
      description: 'URLs of the project and what belongs to it in the REST API.',
      resolve: (project) => project,
    }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      description: 'When the latest event of the project happened, such as a push or an opened issue.',
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'URL of the picture that was uploaded for the project; null without one.',
      select: { avatarKey: true },
      resolve: ({ id, avatarKey }, _args, { baseUrl }) =>
        avatarKey === null ? null : baseUrl + projectAvatarPath(id, avatarKey),
    }),
    webUrl: t.string({
      description: 'URL of the page of the project.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/${fullPath}`,
    }),
    httpUrlToRepo: t.string({
      description: 'URL to clone the repository over HTTP.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/${fullPath}.git`,
    }),
    sshUrlToRepo: t.string({
      description: 'Address to clone the repository over SSH; empty where the server has not got its port for SSH.',
      resolve: ({ fullPath }, _args, { baseUrl, ssh }) => sshUrl(fullPath, baseUrl, ssh),
    }),
    issuesEnabled: t.exposeBoolean('issuesEnabled', { description: 'Whether issues are switched on.' }),
    mergeRequestsEnabled: t.exposeBoolean('mergeRequestsEnabled', {
      description: 'Whether merge requests are switched on.',
    }),
    wikiEnabled: t.exposeBoolean('wikiEnabled', { description: 'Whether the wiki is switched on.' }),
    jobsEnabled: t.exposeBoolean('jobsEnabled', { description: 'Whether pipelines are switched on.' }),
    snippetsEnabled: t.exposeBoolean('snippetsEnabled', { description: 'Whether snippets are switched on.' }),
    repositoryEnabled: t.exposeBoolean('repositoryEnabled', { description: 'Whether the repository is switched on.' }),
    viewerFeatures: t.field({
      type: [ProjectFeature],
      description: 'The features that are switched on for the caller; what the caller may do there depends on rights.',
      resolve: (project, _args, { actor }) => FEATURES.filter((feature) => hasFeature(actor, feature, project)),
    }),
    containerRegistryEnabled: t.exposeBoolean('containerRegistryEnabled', {
      description: 'Whether the container registry is switched on.',
    }),
    featureFlagsEnabled: t.exposeBoolean('featureFlagsEnabled', {
      description: 'Whether feature flags are switched on.',
    }),
    sharedRunnersEnabled: t.exposeBoolean('sharedRunnersEnabled', {
      description: 'Whether shared runners can run its jobs.',
    }),
    groupRunnersEnabled: t.exposeBoolean('groupRunnersEnabled', {
      description: 'Whether runners of its groups can run its jobs.',
    }),
    ciDefaultGitDepth: t.exposeInt('ciDefaultGitDepth', {
      nullable: true,
      description: 'How many commits runners fetch unless a job says GIT_DEPTH; all for 0, and where it was never set.',
    }),
    ciSeparatedCaches: t.exposeBoolean('ciSeparatedCaches', {
      description: 'Whether jobs of protected branches and tags have caches of their own.',
    }),
    maxArtifactsSize: t.exposeInt('maxArtifactsSize', {
      nullable: true,
      description:
        'How large the artifacts of a job may be, in megabytes, within the limit of the server; null for that of its groups.',
    }),
    lfsEnabled: t.exposeBoolean('lfsEnabled', { description: 'Whether large file storage is on.' }),
    publicJobs: t.exposeBoolean('publicJobs', {
      description: 'Whether everyone who can see the project can see its pipelines and jobs.',
    }),
    buildTimeout: t.exposeInt('buildTimeout', {
      description: 'How long a job of the project can run, in seconds; 3600 in new projects.',
    }),
    requestAccessEnabled: t.exposeBoolean('requestAccessEnabled', {
      description: 'Whether users can ask for access to the project.',
    }),
    serviceDeskEnabled: t.exposeBoolean('serviceDeskEnabled', {
      description: 'Whether mail from people without an account opens issues, at the address `serviceDeskAddress`.',
    }),
    onlyAllowMergeIfPipelineSucceeds: t.exposeBoolean('onlyAllowMergeIfPipelineSucceeds', {
      description: 'Whether merge requests can only be merged once their pipeline has succeeded.',
    }),
    onlyAllowMergeIfAllDiscussionsAreResolved: t.exposeBoolean('onlyAllowMergeIfAllDiscussionsAreResolved', {
      description: 'Whether merge requests can only be merged once all discussions are resolved.',
    }),
    mergeMethod: t.expose('mergeMethod', { type: MergeMethod, description: 'How merge requests are merged.' }),
    squashOption: t.expose('squashOption', {
      type: SquashOption,
      description: 'Whether the commits of merge requests become one when they are merged.',
    }),
    mergeCommitTemplate: t.exposeString('mergeCommitTemplate', {
      nullable: true,
      description: 'Message of merge commits, with placeholders such as `%{title}`; null for the usual one.',
    }),
    squashCommitTemplate: t.exposeString('squashCommitTemplate', {
      nullable: true,
      description:
        'Message of commits that others became, with placeholders such as `%{title}`; null for the title of the merge request.',
    }),
    issuesTemplate: t.exposeString('issuesTemplate', {
      nullable: true,
      description: 'What descriptions of new issues begin with, by the settings; null for nothing.',
    }),
    mergeRequestsTemplate: t.exposeString('mergeRequestsTemplate', {
      nullable: true,
      description: 'What descriptions of new merge requests begin with, by the settings; null for nothing.',
    }),
    removeSourceBranchAfterMerge: t.exposeBoolean('removeSourceBranchAfterMerge', {
      description: 'Whether forms of new merge requests propose to delete the source branch after the merge.',
    }),
    autocloseReferencedIssues: t.exposeBoolean('autocloseReferencedIssues', {
      description:
        'Whether merging into the default branch, and pushing to it, closes the issues that are named for that.',
    }),
    allowMergeOnSkippedPipeline: t.exposeBoolean('allowMergeOnSkippedPipeline', {
      description: 'Whether a skipped pipeline is enough where merge requests need one that has succeeded.',
    }),
    autoCancelPendingPipelines: t.field({
      type: AutoCancel,
      description: 'Whether new pipelines cancel older ones of their branch.',
      select: { autoCancelPendingPipelines: true },
      resolve: (project) => (project.autoCancelPendingPipelines ? 'enabled' : 'disabled'),
    }),
    jobTokenPushAllowed: t.exposeBoolean('jobTokenPushAllowed', {
      description:
        'Whether jobs of the project can push to its repository with their tokens; such pushes start no pipelines.',
    }),
    ciConfigPath: t.exposeString('ciConfigPath', {
      nullable: true,
      description:
        'Path of the CI configuration in the repository; null for that of the settings, which is `.gitlab-ci.yml` unless set.',
    }),
    issuesAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use issues: nobody while `issuesEnabled` is false.',
      resolve: (project) => levelOf('issues', project),
    }),
    mergeRequestsAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use merge requests: nobody while `mergeRequestsEnabled` is false.',
      resolve: (project) => levelOf('mergeRequests', project),
    }),
    repositoryAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use the repository: nobody while `repositoryEnabled` is false.',
      resolve: (project) => levelOf('repository', project),
    }),
    wikiAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use the wiki: nobody while `wikiEnabled` is false.',
      resolve: (project) => levelOf('wiki', project),
    }),
    jobsAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use pipelines and jobs: nobody while `jobsEnabled` is false.',
      resolve: (project) => levelOf('jobs', project),
    }),
    snippetsAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use snippets: nobody while `snippetsEnabled` is false.',
      resolve: (project) => levelOf('snippets', project),
    }),
    containerRegistryAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use the container registry: nobody while `containerRegistryEnabled` is false.',
      resolve: (project) => levelOf('containerRegistry', project),
    }),
    featureFlagsAccess: t.field({
      type: FeatureAccess,
      description: 'Who can use feature flags: nobody while `featureFlagsEnabled` is false.',
      resolve: (project) => levelOf('featureFlags', project),
    }),
    importStatus: t.expose('importStatus', {
      type: ImportStatus,
      nullable: true,
      description: 'Progress of the repository import; null if the repository was not imported.',
    }),
    importError: t.string({
      nullable: true,
      description: 'Error message of a failed import. For masters of the project; null for others.',
      select: { importError: true },
      resolve: (project, _args, { actor }) => (can(actor, 'update_project', project) ? project.importError : null),
    }),
    mainLanguage: t.string({
      nullable: true,
      description:
        'Name of the language of the most bytes on the default branch, as counted last; null until then, without any, and for callers who cannot read the repository. See `languages`.',
      select: { languageCount: { select: { languages: true } } },
      resolve: (project, _args, { actor }) =>
        can(actor, 'read_repository', project) ? mainLanguage(project.languageCount?.languages ?? null) : null,
    }),
    viewerHasStarred: t.exposeBoolean('isStarred', { description: 'Whether the caller starred the project.' }),
    starCount: t.int({ description: 'Number of users who starred the project.', ...viaRelation('counters', 'stars') }),
    forksCount: t.int({
      description: 'Number of forks, including those that the caller cannot see.',
      ...viaRelation('counters', 'forks'),
    }),
    statistics: t.field({
      type: Statistics,
      nullable: true,
      description: 'Counts and sizes of the project’s contents; null for callers who cannot read the repository.',
      select: { counters: { select: STATISTICS } },
      resolve: (project, _args, { actor }) => (can(actor, 'read_repository', project) ? project.counters : null),
    }),
    openIssuesCount: t.int({
      nullable: true,
      description: 'Number of open issues that the caller can see; null when issues are switched off for the caller.',
      select: { openIssuesCount: true },
      resolve: (project, _args, { actor }) => (hasFeature(actor, 'issues', project) ? project.openIssuesCount : null),
    }),
    runnersToken: t.string({
      nullable: true,
      description: 'The token that runners register with. For masters of the project; null for others.',
      select: { runnersToken: true },
      resolve: (project, _args, context) => runnersToken(context, project),
    }),
    permissions: t.field({
      type: Permissions,
      description: 'The caller’s memberships in the project and its groups.',
      select: MEMBERSHIPS,
      resolve: (project) => project,
    }),
    sharedWithGroups: t.expose('sharedWithGroups', {
      type: [ProjectShare],
      description: 'The groups that the project is shared with and that the caller can see.',
    }),
    viewerAccessLevel: t.field({
      type: AccessLevel,
      nullable: true,
      description: 'The caller’s effective access level; null if the caller is not a member.',
      resolve: ({ accessLevel }) => accessLevel || null,
    }),
  }),
});

builder.prismaObjectFields(Project, (t) => ({
  forkedFrom: t.field({
    type: Project,
    nullable: true,
    description:
      'The project that this one is a fork of; null if it is not a fork or the caller cannot see the source.',
    select: { forkedFromId: true },
    resolve: ({ forkedFromId }, _args, context, info) => projectOf(context, info, forkedFromId),
  }),
}));
