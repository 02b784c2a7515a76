import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { webhookDeliveryFilter, webhookFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { WebhookDelivery, WebhookDeliveryConnection } from '#schema/hooks/delivery.ts';
import { BranchFilterStrategy } from '#schema/hooks/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { webhookDeliveryOrder, webhookOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { BranchFilterStrategy as Strategy } from '#src/domain/webhooks/branch_filter.ts';
import { listDeliveries, readDelivery } from '#src/domain/webhooks/deliveries.ts';
import { findHook, listGroupHooks, listProjectHooks, listSystemHooks } from '#src/domain/webhooks/list.ts';

const WebhookHeader = builder.objectRef<{ key: string }>('WebhookHeader').implement({
  description: 'A header that requests of a webhook carry in addition. Its value is never returned.',
  fields: (t) => ({ key: t.exposeString('key', { description: 'Name of the header.' }) }),
});

const WebhookUrlVariable = builder.objectRef<{ key: string }>('WebhookUrlVariable').implement({
  description: 'A part of the URL of a webhook that is kept secret. Its value is never returned.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name of the part, which stands in the URL as `{key}`.' }),
  }),
});

const WebhookAlertStatus = builder.enumType('WebhookAlertStatus', {
  description: 'Whether a webhook is told of events.',
  values: {
    EXECUTABLE: { value: 'executable', description: 'Events are sent to the webhook.' },
    TEMPORARILY_DISABLED: {
      value: 'temporarily_disabled',
      description: 'Its last request failed, and it is tried again later.',
    },
    DISABLED: { value: 'disabled', description: 'It was switched off, as all attempts had failed for three days.' },
  } as const,
});

export const Webhook = builder.prismaObject('Hook', {
  variant: 'Webhook',
  description:
    'A URL that is told of events by HTTP: those of a project, of all projects in a group and its subgroups, or of the server. For masters of the project, owners of the group, or administrators.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the webhook, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Webhook', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the webhook, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', {
      nullable: true,
      description: 'Numeric ID of the project; null for webhooks of groups and of the server.',
    }),
    groupId: t.exposeInt('namespaceId', {
      nullable: true,
      description: 'Numeric ID of the group; null for webhooks of projects and of the server.',
    }),
    url: t.exposeString('url', { description: 'The URL that events are sent to.' }),
    hasToken: t.exposeBoolean('hasToken', {
      description: 'Whether requests carry a secret token and a signature. The token itself is never returned.',
    }),
    pushEvents: t.exposeBoolean('pushEvents', { description: 'Whether pushes to branches are sent.' }),
    tagPushEvents: t.exposeBoolean('tagPushEvents', { description: 'Whether new and deleted tags are sent.' }),
    issuesEvents: t.exposeBoolean('issuesEvents', {
      description: 'Whether changes of issues are sent, except for confidential ones.',
    }),
    confidentialIssuesEvents: t.exposeBoolean('confidentialIssuesEvents', {
      description: 'Whether changes of confidential issues are sent, and with `noteEvents` comments on them.',
    }),
    mergeRequestsEvents: t.exposeBoolean('mergeRequestsEvents', {
      description: 'Whether changes of merge requests are sent.',
    }),
    noteEvents: t.exposeBoolean('noteEvents', {
      description: 'Whether new comments on issues, merge requests, commits and snippets are sent.',
    }),
    confidentialNoteEvents: t.exposeBoolean('sendsConfidentialNotes', {
      description: 'Whether comments on what not everybody sees are sent.',
    }),
    jobEvents: t.exposeBoolean('jobEvents', { description: 'Whether changes of the status of jobs are sent.' }),
    pipelineEvents: t.exposeBoolean('pipelineEvents', {
      description: 'Whether changes of the status of pipelines are sent.',
    }),
    wikiPageEvents: t.exposeBoolean('wikiPageEvents', {
      description: 'Whether changes of wiki pages are wanted.',
    }),
    releasesEvents: t.exposeBoolean('releasesEvents', {
      description: 'Whether new, changed and deleted releases are sent.',
    }),
    deploymentEvents: t.exposeBoolean('deploymentEvents', {
      description: 'Whether deployments that begin or end are sent.',
    }),
    featureFlagEvents: t.exposeBoolean('featureFlagEvents', {
      description: 'Whether feature flags that are turned on or off are sent.',
    }),
    enableSslVerification: t.exposeBoolean('enableSslVerification', {
      description: 'Whether the certificate of the receiver must be valid.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name for people; null without one.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the webhook is for; null if that is not said.',
    }),
    pushEventsBranchFilter: t.exposeString('pushEventsBranchFilter', {
      nullable: true,
      description: 'The branches of whose pushes it is told, as `branchFilterStrategy` reads it; null for all.',
    }),
    branchFilterStrategy: t.field({
      type: BranchFilterStrategy,
      description: 'How the filter of branches is read.',
      select: { branchFilterStrategy: true },
      resolve: ({ branchFilterStrategy }) => branchFilterStrategy as Strategy,
    }),
    customHeaders: t.field({
      type: [WebhookHeader],
      description: 'The headers that requests carry in addition, at most 20; of their values only the names are told.',
      select: { customHeaderNames: true },
      resolve: ({ customHeaderNames }) => customHeaderNames.map((key) => ({ key })),
    }),
    urlVariables: t.field({
      type: [WebhookUrlVariable],
      description: 'The parts of the URL that are kept secret, at most 20; only their names are told.',
      select: { urlVariableNames: true },
      resolve: ({ urlVariableNames }) => urlVariableNames.map((key) => ({ key })),
    }),
    customWebhookTemplate: t.exposeString('customWebhookTemplate', {
      nullable: true,
      description:
        'JSON that is sent in place of payloads, in which `{{project.name}}` stands for that value of the payload; null if the payload itself is.',
    }),
    alertStatus: t.field({
      type: WebhookAlertStatus,
      description: 'Whether it is told of events.',
      select: { disabledAt: true, retryAt: true },
      resolve: ({ disabledAt, retryAt }) => {
        if (disabledAt !== null) return 'disabled';
        return retryAt !== null && new Date(retryAt) > new Date() ? 'temporarily_disabled' : 'executable';
      },
    }),
    disabledUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried again; null if it works, or was switched off for good.',
      select: { disabledAt: true, retryAt: true },
      resolve: ({ disabledAt, retryAt }) =>
        disabledAt === null && retryAt !== null && new Date(retryAt) > new Date() ? retryAt : null,
    }),
    failures: t.exposeInt('failures', {
      description: 'Number of attempts that failed since the last one that succeeded.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'When the first of these attempts failed; null if the last one succeeded.',
    }),
    retryAt: t.expose('retryAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next attempt is made after a failed one; null if none is pending.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the webhook was switched off, as all attempts had failed for three days; null if it works. See `enableWebhook`.',
    }),
    droppedCount: t.exposeInt('dropped', {
      description: 'Number of events that were never sent, as more than 10,000 were waiting.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the webhook was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the webhook was last changed.' }),
    deliveries: t.field({
      type: WebhookDeliveryConnection,
      description: 'The last deliveries of the webhook, newest first: those that wait, and at most 100 others.',
      args: { ...pageArgs, ...webhookDeliveryFilter, ...webhookDeliveryOrder('ID', 'desc') },
      select: { id: true },
      resolve: (hook, args, context, info) => pageBelow('HookDelivery', hook, args, context, info, listDeliveries),
    }),
    delivery: t.field({
      type: WebhookDelivery,
      description: 'A delivery of the webhook by its ID.',
      args: {
        id: t.arg({ ...idOf('WebhookDelivery'), required: true, description: 'Global or numeric ID of the delivery.' }),
      },
      select: { id: true },
      resolve: ({ id: hookId }, { id }, context, info) =>
        readDelivery(context, { hookId, id }, selectionAt(info, 'HookDelivery')),
    }),
  }),
});

export const WebhookConnection = connectionOf('Webhook', Webhook);

builder.objectFields(Project, (t) => ({
  webhooks: t.field({
    type: WebhookConnection,
    description: 'The webhooks of the project, newest first. For masters.',
    args: { ...pageArgs, ...webhookFilter, ...webhookOrder('ID', 'desc') },
    resolve: (project, args, context, info) => pageBelow('Hook', project, args, context, info, listProjectHooks),
  }),
  webhook: t.field({
    type: Webhook,
    description: 'A webhook of the project by its ID. For masters.',
    args: { id: t.arg({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }) },
    resolve: ({ id: project }, { id }, context, info) => findHook(context, { id, project }, selectionAt(info, 'Hook')),
  }),
}));

builder.objectFields(Group, (t) => ({
  webhooks: t.field({
    type: WebhookConnection,
    description:
      'The webhooks of the group, which are told of events in all projects below it, newest first. For owners.',
    args: { ...pageArgs, ...webhookFilter, ...webhookOrder('ID', 'desc') },
    resolve: (group, args, context, info) => pageBelow('Hook', group, args, context, info, listGroupHooks),
  }),
  webhook: t.field({
    type: Webhook,
    description: 'A webhook of the group by its ID. For owners.',
    args: { id: t.arg({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }) },
    resolve: ({ id: group }, { id }, context, info) => findHook(context, { id, group }, selectionAt(info, 'Hook')),
  }),
}));

builder.queryFields((t) => ({
  webhook: t.field({
    type: Webhook,
    description:
      'A webhook by its ID. For masters of its project, owners of its group, and administrators for those of the server.',
    args: { id: t.arg({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }) },
    resolve: (_root, { id }, context, info) => findHook(context, { id }, selectionAt(info, 'Hook')),
  }),
  systemWebhook: t.field({
    type: Webhook,
    description: 'A webhook of the server by its ID. For administrators.',
    args: { id: t.arg({ ...idOf('Webhook'), required: true, description: 'Global or numeric ID of the webhook.' }) },
    resolve: (_root, { id }, context, info) => findHook(context, { id, isSystem: true }, selectionAt(info, 'Hook')),
  }),
  systemWebhooks: t.field({
    type: WebhookConnection,
    description: 'The webhooks of the server, newest first. For administrators.',
    args: { ...pageArgs, ...webhookFilter, ...webhookOrder('ID', 'desc') },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listSystemHooks(context, page, selectionAt(info, 'Hook'))),
  }),
}));
