import { type Facts, form } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { confirmPage, type Query, settingsPage } from '#pages/settings_frame.ts';
import {
  GroupDeliveryPageDocument,
  type GroupDeliveryPageQuery,
  GroupWebhookPageDocument,
  type GroupWebhookPageQuery,
  GroupWebhooksPageDocument,
  type GroupWebhooksPageQuery,
  NewGroupWebhookPageDocument,
  type NewGroupWebhookPageQuery,
  NewProjectWebhookPageDocument,
  type NewProjectWebhookPageQuery,
  ProjectDeliveryPageDocument,
  type ProjectDeliveryPageQuery,
  ProjectWebhookPageDocument,
  type ProjectWebhookPageQuery,
  ProjectWebhooksPageDocument,
  type ProjectWebhooksPageQuery,
  SendNewGroupWebhookDocument,
  SendNewProjectWebhookDocument,
  SendRedeliveryDocument,
  SendWebhookChangeDocument,
  SendWebhookDeletionDocument,
  SendWebhookEnablingDocument,
  SendWebhookTestDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The events that a webhook can be told of; tests are named by the word before. */
export const EVENTS = [
  ['pushEvents', 'push_events', label('Pushes to branches')],
  ['tagPushEvents', 'tag_push_events', label('New and deleted tags')],
  ['issuesEvents', 'issues_events', label('Issues')],
  ['confidentialIssuesEvents', 'confidential_issues_events', label('Confidential issues')],
  ['noteEvents', 'note_events', label('Comments')],
  ['mergeRequestsEvents', 'merge_requests_events', label('Merge requests')],
  ['jobEvents', 'job_events', label('Jobs')],
  ['pipelineEvents', 'pipeline_events', label('Pipelines')],
  ['wikiPageEvents', 'wiki_page_events', label('Wiki pages')],
  ['releasesEvents', 'releases_events', label('Releases')],
  ['deploymentEvents', 'deployment_events', label('Deployments')],
  ['featureFlagEvents', 'feature_flag_events', label('Feature flags')],
] as const;

interface Operations {
  list: Query<ProjectWebhooksPageQuery | GroupWebhooksPageQuery>;
  create: Query<NewProjectWebhookPageQuery | NewGroupWebhookPageQuery>;
  one: Query<ProjectWebhookPageQuery | GroupWebhookPageQuery>;
  delivery: Query<ProjectDeliveryPageQuery | GroupDeliveryPageQuery>;
}

const toList = (_data: unknown, { given }: Facts) => inPlace(given, 'hooks');
const toHook = (_data: unknown, { given }: Facts) => inPlace(given, 'hooks', String(given.id));
const toDelivery = (id: number | undefined, { given }: Facts) =>
  id === undefined
    ? inPlace(given, 'hooks', String(given.id))
    : inPlace(given, 'hooks', String(given.id), 'hook_logs', id);

/** An empty secret leaves the one that there is; a box removes it. */
function changedToken({ token, ...given }: Facts['given']): Facts['given'] {
  const isRemoved = [given.removesToken].flat().at(-1) === 'true';
  if (isRemoved) return { ...given, token: '' };
  return token === '' ? given : { ...given, token };
}

function hooksOf(kind: PlaceKind, operations: Operations) {
  const common = { kind, section: 'hooks' };
  const path = (end: string) => `${PLACES[kind]}/hooks${end}`;
  const create = settingsPage({
    ...{ ...common, at: 'hooks/new', operation: operations.create, view: 'hook_new' },
    may: (place) => place.viewerCanManageWebhooks,
    title: (_place, { t }) => t('New webhook'),
    show: () => ({ events: EVENTS, before: { pushEvents: true, enableSslVerification: true } }),
  });
  const show = settingsPage({
    ...{ ...common, at: 'hooks/:id', operation: operations.one, view: 'hook' },
    may: (place) => place.viewerCanManageWebhooks && place.webhook,
    title: (_place, { t }) => t('Webhook'),
    show: ({ webhook }) => ({ hook: webhook, events: EVENTS }),
  });
  const edit = settingsPage({
    ...{ ...common, at: 'hooks/:id/edit', operation: operations.one, view: 'hook_edit' },
    may: (place) => place.viewerCanManageWebhooks && place.webhook,
    title: (_place, { t }) => t('Edit webhook'),
    show: ({ webhook }) => ({ hook: webhook, events: EVENTS, before: webhook }),
  });
  const deletion = confirmPage({
    ...{ ...common, at: 'hooks/:id/delete', operation: operations.one },
    may: (place) => place.viewerCanManageWebhooks && place.webhook,
    ask: ({ webhook }, { t }) => ({
      heading: t('Delete webhook?'),
      says: [
        t('{url} is told of nothing any more. The log of its deliveries is deleted, too.', { url: webhook?.url }),
        t('This cannot be undone.'),
      ],
      button: t('Delete webhook'),
      ...{ action: `hooks/${webhook?.databaseId}/delete`, back: `hooks/${webhook?.databaseId}`, isDangerous: true },
    }),
  });
  const delivery = settingsPage({
    ...{ ...common, at: 'hooks/:id/hook_logs/:deliveryId', operation: operations.delivery, view: 'delivery' },
    may: (place) => place.viewerCanManageWebhooks && place.webhook?.delivery,
    title: (_place, { t }) => t('Delivery'),
    show: ({ webhook }) => ({ hook: webhook, delivery: webhook?.delivery }),
  });
  const rows = [
    settingsPage({
      ...{ ...common, at: 'hooks', operation: operations.list, view: 'hooks' },
      may: (place) => place.viewerCanManageWebhooks,
      title: (_place, { t }) => t('Webhooks'),
      show: ({ webhooks }) => ({ hooks: webhooks, events: EVENTS }),
    }),
    create,
    show,
    edit,
    form({
      path: path('/:id/edit'),
      operation: SendWebhookChangeDocument,
      required: ['url'],
      says: label('The webhook was saved.'),
      variables: changedToken,
      goTo: toHook,
      again: edit,
    }),
    deletion,
    form({
      path: path('/:id/delete'),
      operation: SendWebhookDeletionDocument,
      says: label('The webhook was deleted.'),
      goTo: toList,
      asks: deletion,
    }),
    form({
      path: path('/:id/enable'),
      operation: SendWebhookEnablingDocument,
      says: label('The webhook is enabled.'),
      goTo: toHook,
      again: show,
    }),
    form({
      path: path('/:id/test'),
      operation: SendWebhookTestDocument,
      says: label('A test was sent.'),
      goTo: ({ testWebhook }, facts) => toDelivery(testWebhook?.delivery.databaseId, facts),
      again: show,
    }),
    delivery,
    form({
      path: path('/:id/hook_logs/:deliveryId/retry'),
      operation: SendRedeliveryDocument,
      names: { webhookId: 'id' },
      says: label('It was sent again.'),
      goTo: ({ redeliverWebhook }, facts) => toDelivery(redeliverWebhook?.delivery.databaseId, facts),
      again: delivery,
    }),
  ];
  return { rows, create };
}

const ofProject = hooksOf('project', {
  list: ProjectWebhooksPageDocument,
  create: NewProjectWebhookPageDocument,
  one: ProjectWebhookPageDocument,
  delivery: ProjectDeliveryPageDocument,
});
const ofGroup = hooksOf('group', {
  list: GroupWebhooksPageDocument,
  create: NewGroupWebhookPageDocument,
  one: GroupWebhookPageDocument,
  delivery: GroupDeliveryPageDocument,
});

/** Webhooks of projects and groups, with what was sent to them and what they answered. */
export const settingsHooks = [
  ...ofProject.rows,
  form({
    path: `${PLACES.project}/hooks/new`,
    operation: SendNewProjectWebhookDocument,
    says: label('The webhook was added.'),
    goTo: toList,
    again: ofProject.create,
  }),
  ...ofGroup.rows,
  form({
    path: `${PLACES.group}/hooks/new`,
    operation: SendNewGroupWebhookDocument,
    says: label('The webhook was added.'),
    goTo: toList,
    again: ofGroup.create,
  }),
];
