import { type Facts, form } from '#pages/engine/row.ts';
import { INTEGRATION_EVENTS, integrationGiven } from '#pages/integration_form.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { confirmPage, type Query, settingsPage } from '#pages/settings_frame.ts';
import {
  GroupIntegrationDeliveryPageDocument,
  type GroupIntegrationDeliveryPageQuery,
  GroupIntegrationPageDocument,
  type GroupIntegrationPageQuery,
  GroupIntegrationsPageDocument,
  type GroupIntegrationsPageQuery,
  ProjectIntegrationDeliveryPageDocument,
  type ProjectIntegrationDeliveryPageQuery,
  ProjectIntegrationPageDocument,
  type ProjectIntegrationPageQuery,
  ProjectIntegrationsPageDocument,
  type ProjectIntegrationsPageQuery,
  SendIntegrationChangeDocument,
  SendIntegrationDeletionDocument,
  SendIntegrationEventAgainDocument,
  SendIntegrationTestDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

interface Operations {
  list: Query<ProjectIntegrationsPageQuery | GroupIntegrationsPageQuery>;
  one: Query<ProjectIntegrationPageQuery | GroupIntegrationPageQuery>;
  delivery: Query<ProjectIntegrationDeliveryPageQuery | GroupIntegrationDeliveryPageQuery>;
}

const AT = 'settings/integrations';

const toOne = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'integrations', String(given.slug));
const toDelivery = (id: number | undefined, { given }: Facts) =>
  inPlace(given, 'settings', 'integrations', String(given.slug), ...(id === undefined ? [] : ['deliveries', id]));

function integrationsOf(kind: PlaceKind, operations: Operations) {
  const common = { kind, section: 'integrations' };
  const path = (end: string) => `${PLACES[kind]}/${AT}${end}`;
  const one = settingsPage({
    ...{ ...common, at: `${AT}/:slug`, operation: operations.one, view: 'integration' },
    may: (place) => place.viewerCanManageIntegrations && place.integration,
    title: ({ integration }) => integration?.title ?? '',
    show: ({ integration }) => ({ integration, events: INTEGRATION_EVENTS }),
  });
  const deletion = confirmPage({
    ...{ ...common, at: `${AT}/:slug/delete`, operation: operations.one },
    may: (place) => place.viewerCanManageIntegrations && place.integration,
    ask: ({ integration }, { t }) => ({
      heading: t('Remove {name}?', { name: t(integration?.title ?? '') }),
      says: [t('Its settings and its log of deliveries are deleted.'), t('This cannot be undone.')],
      button: t('Remove'),
      ...{ action: `${AT}/${integration?.slug}/delete`, back: `${AT}/${integration?.slug}`, isDangerous: true },
    }),
  });
  const delivery = settingsPage({
    ...{
      ...common,
      at: `${AT}/:slug/deliveries/:deliveryId`,
      operation: operations.delivery,
      view: 'integration_delivery',
    },
    may: (place) => place.viewerCanManageIntegrations && place.integration?.delivery,
    title: (_place, { t }) => t('Delivery'),
    show: ({ integration }) => ({ integration, delivery: integration?.delivery }),
  });
  return [
    settingsPage({
      ...{ ...common, at: AT, operation: operations.list, view: 'integrations' },
      may: (place) => place.viewerCanManageIntegrations,
      title: (_place, { t }) => t('Integrations'),
      show: ({ integrations }) => ({ integrations: integrations ?? [] }),
    }),
    one,
    form({
      path: path('/:slug'),
      operation: SendIntegrationChangeDocument,
      says: label('The integration was saved.'),
      variables: integrationGiven,
      goTo: toOne,
      again: one,
    }),
    form({
      path: path('/:slug/inherit'),
      operation: SendIntegrationChangeDocument,
      says: label('The integration was saved.'),
      variables: ({ project, group, slug }) => ({
        ...(group === undefined ? { project } : { group }),
        ...{ slug, useInheritedSettings: 'true' },
      }),
      goTo: toOne,
      again: one,
    }),
    deletion,
    form({
      path: path('/:slug/delete'),
      operation: SendIntegrationDeletionDocument,
      says: label('The integration was removed.'),
      goTo: (_data, { given }) => inPlace(given, 'settings', 'integrations'),
      asks: deletion,
    }),
    form({
      path: path('/:slug/test'),
      operation: SendIntegrationTestDocument,
      says: label('A test was sent.'),
      goTo: ({ testIntegration }, facts) => toDelivery(testIntegration?.delivery.databaseId, facts),
      again: one,
    }),
    delivery,
    form({
      path: path('/:slug/deliveries/:deliveryId/retry'),
      operation: SendIntegrationEventAgainDocument,
      says: label('It was sent again.'),
      goTo: ({ redeliverIntegrationEvent: sent }, facts) => toDelivery(sent?.delivery.databaseId, facts),
      again: delivery,
    }),
  ];
}

/** Integrations of projects and groups, with what they were told. */
export const settingsIntegrations = [
  ...integrationsOf('project', {
    list: ProjectIntegrationsPageDocument,
    one: ProjectIntegrationPageDocument,
    delivery: ProjectIntegrationDeliveryPageDocument,
  }),
  ...integrationsOf('group', {
    list: GroupIntegrationsPageDocument,
    one: GroupIntegrationPageDocument,
    delivery: GroupIntegrationDeliveryPageDocument,
  }),
];
