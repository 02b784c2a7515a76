import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { MAX_LIMIT } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { fromGlobalId, Node } from '#schema/node/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findTokensByIds } from '#src/access/credentials/tokens/list.ts';
import { findAuditEventsByIds } from '#src/domain/activity/audit_events.ts';
import { findApplicationsByIds } from '#src/domain/applications/find.ts';
import { findDeploymentsByIds } from '#src/domain/ci/deployments/list.ts';
import { findEnvironmentsByIds } from '#src/domain/ci/environments/list.ts';
import { findJobsByIds } from '#src/domain/ci/jobs/list.ts';
import { findPipelinesByIds } from '#src/domain/ci/pipelines/find.ts';
import { findResourceGroupsByIds } from '#src/domain/ci/resource_groups/list.ts';
import { findRunnersByIds } from '#src/domain/ci/runners/list.ts';
import { findSchedulesByIds } from '#src/domain/ci/schedules/list.ts';
import { findTriggersByIds } from '#src/domain/ci/triggers/list.ts';
import { findGroupsByIds } from '#src/domain/groups/find.ts';
import { findMirrorsByIds } from '#src/domain/imports/mirrors/list.ts';
import { findDeployTokensByIds } from '#src/domain/members/deploy_tokens/list.ts';
import { findProjectsByIds } from '#src/domain/projects/find.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findTopicsByIds } from '#src/domain/projects/topics.ts';
import { BadgeFacts, findBadgesByIds } from '#src/domain/repository/badges/badges.ts';
import { findDeployKeysByIds } from '#src/domain/repository/deploy_keys/list.ts';
import { findSnippetsByIds } from '#src/domain/snippets/find.ts';
import { findAwardsByIds } from '#src/domain/tracking/awards/list.ts';
import { findBoardListsByIds, findBoardsByIds } from '#src/domain/tracking/boards/list.ts';
import { findDraftNotesByIds } from '#src/domain/tracking/drafts/list.ts';
import { findIssueLinksByIds } from '#src/domain/tracking/issue_links/list.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import { findLabelsByIds } from '#src/domain/tracking/labels/list.ts';
import { findMergeRequestsByIds } from '#src/domain/tracking/merge_requests/find.ts';
import { findVersionsByIds } from '#src/domain/tracking/merge_requests/versions.ts';
import { findMilestonesByIds } from '#src/domain/tracking/milestones/list.ts';
import { findDiscussionsByIds } from '#src/domain/tracking/notes/discussions.ts';
import { findNotesByIds } from '#src/domain/tracking/notes/list.ts';
import { labelEvents, milestoneEvents, stateEvents } from '#src/domain/tracking/resource_events/list.ts';
import { findTimelogsByIds } from '#src/domain/tracking/time_tracking/list.ts';
import { findTodosByIds } from '#src/domain/tracking/todos/list.ts';
import { findEmailsByIds } from '#src/domain/users/emails/list.ts';
import { findUsersByIds } from '#src/domain/users/find.ts';
import { findGpgKeysByIds } from '#src/domain/users/gpg_keys/list.ts';
import { findKeysByIds } from '#src/domain/users/keys/list.ts';
import { findHooksByIds } from '#src/domain/webhooks/list.ts';
import { BadRequest, NotFound, Unauthenticated } from '#src/platform/errors.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import type { Selection } from '#src/platform/records/selection.ts';

type Finder = (
  context: GraphQLContext,
  ids: readonly number[],
  info: GraphQLResolveInfo,
) => Promise<readonly { id: number }[]>;

/** Finds records of each type by ID: those that the caller can see, with one statement for all. */
const FINDERS: Record<string, Finder> = {
  User: (context, ids, info) => findUsersByIds(context, ids, selectionAt(info, 'User')),
  Todo: (context, ids, info) => findTodosByIds(context, ids, selectionAt(info, 'Todo')),
  SshKey: findKeysByIds,
  GpgKey: (context, ids, info) => findGpgKeysByIds(context, ids, selectionAt(info, 'GpgKey')),
  DeployKey: (context, ids, info) => findDeployKeysByIds(context, ids, selectionAt(info, 'DeployKey')),
  Email: findEmailsByIds,
  AuditEvent: (context, ids, info) => findAuditEventsByIds(context, ids, selectionAt(info, 'AuditEvent')),
  DeployToken: (context, ids, info) => findDeployTokensByIds(context, ids, selectionAt(info, 'DeployToken')),
  PersonalAccessToken: (context, ids, info) => findTokensByIds(context, ids, selectionAt(info, 'PersonalAccessToken')),
  OAuthApplication: (context, ids, info) => findApplicationsByIds(context, ids, selectionAt(info, 'OAuthApplication')),
  Group: (context, ids, info) => findGroupsByIds(context, ids, selectionAt(info, 'Namespace')),
  Project: (context, ids, info) => findProjectsByIds(context, ids, selectionAt(info, 'Project')),
  Topic: (context, ids, info) => findTopicsByIds(context, ids, selectionAt(info, 'Topic')),
  Badge: findShownBadges,
  Snippet: inProjects('Snippet', findSnippetsByIds),
  Issue: inProjects('Issue', findIssuesByIds),
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

type NodeOrNull = { id: number; __typename: string } | null;

/** What visitors without an account see of types that are for people with one. */
function noneForVisitors({ actor }: GraphQLContext) {
  return (error: unknown): { id: number }[] => {
    if (actor === null && error instanceof Unauthenticated) return [];
    throw error;
  };
}

/** The records with these global IDs, in their order; null for unknown IDs and those that the caller may not see. */
async function findNodes(
  context: GraphQLContext,
  globalIds: readonly string[],
  info: GraphQLResolveInfo,
): Promise<NodeOrNull[]> {
  const wanted = globalIds.map((globalId) => fromGlobalId(globalId));
  const found = new Map<string, NodeOrNull>();
  await Promise.all(
    [...new Set(wanted.flatMap((one) => (one && Object.hasOwn(FINDERS, one.type) ? one.type : [])))].map(
      async (type) => {
        const ids = [...new Set(wanted.flatMap((one) => (one?.type === type ? one.id : [])))];
        const records = (await FINDERS[type]?.(context, ids, info).catch(noneForVisitors(context))) ?? [];
        for (const record of records) found.set(`${type}:${record.id}`, { ...record, __typename: type });
      },
    ),
  );
  return wanted.map((one) => (one && found.get(`${one.type}:${one.id}`)) ?? null);
}

/** The record of a type with that ID, with what is selected of it. Throws NotFound if there is none, or the caller may not see it. */
export async function findOne(
  context: GraphQLContext,
  type: string,
  id: number,
  info: GraphQLResolveInfo,
): Promise<object> {
  const [found] = (await FINDERS[type]?.(context, [id], info)) ?? [];
  if (!found) throw new NotFound(type);
  return { ...found, __typename: type };
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The record with a global ID; null if there is none or the caller cannot see it.',
    args: { id: t.arg.id({ required: true, description: 'Global ID, from the field `id` of a record.' }) },
    resolve: async (_root, { id }, context, info) => (await findNodes(context, [id], info))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: `The records with these global IDs, at most ${MAX_LIMIT}, in the given order; null in place of each that does not exist or that the caller cannot see.`,
    args: {
      ids: t.arg.idList({ required: true, description: 'Global IDs, of any types and in any order.' }),
    },
    resolve: (_root, { ids }, context, info) => {
      if (ids.length > MAX_LIMIT) throw new BadRequest(`ids has too many entries (maximum is ${MAX_LIMIT})`);
      return findNodes(context, ids, info);
    },
  }),
}));
