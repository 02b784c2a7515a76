import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { triggerFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { triggerOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import '#schema/users/types.ts';
import { findTrigger, listTriggers, triggerToken } from '#src/domain/ci/triggers/list.ts';

export const Trigger = builder.prismaObject('Trigger', {
  description: 'A token that starts pipelines on behalf of its owner.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the trigger, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Trigger', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the trigger, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    token: t.string({
      description:
        'The token that starts pipelines, a secret, for the owner of the trigger; its first four characters, without the prefix, for everyone else.',
      select: { ownerId: true, tokenEncrypted: true },
      resolve: (trigger, _args, context) => triggerToken(context, trigger),
    }),
    description: t.exposeString('description', { description: 'What the trigger is for, as plain text.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the trigger was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the trigger was last changed.' }),
    deletedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Always null: deleted triggers are not returned.',
      resolve: () => null,
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the trigger last started a pipeline; null if never.',
    }),
    owner: t.relation('owner', {
      nullable: true,
      description:
        'The user on whose behalf the trigger starts pipelines; null if the user was deleted, and then it starts none.',
    }),
  }),
});

const TriggerConnection = connectionOf('Trigger', Trigger);

builder.objectFields(Project, (t) => ({
  triggers: t.field({
    type: TriggerConnection,
    description: 'The triggers of the project, oldest first. For masters.',
    args: { ...pageArgs, ...triggerFilter, ...triggerOrder('ID', 'asc') },
    resolve: (project, args, context, info) => pageBelow('Trigger', project, args, context, info, listTriggers),
  }),
  trigger: t.field({
    type: Trigger,
    description: 'A trigger of the project by its ID. For masters.',
    args: {
      id: t.arg({ ...idOf('Trigger'), required: true, description: 'Global or numeric ID of the trigger.' }),
    },
    resolve: (project, { id }, context, info) => findTrigger(context, project, id, selectionAt(info, 'Trigger')),
  }),
}));
