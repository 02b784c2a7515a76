import type { GraphQLResolveInfo } from 'graphql';
import { Board } from '#schema/boards/types.ts';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { FeatureFlag } from '#schema/feature_flags/types.ts';
import { Awardable } from '#schema/interfaces.ts';
import { Label } from '#schema/labels/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { findOne } from '#schema/node/queries.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Release } from '#schema/releases/types.ts';
import { placeArg, sourceOf } from '#schema/subscriptions/scope.ts';
import { type LiveEvent, readSeen, Source } from '#schema/subscriptions/source.ts';
import { Todo } from '#schema/todos/types.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { DELETABLE, type DeletableKind, type DeletedRow, findDeleted } from '#src/domain/live/deleted.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { findReleaseById } from '#src/domain/repository/releases/list.ts';
import { NotFound } from '#src/platform/errors.ts';

const DeletableType = builder.enumType('DeletableType', {
  description: 'A type of records whose deletion is reported.',
  values: {
    ISSUE: { value: 'issue', description: 'Issues.' },
    MERGE_REQUEST: { value: 'merge_request', description: 'Merge requests.' },
    PIPELINE: { value: 'pipeline', description: 'Pipelines.' },
    LABEL: { value: 'label', description: 'Labels of projects and groups.' },
    BOARD: { value: 'board', description: 'Issue boards of projects and groups.' },
    RELEASE: { value: 'release', description: 'Releases.' },
    FEATURE_FLAG: { value: 'feature_flag', description: 'Feature flags.' },
    PROJECT: { value: 'project', description: 'Whole projects; what was in them is not reported by itself.' },
    TODO: { value: 'todo', description: 'To-dos of the caller.' },
  } as const satisfies Record<string, { value: DeletableKind; description: string }>,
});

const DeletedRecord = builder.objectRef<DeletedRow>('DeletedRecord').implement({
  description: 'A record that was deleted: what a client needs to remove it from its lists.',
  fields: (t) => ({
    recordId: t.id({
      description: 'The global ID that the record had.',
      resolve: ({ kind, id }) => toGlobalId(DELETABLE[kind].type, id),
    }),
    recordType: t.expose('kind', { type: DeletableType, description: 'What it was.' }),
    typeName: t.string({
      description: 'The name of its type, as `__typename` gave it: `MergeRequest`.',
      resolve: ({ kind }) => DELETABLE[kind].type,
    }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project that it was in; null for records of groups, to-dos, and deleted projects.',
      resolve: ({ project }, _args, context, info) => project && requireProject(context, info, project.id),
    }),
  }),
});

/** Reads the record of a type that changed, as it is now. */
function changedRow<Row>(type: 'Label' | 'Board' | 'FeatureFlag' | 'Todo') {
  return (event: LiveEvent, _args: object, context: GraphQLContext, info: GraphQLResolveInfo): Promise<Row> =>
    readSeen(event, async () => (await findOne(context, type, event.change.id, info)) as Row);
}

builder.subscriptionFields((t) => ({
  awardsChanged: t.field({
    type: Awardable,
    description:
      'An issue, merge request, snippet or note that was given an emoji, or from which one was taken back, as it is now.',
    args: { in: placeArg(t, 'records') },
    subscribe: (_root, args, context) => sourceOf(context, 'award', args),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, async () => {
        const { of = '', id } = event.change;
        return findOne(context, of, id, info);
      }),
  }),
  labelChanged: t.field({
    type: Label,
    description:
      'A label that was added or changed, as it is now. Those of a group are reported in the projects that use them, too.',
    args: { in: placeArg(t, 'labels') },
    subscribe: (_root, args, context) => sourceOf(context, 'label', args, 'read_label'),
    resolve: changedRow<typeof Label.$inferType>('Label'),
  }),
  boardChanged: t.field({
    type: Board,
    description:
      'A board that was added or changed, or whose lists changed, as it is now. `issueChanged` reports what moves on it.',
    args: { in: placeArg(t, 'boards') },
    subscribe: (_root, args, context) => sourceOf(context, 'board', args, 'read_board'),
    resolve: changedRow<typeof Board.$inferType>('Board'),
  }),
  releaseChanged: t.field({
    type: Release,
    description: 'A release that was made or changed, or whose links or milestones changed, as it is now.',
    args: { in: placeArg(t, 'releases') },
    subscribe: (_root, args, context) => sourceOf(context, 'release', args, 'read_release'),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, async () => {
        const { id, projectId } = event.change;
        return findReleaseById(context, await findProject(context, projectId), id, selectionAt(info, 'Release'));
      }),
  }),
  featureFlagChanged: t.field({
    type: FeatureFlag,
    description:
      'A feature flag that was made or changed, or whose strategies or user lists changed, as it is now. For developers.',
    args: { in: placeArg(t, 'feature flags') },
    subscribe: (_root, args, context) => sourceOf(context, 'feature_flag', args, 'read_feature_flag'),
    resolve: changedRow<typeof FeatureFlag.$inferType>('FeatureFlag'),
  }),
  projectChanged: t.field({
    type: Project,
    description: 'A project that was created or changed, or in which something happened, as it is now.',
    args: { in: placeArg(t, 'projects') },
    subscribe: (_root, args, context) => sourceOf(context, 'project', args, 'read_project'),
    resolve: (event: LiveEvent, _args, context, info) =>
      readSeen(event, () => findProject(context, event.change.id, selectionAt(info, 'Project'))),
  }),
  todoChanged: t.field({
    type: Todo,
    description: 'A to-do of the caller that was added, marked as done or restored, as it is now.',
    subscribe: (_root, _args, context) =>
      new Source({ kind: 'todo', scope: 'viewer', id: requireActor(context).id }, null),
    resolve: changedRow<typeof Todo.$inferType>('Todo'),
  }),
  recordDeleted: t.field({
    type: DeletedRecord,
    description:
      'A record that was deleted, for those who could see it. To-dos are reported with `viewer`; a private project to its owner, and to members of the groups around it.',
    args: {
      in: placeArg(t, 'deletions'),
      types: t.arg({ type: [DeletableType], description: 'Only records of these types; all by default.' }),
    },
    subscribe: (_root, args, context) => sourceOf(context, 'deleted', args),
    resolve: (event: LiveEvent, { types }, context) => readSeen(event, () => readDeleted(context, event, types)),
  }),
}));

async function readDeleted(
  context: GraphQLContext,
  { change }: LiveEvent,
  types: readonly DeletableKind[] | null | undefined,
): Promise<DeletedRow> {
  if (types && !types.some((type) => type === change.of)) throw new NotFound('Record');
  return findDeleted(context, change);
}
