import { BY_ID, listOrder } from '#schema/list_order.ts';

export const accessRequestOrder = listOrder('AccessRequest', 'AccessRequest', 'requests for access', {
  ID: BY_ID,
  USER_ID: { by: ['userId'], description: 'By the number of the user.' },
});
export const approvalRuleOrder = listOrder('ApprovalRule', 'ApprovalRule', 'approval rules', {
  ID: BY_ID,
  NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' },
});
export const auditEventOrder = listOrder('AuditEvent', 'AuditEvent', 'events of the audit log', {
  CREATED_AT: { by: ['createdAt', 'id'], description: 'By when it happened.' },
});
export const awardOrder = listOrder('AwardEmoji', 'AwardEmoji', 'awards', {
  ID: BY_ID,
  NAME: { by: ['name', 'userId'], description: 'By the name of the emoji, in alphabetical order.' },
});
export const badgeOrder = listOrder('Badge', 'Badge', 'badges', { ID: BY_ID });
export const broadcastMessageOrder = listOrder('BroadcastMessage', 'BroadcastMessage', 'broadcast messages', {
  ID: BY_ID,
});
export const boardOrder = listOrder('Board', 'Board', 'boards', { ID: BY_ID });
export const boardListOrder = listOrder('BoardList', 'BoardList', 'lists of a board', {
  POSITION: { by: ['rank', 'id'], description: 'By the place on the board, from left to right.' },
});
export const containerRepositoryOrder = listOrder('ContainerRepository', 'ContainerRepository', 'image repositories', {
  ID: BY_ID,
  NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' },
});
export const containerTagOrder = listOrder('ContainerTag', 'ContainerTag', 'tags of images', {
  NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' },
});
export const commitCommentOrder = listOrder('CommitComment', 'CommitComment', 'comments on commits', { ID: BY_ID });
export const deployKeyOrder = listOrder('DeployKey', 'DeployKey', 'deploy keys', { ID: BY_ID });
export const deployTokenOrder = listOrder('DeployToken', 'DeployToken', 'deploy tokens', { ID: BY_ID });
export const environmentDeploymentOrder = listOrder(
  'Deployment',
  'EnvironmentDeployment',
  'deployments to an environment',
  {
    ID: BY_ID,
  },
);
export const draftNoteOrder = listOrder('DraftNote', 'DraftNote', 'draft notes', { ID: BY_ID });
export const emailOrder = listOrder('Email', 'Email', 'addresses', { ID: BY_ID });
export const environmentOrder = listOrder('Environment', 'Environment', 'environments', {
  ID: BY_ID,
  NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' },
});
export const featureFlagOrder = listOrder('FeatureFlag', 'FeatureFlag', 'feature flags', {
  ID: BY_ID,
  NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' },
});
export const featureFlagUserListOrder = listOrder(
  'FeatureFlagUserList',
  'FeatureFlagUserList',
  'user lists of feature flags',
  { ID: BY_ID, NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' } },
);
export const terraformStateOrder = listOrder('TerraformState', 'TerraformState', 'states', {
  ID: BY_ID,
  NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' },
});
export const pagesDeploymentOrder = listOrder('PagesDeployment', 'PagesDeployment', 'deployments of a site', {
  ID: BY_ID,
});
export const pagesDomainOrder = listOrder('PagesDomain', 'PagesDomain', 'domains of a site', {
  ID: BY_ID,
  DOMAIN: { by: ['domain', 'id'], description: 'By name, in alphabetical order.' },
});
export const gpgKeyOrder = listOrder('GpgKey', 'GpgKey', 'keys', { ID: BY_ID });
export const webhookOrder = listOrder('Hook', 'Webhook', 'webhooks', { ID: BY_ID });
export const webhookDeliveryOrder = listOrder('HookDelivery', 'WebhookDelivery', 'deliveries', { ID: BY_ID });
export const invitationOrder = listOrder('Invitation', 'Invitation', 'invitations', {
  ID: BY_ID,
  EMAIL: { by: ['email', 'id'], description: 'By e-mail address, in alphabetical order.' },
});
export const issueLinkOrder = listOrder('IssueLink', 'IssueLink', 'links between issues', { ID: BY_ID });
export const jobOrder = listOrder('Job', 'Job', 'jobs', { ID: BY_ID });
export const labelOrder = listOrder('Label', 'Label', 'labels', {
  TITLE: { by: ['title', 'id'], description: 'By title, in alphabetical order.' },
});
export const labelEventOrder = listOrder('LabelEvent', 'LabelEvent', 'events of labels', { ID: BY_ID });
export const milestoneEventOrder = listOrder('MilestoneEvent', 'MilestoneEvent', 'events of milestones', { ID: BY_ID });
export const stateEventOrder = listOrder('StateEvent', 'StateEvent', 'events of states', { ID: BY_ID });
export const memberOrder = listOrder('Member', 'Member', 'members', {
  USER_ID: { by: ['userId'], description: 'By the number of the user, and so by the age of the account.' },
});
export const membershipOrder = listOrder('Member', 'UserMembership', 'memberships', { ID: BY_ID });
export const reviewOrder = listOrder('MergeRequestReviewer', 'MergeRequestReviewer', 'reviewers', { ID: BY_ID });
export const versionOrder = listOrder('MergeRequestVersion', 'MergeRequestVersion', 'versions of a merge request', {
  ID: BY_ID,
});
export const milestoneOrder = listOrder('Milestone', 'Milestone', 'milestones', {
  ID: BY_ID,
  CREATED_AT: { by: ['createdAt', 'id'], description: 'By when the milestone was created.' },
  DUE_DATE: {
    by: ['dueDate', 'id'],
    nulls: 'last',
    description: 'By due date; without one last, in either direction.',
  },
  TITLE: { by: ['title', 'id'], description: 'By title, in alphabetical order.' },
  UPDATED_AT: { by: ['updatedAt', 'id'], description: 'By when the milestone last changed.' },
});
export const namespaceOrder = listOrder('Namespace', 'Namespace', 'namespaces', { ID: BY_ID });
export const applicationOrder = listOrder('OAuthApplication', 'OAuthApplication', 'applications', { ID: BY_ID });
export const scheduleOrder = listOrder('PipelineSchedule', 'PipelineSchedule', 'pipeline schedules', { ID: BY_ID });
export const starOrder = listOrder('ProjectStar', 'ProjectStar', 'stars', {
  CREATED_AT: { by: ['createdAt', 'userId'], description: 'By when the star was given.' },
});
export const uploadOrder = listOrder('Upload', 'ProjectUpload', 'files', { ID: BY_ID });
export const debianDistributionOrder = listOrder(
  'DebianDistribution',
  'DebianDistribution',
  'distributions of Debian packages',
  { ID: BY_ID },
);
export const branchProtectionOrder = listOrder('ProtectedBranch', 'BranchProtectionRule', 'protections of branches', {
  NAME: { by: ['name'], description: 'By name, in alphabetical order.' },
});
export const containerTagRuleOrder = listOrder(
  'ContainerTagProtectionRule',
  'ContainerTagProtectionRule',
  'protections of tags of images',
  { ID: BY_ID },
);
export const repositoryRuleOrder = listOrder(
  'ContainerProtectionRepositoryRule',
  'ContainerProtectionRepositoryRule',
  'protections of repositories of images',
  { ID: BY_ID },
);
export const packageRuleOrder = listOrder(
  'PackagesProtectionRule',
  'PackagesProtectionRule',
  'protections of packages',
  {
    ID: BY_ID,
  },
);
export const tagProtectionOrder = listOrder('ProtectedTag', 'TagProtectionRule', 'protections of tags', {
  NAME: { by: ['name'], description: 'By name, in alphabetical order.' },
});
export const releaseLinkOrder = listOrder('ReleaseLink', 'ReleaseLink', 'links of a release', {
  ID: BY_ID,
  NAME: { by: ['name', 'id'], description: 'By name, in alphabetical order.' },
});
export const remoteMirrorOrder = listOrder('RemoteMirror', 'RemoteMirror', 'mirrors', { ID: BY_ID });
export const resourceGroupOrder = listOrder('ResourceGroup', 'ResourceGroup', 'resource groups', {
  ID: BY_ID,
  KEY: { by: ['key', 'id'], description: 'By key, in alphabetical order.' },
});
export const runnerOrder = listOrder('Runner', 'Runner', 'runners', { ID: BY_ID });
export const runnerManagerOrder = listOrder('RunnerManager', 'RunnerManager', 'managers', { ID: BY_ID });
export const snippetOrder = listOrder('Snippet', 'Snippet', 'snippets', { ID: BY_ID });
export const sshKeyOrder = listOrder('SshKey', 'SshKey', 'keys', { ID: BY_ID });
export const statusOrder = listOrder('Job', 'CommitStatus', 'statuses', { ID: BY_ID });
export const timelogOrder = listOrder('Timelog', 'Timelog', 'entries of time', { ID: BY_ID });
export const todoOrder = listOrder('Todo', 'Todo', 'todos', { ID: BY_ID });
export const topicOrder = listOrder('Topic', 'Topic', 'topics', {
  PROJECTS_COUNT: { by: ['projectsCount', 'id'], description: 'By how many projects have the topic.' },
  ID: BY_ID,
});
export const triggerOrder = listOrder('Trigger', 'Trigger', 'triggers', { ID: BY_ID });
export const activityOrder = listOrder('User', 'UserActivity', 'activities', {
  LAST_ACTIVITY_ON: { by: ['lastActivityOn', 'id'], description: 'By the day of the last activity.' },
});
export const variableOrder = listOrder('Variable', 'Variable', 'variables', {
  ID: BY_ID,
  KEY: {
    by: ['key', 'environmentScope'],
    description: 'By key, and then by environment scope, in alphabetical order.',
  },
});
