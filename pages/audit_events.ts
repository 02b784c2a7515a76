import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type Facts, page } from '#pages/engine/row.ts';
import { PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  AuditEventsPageDocument,
  type AuditTargetType,
  GroupAuditEventsPageDocument,
  type GroupAuditEventsPageQuery,
  ProjectAuditEventsPageDocument,
  type ProjectAuditEventsPageQuery,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The kinds of records, in the words of the filter. */
const KINDS: Readonly<Record<AuditTargetType, string>> = {
  USER: label('Users and members'),
  GROUP: label('Groups'),
  PROJECT: label('Projects'),
  INVITATION: label('Invitations'),
  PROTECTED_BRANCH: label('Protected branches'),
  PROTECTED_TAG: label('Protected tags'),
  CONTAINER_TAG_PROTECTION_RULE: label('Protected image tags'),
  CONTAINER_PROTECTION_REPOSITORY_RULE: label('Protected image repositories'),
  PACKAGES_PROTECTION_RULE: label('Protected packages'),
  DEBIAN_DISTRIBUTION: label('Debian distributions'),
  PACKAGE_SETTINGS: label('Package settings'),
  PUSH_RULE: label('Push rules'),
  APPROVAL_RULE: label('Approval rules'),
  DEPLOY_KEY: label('Deploy keys'),
  DEPLOY_TOKEN: label('Deploy tokens'),
  ACCESS_TOKEN: label('Access tokens'),
  TRIGGER: label('Triggers'),
  WEBHOOK: label('Webhooks'),
  INTEGRATION: label('Integrations'),
  CHAT_CONNECTION: label('Connected chats'),
  VARIABLE: label('Variables'),
  RUNNER: label('Runners'),
  FEATURE_FLAG: label('Feature flags'),
  FEATURE_FLAG_USER_LIST: label('User lists of feature flags'),
  FEATURE_FLAGS_CLIENT: label('Instance IDs of feature flags'),
  PAGES_DEPLOYMENT: label('Deployments of sites'),
  PAGES_DOMAIN: label('Domains of sites'),
  CUSTOM_ATTRIBUTE: label('Custom attributes'),
  BROADCAST_MESSAGE: label('Broadcast messages'),
  MIRROR: label('Mirrors'),
  APPLICATION: label('Applications'),
  EMAIL: label('Secondary addresses'),
  SSH_KEY: label('SSH keys'),
  PLACEHOLDER: label('Placeholders'),
  SETTINGS: label('Settings of the server'),
};

/** One of each, in the words of an entry. */
const WORDS: Readonly<Record<AuditTargetType, string>> = {
  USER: label('user'),
  GROUP: label('group'),
  PROJECT: label('project'),
  INVITATION: label('invitation'),
  PROTECTED_BRANCH: label('protected branch'),
  PROTECTED_TAG: label('protected tag'),
  CONTAINER_TAG_PROTECTION_RULE: label('protection of image tags'),
  CONTAINER_PROTECTION_REPOSITORY_RULE: label('protection of image repositories'),
  PACKAGES_PROTECTION_RULE: label('protection of packages'),
  DEBIAN_DISTRIBUTION: label('Debian distribution'),
  PACKAGE_SETTINGS: label('package settings'),
  PUSH_RULE: label('push rule'),
  APPROVAL_RULE: label('approval rule'),
  DEPLOY_KEY: label('deploy key'),
  DEPLOY_TOKEN: label('deploy token'),
  ACCESS_TOKEN: label('access token'),
  TRIGGER: label('trigger'),
  WEBHOOK: label('webhook'),
  INTEGRATION: label('integration'),
  CHAT_CONNECTION: label('connected chat'),
  VARIABLE: label('variable'),
  RUNNER: label('runner'),
  FEATURE_FLAG: label('feature flag'),
  FEATURE_FLAG_USER_LIST: label('user list'),
  FEATURE_FLAGS_CLIENT: label('instance ID of feature flags'),
  PAGES_DEPLOYMENT: label('site deployment'),
  PAGES_DOMAIN: label('site domain'),
  CUSTOM_ATTRIBUTE: label('custom attribute'),
  BROADCAST_MESSAGE: label('broadcast message'),
  MIRROR: label('mirror'),
  APPLICATION: label('application'),
  EMAIL: label('email'),
  SSH_KEY: label('ssh key'),
  PLACEHOLDER: label('placeholder'),
  SETTINGS: label('settings'),
};

/** Days stand for their beginning and their end, in UTC. */
function withTimes(given: Facts['given']): Facts['given'] {
  const at = (day: unknown, time: string) => (/^\d{4}-\d\d-\d\d$/.test(String(day)) ? `${day}T${time}Z` : day);
  return { ...given, from: at(given.from, '00:00:00'), until: at(given.until, '23:59:59.999') };
}

/** What a log shows besides its events. */
export const shownTo = ({ given }: Facts) => ({ given, kinds: Object.entries(KINDS), words: WORDS });

type Query<Data> = TypedDocumentNode<Data, never>;

function auditOf(kind: PlaceKind, operation: Query<ProjectAuditEventsPageQuery | GroupAuditEventsPageQuery>) {
  return page({
    path: `${PLACES[kind]}/audit_events`,
    operation,
    view: 'audit_events/place',
    variables: withTimes,
    found: ({ place }) => (place?.auditEvents ? place : null),
    title: (place, { t }) => `${t('Audit log')} · ${place.fullPath}`,
    show: (place, facts) => ({
      ...shownIn(kind, place),
      ...shownTo(facts),
      tab: 'activity',
      events: place.auditEvents,
    }),
    signIn: true,
  });
}

/** The audit logs of the server, and of projects and groups. */
export const auditEvents = [
  page({
    path: '/-/audit_events',
    operation: AuditEventsPageDocument,
    view: 'audit_events/server',
    variables: withTimes,
    found: (data) => data.auditEvents,
    title: (_events, { t }) => t('Audit log'),
    show: (events, facts) => ({ ...shownTo(facts), events, isOfServer: true }),
    signIn: true,
  }),
  auditOf('project', ProjectAuditEventsPageDocument as Query<ProjectAuditEventsPageQuery>),
  auditOf('group', GroupAuditEventsPageDocument as Query<GroupAuditEventsPageQuery>),
];
