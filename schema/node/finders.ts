import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { shownAt } from '#schema/events/shown.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findTokensByIds } from '#src/access/credentials/tokens/list.ts';
import { findAuditEventsByIds } from '#src/domain/activity/audit_events.ts';
import { findEventsByIds } from '#src/domain/activity/list_events.ts';
import { findBroadcastMessagesByIds } from '#src/domain/administration/broadcast_messages/list.ts';
import { findApplicationsByIds } from '#src/domain/applications/find.ts';
import { findBulkImportsByIds, findEntitiesByIds } from '#src/domain/bulk_imports/find.ts';
import { findDeploymentsByIds } from '#src/domain/ci/deployments/list.ts';
import { findEnvironmentsByIds } from '#src/domain/ci/environments/list.ts';
import { findJobsByIds } from '#src/domain/ci/jobs/list.ts';
import { findPipelinesByIds } from '#src/domain/ci/pipelines/find.ts';
import { findResourceGroupsByIds } from '#src/domain/ci/resource_groups/list.ts';
import { findRunnerManagersByIds, findRunnersByIds } from '#src/domain/ci/runners/list.ts';
import { findSchedulesByIds } from '#src/domain/ci/schedules/list.ts';
import { findStatusesByIds } from '#src/domain/ci/statuses/list.ts';
import { findTriggersByIds } from '#src/domain/ci/triggers/list.ts';
import { findVariablesByIds } from '#src/domain/ci/variables/list.ts';
import { findRepositoriesByIds, findTagsByIds } from '#src/domain/container_registry/list.ts';
import { repositoryRules } from '#src/domain/container_registry/repository_rules.ts';
import { tagRules } from '#src/domain/container_registry/tag_rules.ts';
import { findFlagsByIds, findUserListsByIds } from '#src/domain/feature_flags/list.ts';
import { findGroupsByIds } from '#src/domain/groups/find.ts';
import { findPersonalNamespaces } from '#src/domain/groups/find_namespace.ts';
import { findMirrorsByIds } from '#src/domain/imports/mirrors/list.ts';
import { findAccessRequestsByIds } from '#src/domain/members/access_requests/list.ts';
import { findDeployTokensByIds } from '#src/domain/members/deploy_tokens/list.ts';
import { findInvitationsByIds } from '#src/domain/members/invitations/list.ts';
import { findMembersByIds } from '#src/domain/members/list.ts';
import { findMembershipsByIds } from '#src/domain/members/of_user.ts';
import type { SourceOf } from '#src/domain/members/source.ts';
import { findDistributionsByIds } from '#src/domain/packages/debian/distributions.ts';
import { findPackageFilesByIds, findPackagesByIds } from '#src/domain/packages/list.ts';
import { packageRules } from '#src/domain/packages/protection_rules.ts';
import { findSourceUsersByIds } from '#src/domain/placeholder_users/find.ts';
import { findTablesByIds } from '#src/domain/placeholder_users/table.ts';
import { findProjectsByIds } from '#src/domain/projects/find.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findTopicsByIds } from '#src/domain/projects/topics.ts';
import { BadgeFacts, findBadgesByIds } from '#src/domain/repository/badges/badges.ts';
import { findDeployKeysByIds } from '#src/domain/repository/deploy_keys/list.ts';
import { branchProtectionRules, tagProtectionRules } from '#src/domain/repository/protections/list.ts';
import { findPushRulesByIds } from '#src/domain/repository/push_rules/find.ts';
import { findReleaseLinksByIds, findReleasesByIds } from '#src/domain/repository/releases/list.ts';
import { findDomainsByIds, findSiteDeploymentsByIds } from '#src/domain/sites/list.ts';
import { findSnippetsByIds } from '#src/domain/snippets/find.ts';
import { terraformStates } from '#src/domain/terraform_states/list.ts';
import { approvalRulesOf } from '#src/domain/tracking/approvals/find.ts';
import { findAwardsByIds } from '#src/domain/tracking/awards/list.ts';
import { findBoardListsByIds, findBoardsByIds } from '#src/domain/tracking/boards/list.ts';
import { findCommitCommentsByIds } from '#src/domain/tracking/commits/comments_list.ts';
import { findDraftNotesByIds } from '#src/domain/tracking/drafts/list.ts';
import { findIssueLinksByIds } from '#src/domain/tracking/issue_links/list.ts';
import { findIssueImportsByIds } from '#src/domain/tracking/issue_tables/import.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import { findLabelsByIds } from '#src/domain/tracking/labels/list.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';
import { findReviewsByIds } from '#src/domain/tracking/merge_requests/reviews.ts';
import { findVersionsByIds } from '#src/domain/tracking/merge_requests/versions.ts';
import { findMilestonesByIds } from '#src/domain/tracking/milestones/list.ts';
import { findDiscussionsByIds } from '#src/domain/tracking/notes/discussions.ts';
import { findNotesByIds } from '#src/domain/tracking/notes/list.ts';
import { findSuggestionsByIds } from '#src/domain/tracking/notes/suggestions.ts';
import { labelEvents, milestoneEvents, stateEvents } from '#src/domain/tracking/resource_events/list.ts';
import { findTimelogsByIds } from '#src/domain/tracking/time_tracking/list.ts';
import { findTodosByIds } from '#src/domain/tracking/todos/list.ts';
import { findUploadsByIds } from '#src/domain/uploads/list.ts';
import { findEmailsByIds } from '#src/domain/users/emails/list.ts';
import { findUsersByIds } from '#src/domain/users/find.ts';
import { findGpgKeysByIds } from '#src/domain/users/gpg_keys/list.ts';
import { findKeysByIds } from '#src/domain/users/keys/list.ts';
import { findDeliveriesByIds, findHooksByIds } from '#src/domain/webhooks/list.ts';
import { Unauthenticated } from '#src/platform/errors.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import type { Selection } from '#src/platform/records/selection.ts';

type Finder = (
  context: GraphQLContext,
  ids: readonly number[],
  info: GraphQLResolveInfo,
) => Promise<readonly { id: number }[]>;

/** Finds records of each type by ID: those that the caller can see, with one statement for all. */
const FINDERS: Readonly<Record<string, Finder>> = {
  Event: (context, ids, info) => findEventsByIds(context, ids, shownAt(info)),
  Member: inSources('Member', findMembersByIds),
  AccessRequest: inSources('AccessRequest', findAccessRequestsByIds),
  Invitation: inSources('Invitation', findInvitationsByIds),
  UserMembership: (context, ids) => (context.actor?.admin ? findMembershipsByIds(context, ids) : Promise.resolve([])),
  PersonalNamespace: (context, ids, info) => findPersonalNamespaces(context, ids, selectionAt(info, 'Namespace')),
  ApprovalRule: inProjects('ApprovalRule', approvalRulesOf.findByIds),
  PushRule: (context, ids, info) => findPushRulesByIds(context, ids, selectionAt(info, 'PushRule'), placeOf(context)),
  Variable: (context, ids, info) => findVariablesByIds(context, ids, selectionAt(info, 'Variable'), placeOf(context)),
  Package: inProjects('Package', findPackagesByIds),
  PackageFile: inProjects('PackageFile', findPackageFilesByIds),
  ContainerRepository: inProjects('ContainerRepository', findRepositoriesByIds),
  ContainerTag: inProjects('ContainerTag', findTagsByIds),
  ContainerTagProtectionRule: inProjects('ContainerTagProtectionRule', tagRules.findByIds),
  ContainerProtectionRepositoryRule: inProjects('ContainerProtectionRepositoryRule', repositoryRules.findByIds),
  PackagesProtectionRule: inProjects('PackagesProtectionRule', packageRules.findByIds),
  FeatureFlag: inProjects('FeatureFlag', findFlagsByIds),
  FeatureFlagUserList: inProjects('FeatureFlagUserList', findUserListsByIds),
  TerraformState: inProjects('TerraformState', terraformStates.findByIds),
  PagesDeployment: inProjects('PagesDeployment', findSiteDeploymentsByIds),
  PagesDomain: inProjects('PagesDomain', findDomainsByIds),
  Release: inProjects('Release', findReleasesByIds),
  ReleaseLink: (context, ids) => findReleaseLinksByIds(context, ids, (id) => context.loaders.project.load(id)),
  BranchProtectionRule: inProjects('ProtectedBranch', branchProtectionRules.findByIds),
  TagProtectionRule: inProjects('ProtectedTag', tagProtectionRules.findByIds),
  CommitComment: inProjects('CommitComment', findCommitCommentsByIds),
  CommitStatus: inProjects('Job', findStatusesByIds),
  MergeRequestReviewer: inProjects('MergeRequestReviewer', findReviewsByIds),
  Suggestion: (context, ids) => findSuggestionsByIds(context, ids, (id) => context.loaders.project.load(id)),
  RunnerManager: (context, ids, info) => findRunnerManagersByIds(context, ids, selectionAt(info, 'RunnerManager')),
  Upload: inProjects('Upload', findUploadsByIds),
  WebhookDelivery: inProjects('HookDelivery', findDeliveriesByIds),
  BulkImport: (context, ids, info) =>
    context.actor ? findBulkImportsByIds(context, ids, selectionAt(info, 'BulkImport')) : Promise.resolve([]),
  BulkImportEntity: (context, ids, info) =>
    context.actor ? findEntitiesByIds(context, ids, selectionAt(info, 'BulkImportEntity')) : Promise.resolve([]),
  ImportSourceUser: (context, ids, info) =>
    context.actor ? findSourceUsersByIds(context, ids, selectionAt(info, 'ImportSourceUser')) : Promise.resolve([]),
  ReassignmentTable: (context, ids) => (context.actor ? findTablesByIds(context, ids) : Promise.resolve([])),
  User: (context, ids, info) => findUsersByIds(context, ids, selectionAt(info, 'User')),
  Todo: (context, ids, info) => findTodosByIds(context, ids, selectionAt(info, 'Todo')),
  SshKey: findKeysByIds,
  GpgKey: (context, ids, info) => findGpgKeysByIds(context, ids, selectionAt(info, 'GpgKey')),
  DeployKey: (context, ids, info) => findDeployKeysByIds(context, ids, selectionAt(info, 'DeployKey')),
  Email: findEmailsByIds,
  AuditEvent: (context, ids, info) => findAuditEventsByIds(context, ids, selectionAt(info, 'AuditEvent')),
  DeployToken: inSources('DeployToken', findDeployTokensByIds),
  PersonalAccessToken: (context, ids, info) => findTokensByIds(context, ids, selectionAt(info, 'PersonalAccessToken')),
  OAuthApplication: (context, ids, info) => findApplicationsByIds(context, ids, selectionAt(info, 'OAuthApplication')),
  Group: (context, ids, info) => findGroupsByIds(context, ids, selectionAt(info, 'Namespace')),
  Project: (context, ids, info) => findProjectsByIds(context, ids, selectionAt(info, 'Project')),
  BroadcastMessage: (context, ids, info) =>
    findBroadcastMessagesByIds(context, ids, selectionAt(info, 'BroadcastMessage')),
  Topic: (context, ids, info) => findTopicsByIds(context, ids, selectionAt(info, 'Topic')),
  Badge: findShownBadges,
  DebianDistribution: findSeenDistributions,
  Snippet: inProjects('Snippet', findSnippetsByIds),
  Issue: inProjects('Issue', findIssuesByIds),
  IssueImport: (context, ids) => findIssueImportsByIds(context, ids, (id) => context.loaders.project.load(id)),
  IssueLink: (context, ids) => findIssueLinksByIds(context, ids, (id) => context.loaders.project.load(id)),
  MergeRequest: inProjects('MergeRequest', findMergeRequestsByIds),
  MergeRequestVersion: inProjects('MergeRequestVersion', findVersionsByIds),
  Label: inProjects('Label', findLabelsByIds),
  Board: inProjects('Board', findBoardsByIds),
  BoardList: inProjects('BoardList', findBoardListsByIds),
  Milestone: inProjects('Milestone', findMilestonesByIds),
  Note: inProjects('Note', findNotesByIds),
  Discussion: inProjects('Note', findDiscussionsByIds),
  DraftNote: inProjects('DraftNote', findDraftNotesByIds),
  AwardEmoji: inProjects('AwardEmoji', findAwardsByIds),
  LabelEvent: inProjects('LabelEvent', labelEvents.findByIds),
  MilestoneEvent: inProjects('MilestoneEvent', milestoneEvents.findByIds),
  StateEvent: inProjects('StateEvent', stateEvents.findByIds),
  Timelog: inProjects('Timelog', findTimelogsByIds),
  Trigger: inProjects('Trigger', findTriggersByIds),
  RemoteMirror: inProjects('RemoteMirror', findMirrorsByIds),
  Webhook: (context, ids, info) =>
    findHooksByIds(context, ids, selectionAt(info, 'Hook'), (id) => context.loaders.project.load(id)),
  Deployment: inProjects('Deployment', findDeploymentsByIds),
  Environment: inProjects('Environment', findEnvironmentsByIds),
  Job: inProjects('Job', findJobsByIds),
  Runner: (context, ids, info) => findRunnersByIds(context, ids, selectionAt(info, 'Runner')),
  ResourceGroup: inProjects('ResourceGroup', findResourceGroupsByIds),
  PipelineSchedule: inProjects('PipelineSchedule', findSchedulesByIds),
  Pipeline: inProjects('Pipeline', findPipelinesByIds),
};

type FindInProjects<M extends ModelName> = (
  context: GraphQLContext,
  ids: readonly number[],
  selection: Selection<M, { id: number }>,
  projectOf: ProjectOf,
) => Promise<{ id: number }[]>;

/** The projects that determine who may read a record are loaded together for all types. */
function inProjects<M extends ModelName>(model: M, find: FindInProjects<M>): Finder {
  return (context, ids, info) =>
    find(context, ids, selectionAt(info, model) as Selection<M, { id: number }>, (id) =>
      context.loaders.project.load(id),
    );
}

/** The project or group with one of these IDs that the caller sees; those of all types are loaded together. */
function sourceOf({ loaders }: GraphQLContext): SourceOf {
  return async ({ projectId, groupId }) => {
    const project = projectId === null ? null : await loaders.project.load(projectId);
    if (project) return { kind: 'project', record: project };
    const group = groupId === null ? null : await loaders.group.load(groupId);
    return group && { kind: 'group', record: group };
  };
}

/** As sourceOf, as a project or a group. */
function placeOf(context: GraphQLContext) {
  return async (owner: Parameters<SourceOf>[0]): Promise<Owner | null> => {
    const source = await sourceOf(context)(owner);
    if (source?.kind === 'project') return { project: source.record, group: null };
    return source && { project: null, group: source.record };
  };
}

type FindInSources<M extends ModelName> = (
  context: GraphQLContext,
  ids: readonly number[],
  selection: Selection<M, { id: number }>,
  sourceOf: SourceOf,
) => Promise<{ id: number }[]>;

/** As inProjects, for records that a project or a group has. */
function inSources<M extends ModelName>(model: M, find: FindInSources<M>): Finder {
  return (context, ids, info) =>
    find(context, ids, selectionAt(info, model) as Selection<M, { id: number }>, sourceOf(context));
}

/** Distributions of Debian packages of projects and groups that the caller can see. */
function findSeenDistributions(context: GraphQLContext, ids: readonly number[]) {
  return findDistributionsByIds(context, ids, async ({ projectId, groupId }) => {
    const project = projectId === null ? null : await context.loaders.project.load(projectId);
    const group = groupId === null ? null : await context.loaders.group.load(groupId);
    return project ? { project } : group && { group };
  });
}

/** Badges as they are shown of what they belong to. */
async function findShownBadges(context: GraphQLContext, ids: readonly number[]) {
  const { loaders } = context;
  const badges = await findBadgesByIds(context, ids, async ({ projectId, groupId }) => {
    const project = projectId === null ? null : await loaders.project.load(projectId);
    const group = groupId === null ? null : await loaders.group.load(groupId);
    return project ? { project } : group && { group };
  });
  return badges.map((badge) => ({ ...badge, facts: new BadgeFacts(context, badge.of) }));
}

/** The types whose IDs have other names. */
const NAMES: Readonly<Record<string, string>> = { Upload: 'ProjectUpload' };

/** A record as `node` finds it. */
export interface Found {
  id: number;
  __typename: string;
}

/** Whether records of the type are found by their numbers. */
export function isFound(type: string): boolean {
  return Object.hasOwn(FINDERS, type);
}

/** The records of a type with these IDs that the caller can see, in no particular order, with one statement for all. */
export async function findRecords(
  context: GraphQLContext,
  type: string,
  ids: readonly number[],
  info: GraphQLResolveInfo,
): Promise<Found[]> {
  // What is thrown before there is a promise counts alike.
  const find = async () => (await FINDERS[type]?.(context, ids, info)) ?? [];
  const records = await find().catch(noneForVisitors(context));
  return records.map((record) => ({ ...record, __typename: NAMES[type] ?? type }));
}

/**
 * The record at the other end of a numeric ID, batched for the records of a list: null without one, if it is gone, and if the caller
 * cannot see it.
 */
export async function recordAt(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  type: string,
  id: number | null | undefined,
): Promise<Found | null> {
  if (id == null || !isFound(type)) return null;
  const key = `${type} ${info.fieldNodes.map(numberOf).join(' ')}`;
  return loaderAt(context, info, { key }, async (ids: readonly number[]) => {
    const found = new Map((await findRecords(context, type, ids, info)).map((record) => [record.id, record]));
    return ids.map((one) => found.get(one) ?? null);
  }).load(id);
}

const numbers = new WeakMap<FieldNode, number>();
let counted = 0;

/** Tells uses of a field apart that a fragment brings together with others. */
function numberOf(node: FieldNode): number {
  const known = numbers.get(node) ?? ++counted;
  numbers.set(node, known);
  return known;
}

/** What visitors without an account see of types that are for people with one. */
function noneForVisitors({ actor }: GraphQLContext) {
  return (error: unknown): { id: number }[] => {
    if (actor === null && error instanceof Unauthenticated) return [];
    throw error;
  };
}
