import { adminForm, adminPage } from '#pages/admin.ts';
import type { Facts } from '#pages/engine/row.ts';
import { INTEGRATION_EVENTS, integrationGiven } from '#pages/integration_form.ts';
import {
  AdminIntegrationDeliveryPageDocument,
  AdminIntegrationPageDocument,
  AdminIntegrationsPageDocument,
  SendIntegrationChangeDocument,
  SendIntegrationDeletionDocument,
  SendIntegrationEventAgainDocument,
  SendIntegrationTestDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const AT = '/admin/integrations';

const ofServer = (given: Facts['given']): Facts['given'] => ({ ...given, ofServer: 'true' });
const toOne = (_data: unknown, { given }: Facts) => `${AT}/${given.slug}`;
const toDelivery = (id: number | undefined, { given }: Facts) =>
  id === undefined ? `${AT}/${given.slug}` : `${AT}/${given.slug}/deliveries/${id}`;

const one = adminPage(AT, {
  path: `${AT}/:slug`,
  operation: AdminIntegrationPageDocument,
  view: 'admin/integration',
  found: ({ serverIntegration }) => serverIntegration,
  title: ({ title }, { t }) => t(title),
  show: (integration) => ({ integration, events: INTEGRATION_EVENTS, base: '/admin' }),
});

const delivery = adminPage(AT, {
  path: `${AT}/:slug/deliveries/:deliveryId`,
  operation: AdminIntegrationDeliveryPageDocument,
  view: 'admin/integration_delivery',
  found: ({ serverIntegration }) => (serverIntegration?.delivery ? serverIntegration : null),
  title: (_found, { t }) => t('Delivery'),
  show: (integration) => ({ integration, delivery: integration.delivery, base: '/admin' }),
});

/** Integrations that count for all projects without their own, with what they were told. */
export const adminIntegrations = [
  adminPage(AT, {
    path: AT,
    operation: AdminIntegrationsPageDocument,
    view: 'admin/integrations',
    found: ({ serverIntegrations }) => serverIntegrations,
    title: (_found, { t }) => t('Integrations'),
    show: (integrations) => ({ integrations, base: '/admin' }),
  }),
  one,
  adminForm({
    path: `${AT}/:slug`,
    operation: SendIntegrationChangeDocument,
    says: label('The integration was saved.'),
    variables: (given) => integrationGiven(ofServer(given)),
    goTo: toOne,
    again: one,
  }),
  adminForm({
    path: `${AT}/:slug/delete`,
    operation: SendIntegrationDeletionDocument,
    says: label('The integration was removed.'),
    variables: ofServer,
    asks: ({ given, t }) => ({
      heading: t('Remove this integration?'),
      says: [t('Its settings and its log of deliveries are deleted.'), t('This cannot be undone.')],
      button: t('Remove'),
      back: `${AT}/${given.slug}`,
    }),
    goTo: () => AT,
  }),
  adminForm({
    path: `${AT}/:slug/test`,
    operation: SendIntegrationTestDocument,
    says: label('A test was sent.'),
    variables: ofServer,
    goTo: ({ testIntegration }, facts) => toDelivery(testIntegration?.delivery.databaseId, facts),
    again: one,
  }),
  delivery,
  adminForm({
    path: `${AT}/:slug/deliveries/:deliveryId/retry`,
    operation: SendIntegrationEventAgainDocument,
    says: label('It was sent again.'),
    variables: ofServer,
    goTo: ({ redeliverIntegrationEvent: sent }, facts) => toDelivery(sent?.delivery.databaseId, facts),
    again: delivery,
  }),
];
