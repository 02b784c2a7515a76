import { CREATED, listFilter, textIn } from '#schema/list_filter.ts';

export const accessRequestFilter = listFilter('AccessRequest', 'AccessRequestFilter', 'requests for access', {
  userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only the request of this user.' },
  requestedAfter: {
    column: 'requestedAt',
    is: 'from',
    value: 'moment',
    description: 'Only requests that were made then or later.',
  },
  requestedBefore: {
    column: 'requestedAt',
    is: 'until',
    value: 'moment',
    description: 'Only requests that were made then or before.',
  },
});
export const approvalRuleFilter = listFilter('ApprovalRule', 'ApprovalRuleFilter', 'approval rules', {
  search: textIn('name', 'rules with this text in their names'),
  ...CREATED,
});
export const awardFilter = listFilter('AwardEmoji', 'AwardEmojiFilter', 'awards', {
  name: {
    column: 'name',
    is: 'equal',
    value: 'text',
    description: 'Only awards of the emoji with this name, without colons.',
  },
  userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only awards that this user gave.' },
  ...CREATED,
});
export const boardFilter = listFilter('Board', 'BoardFilter', 'boards', {
  search: textIn('name', 'boards with this text in their names'),
});
export const broadcastMessageFilter = listFilter('BroadcastMessage', 'BroadcastMessageFilter', 'broadcast messages', {
  search: textIn('message', 'messages with this text'),
  ...CREATED,
});
export const containerRepositoryFilter = listFilter(
  'ContainerRepository',
  'ContainerRepositoryFilter',
  'image repositories',
  { search: textIn('name', 'repositories with this text in their names'), ...CREATED },
);
export const containerTagFilter = listFilter('ContainerTag', 'ContainerTagFilter', 'tags of images', {
  search: textIn('name', 'tags with this text in their names'),
  ...CREATED,
});
export const commitCommentFilter = listFilter('CommitComment', 'CommitCommentFilter', 'comments on a commit', {
  ...CREATED,
});
export const deployKeyFilter = listFilter('DeployKey', 'DeployKeyFilter', 'deploy keys', {
  search: textIn('title', 'keys with this text in their titles'),
  canPush: {
    column: 'canPush',
    is: 'equal',
    value: 'flag',
    description: 'Only keys that can push, or only those that cannot.',
  },
  ...CREATED,
});
export const deployTokenFilter = listFilter('DeployToken', 'DeployTokenFilter', 'deploy tokens', {
  search: textIn('name', 'tokens with this text in their names'),
  revoked: {
    column: 'revoked',
    is: 'equal',
    value: 'flag',
    description: 'Only tokens that were revoked, or only those that were not.',
  },
  ...CREATED,
});
export const draftNoteFilter = listFilter('DraftNote', 'DraftNoteFilter', 'draft notes', { ...CREATED });
export const environmentDeploymentFilter = listFilter(
  'Deployment',
  'EnvironmentDeploymentFilter',
  'deployments to an environment',
  {
    ref: { column: 'ref', is: 'equal', value: 'text', description: 'Only deployments of exactly this branch or tag.' },
    sha: {
      column: 'sha',
      is: 'equal',
      value: 'sha',
      description: 'Only deployments of the commit with this hash.',
    },
    userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only deployments that this user made.' },
    ...CREATED,
  },
);
export const environmentFilter = listFilter('Environment', 'EnvironmentFilter', 'environments', {
  name: { column: 'name', is: 'equal', value: 'text', description: 'Only the environment of exactly this name.' },
  search: textIn('name', 'environments with this text in their names'),
  ...CREATED,
});
export const featureFlagFilter = listFilter('FeatureFlag', 'FeatureFlagFilter', 'feature flags', {
  active: {
    column: 'active',
    is: 'equal',
    value: 'flag',
    description: 'Only flags that are on, or only those that are off.',
  },
  search: textIn('name', 'flags with this text in their names'),
  ...CREATED,
});
export const featureFlagUserListFilter = listFilter(
  'FeatureFlagUserList',
  'FeatureFlagUserListFilter',
  'user lists of feature flags',
  { search: textIn('name', 'user lists with this text in their names'), ...CREATED },
);
export const terraformStateFilter = listFilter('TerraformState', 'TerraformStateFilter', 'states', {
  search: textIn('name', 'states with this text in their names'),
});
export const pagesDeploymentFilter = listFilter('PagesDeployment', 'PagesDeploymentFilter', 'deployments of a site', {
  pathPrefix: {
    column: 'pathPrefix',
    is: 'equal',
    value: 'text',
    description: 'Only deployments with exactly this path prefix.',
  },
  ...CREATED,
});
export const pagesDomainFilter = listFilter('PagesDomain', 'PagesDomainFilter', 'domains of a site', {
  search: textIn('domain', 'domains with this text in their names'),
  ...CREATED,
});
export const gpgKeyFilter = listFilter('GpgKey', 'GpgKeyFilter', 'keys', { ...CREATED });
export const webhookFilter = listFilter('Hook', 'WebhookFilter', 'webhooks', {
  search: textIn('name', 'webhooks with this text in their names'),
  ...CREATED,
});
export const webhookDeliveryFilter = listFilter('HookDelivery', 'WebhookDeliveryFilter', 'deliveries', { ...CREATED });
export const invitationFilter = listFilter('Invitation', 'InvitationFilter', 'invitations', {
  search: textIn('email', 'invitations with this text in their addresses'),
  minAccessLevel: {
    column: 'accessLevel',
    is: 'at_least',
    value: 'level',
    description: 'Only invitations to this level or a higher one.',
  },
  ...CREATED,
});
export const issueLinkFilter = listFilter('IssueLink', 'IssueLinkFilter', 'links of an issue', { ...CREATED });
export const jobFilter = listFilter('Job', 'JobFilter', 'jobs', {
  name: { column: 'name', is: 'equal', value: 'text', description: 'Only jobs of exactly this name.' },
  stage: { column: 'stage', is: 'equal', value: 'text', description: 'Only jobs of the stage with exactly this name.' },
  ...CREATED,
});
export const labelFilter = listFilter('Label', 'LabelFilter', 'labels', {
  title: { column: 'title', is: 'equal', value: 'text', description: 'Only labels of exactly this title.' },
  search: textIn('title', 'labels with this text in their titles'),
  archived: {
    column: 'archived',
    is: 'equal',
    value: 'flag',
    description: 'Only labels that are archived, or only those that are not.',
  },
  ...CREATED,
});
export const labelEventFilter = listFilter('LabelEvent', 'LabelEventFilter', 'events of labels', {
  userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only what this user did.' },
  ...CREATED,
});
export const milestoneEventFilter = listFilter('MilestoneEvent', 'MilestoneEventFilter', 'events of milestones', {
  userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only what this user did.' },
  ...CREATED,
});
export const stateEventFilter = listFilter('StateEvent', 'StateEventFilter', 'events of states', {
  userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only what this user did.' },
  ...CREATED,
});
export const memberFilter = listFilter('Member', 'MemberFilter', 'members', {
  minAccessLevel: {
    column: 'accessLevel',
    is: 'at_least',
    value: 'level',
    description: 'Only members with this level or a higher one.',
  },
});
export const versionFilter = listFilter(
  'MergeRequestVersion',
  'MergeRequestVersionFilter',
  'versions of a merge request',
  { ...CREATED },
);
export const milestoneFilter = listFilter('Milestone', 'MilestoneFilter', 'milestones', {
  title: { column: 'title', is: 'equal', value: 'text', description: 'Only milestones of exactly this title.' },
  search: textIn('title', 'milestones with this text in their titles'),
  ...CREATED,
});
export const applicationFilter = listFilter('OAuthApplication', 'OAuthApplicationFilter', 'applications', {
  search: textIn('name', 'applications with this text in their names'),
  ...CREATED,
});
export const scheduleFilter = listFilter('PipelineSchedule', 'PipelineScheduleFilter', 'pipeline schedules', {
  active: {
    column: 'active',
    is: 'equal',
    value: 'flag',
    description: 'Only schedules that run, or only those that are switched off.',
  },
  search: textIn('description', 'schedules with this text in their descriptions'),
  ...CREATED,
});
export const starFilter = listFilter('ProjectStar', 'ProjectStarFilter', 'stars', { ...CREATED });
export const uploadFilter = listFilter('Upload', 'ProjectUploadFilter', 'files', {
  search: textIn('fileName', 'files with this text in their names'),
  ...CREATED,
});
export const branchProtectionFilter = listFilter(
  'ProtectedBranch',
  'BranchProtectionRuleFilter',
  'protections of branches',
  { search: textIn('name', 'protections with this text in their names') },
);
export const containerTagRuleFilter = listFilter(
  'ContainerTagProtectionRule',
  'ContainerTagProtectionRuleFilter',
  'protections of tags of images',
  { search: textIn('tagNamePattern', 'protections with this text in their patterns') },
);
export const repositoryRuleFilter = listFilter(
  'ContainerProtectionRepositoryRule',
  'ContainerProtectionRepositoryRuleFilter',
  'protections of repositories of images',
  { search: textIn('repositoryPathPattern', 'protections with this text in their patterns') },
);
export const packageRuleFilter = listFilter(
  'PackagesProtectionRule',
  'PackagesProtectionRuleFilter',
  'protections of packages',
  { search: textIn('packageNamePattern', 'protections with this text in their patterns') },
);
export const tagProtectionFilter = listFilter('ProtectedTag', 'TagProtectionRuleFilter', 'protections of tags', {
  search: textIn('name', 'protections with this text in their names'),
});
export const releaseLinkFilter = listFilter('ReleaseLink', 'ReleaseLinkFilter', 'links of a release', {
  search: textIn('name', 'links with this text in their names'),
});
export const packageFileFilter = listFilter('PackageFile', 'PackageFileFilter', 'files of a package', {
  search: textIn('fileName', 'files with this text in their names'),
  ...CREATED,
});
export const reviewFilter = listFilter('MergeRequestReviewer', 'MergeRequestReviewerFilter', 'reviewers', {
  userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only the review of this user.' },
});
export const remoteMirrorFilter = listFilter('RemoteMirror', 'RemoteMirrorFilter', 'mirrors', {
  enabled: {
    column: 'enabled',
    is: 'equal',
    value: 'flag',
    description: 'Only mirrors that are pushed to, or only those that are switched off.',
  },
});
export const resourceGroupFilter = listFilter('ResourceGroup', 'ResourceGroupFilter', 'resource groups', {
  search: textIn('key', 'resource groups with this text in their keys'),
});
export const runnerFilter = listFilter('Runner', 'RunnerFilter', 'runners', {
  search: textIn('description', 'runners with this text in their descriptions'),
  locked: {
    column: 'locked',
    is: 'equal',
    value: 'flag',
    description: 'Only runners that are locked to their projects, or only those that are not.',
  },
});
export const runnerManagerFilter = listFilter('RunnerManager', 'RunnerManagerFilter', 'managers', {
  search: textIn('systemId', 'managers with this text in their system IDs'),
  version: { column: 'version', is: 'equal', value: 'text', description: 'Only managers of exactly this version.' },
  ...CREATED,
});
export const snippetFilter = listFilter('Snippet', 'SnippetFilter', 'snippets', {
  search: textIn('title', 'snippets with this text in their titles'),
  ...CREATED,
});
export const statusFilter = listFilter('Job', 'CommitStatusFilter', 'statuses of a commit', { ...CREATED });
export const timelogFilter = listFilter('Timelog', 'TimelogFilter', 'entries of time', {
  userId: { column: 'userId', is: 'equal', value: 'user', description: 'Only the time that this user spent.' },
  ...CREATED,
});
export const todoFilter = listFilter('Todo', 'TodoFilter', 'todos', { ...CREATED });
export const topicFilter = listFilter('Topic', 'TopicFilter', 'topics', {
  name: { column: 'name', is: 'equal', value: 'text', description: 'Only the topic of exactly this name.' },
  search: textIn('title', 'topics with this text in their titles'),
});
export const triggerFilter = listFilter('Trigger', 'TriggerFilter', 'triggers', {
  search: textIn('description', 'triggers with this text in their descriptions'),
  ...CREATED,
});
export const variableFilter = listFilter('Variable', 'VariableListFilter', 'variables', {
  key: { column: 'key', is: 'equal', value: 'text', description: 'Only variables of exactly this key.' },
  environmentScope: {
    column: 'environmentScope',
    is: 'equal',
    value: 'text',
    description: 'Only variables of exactly this environment scope.',
  },
  masked: {
    column: 'masked',
    is: 'equal',
    value: 'flag',
    description: 'Only variables whose values runners hide in logs, or only the others.',
  },
  protected: {
    column: 'protected',
    is: 'equal',
    value: 'flag',
    description: 'Only variables for jobs of protected branches, or only the others.',
  },
});
