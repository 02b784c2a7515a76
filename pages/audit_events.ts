import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type Facts, page, type Row } from '#pages/engine/row.ts';
import { PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  AuditEventsPageDocument,
  type AuditTargetType,
  GroupAuditEventsPageDocument,
  type GroupAuditEventsPageQuery,
  ProjectAuditEventsPageDocument,
  type ProjectAuditEventsPageQuery,
} from '#src/generated/page_operations.ts';

/** The kinds of records, in the words of the filter. */
const KINDS: Readonly<Record<AuditTargetType, string>> = {
  USER: 'Users and members',
  GROUP: 'Groups',
  PROJECT: 'Projects',
  INVITATION: 'Invitations',
  PROTECTED_BRANCH: 'Protected branches',
  PROTECTED_TAG: 'Protected tags',
  DEPLOY_KEY: 'Deploy keys',
  DEPLOY_TOKEN: 'Deploy tokens',
  ACCESS_TOKEN: 'Access tokens',
  TRIGGER: 'Triggers',
  WEBHOOK: 'Webhooks',
  VARIABLE: 'Variables',
  RUNNER: 'Runners',
  MIRROR: 'Mirrors',
  APPLICATION: 'Applications',
  EMAIL: 'Secondary addresses',
  SSH_KEY: 'SSH keys',
  SETTINGS: 'Settings of the server',
};

/** Days stand for their beginning and their end, in UTC. */
function withTimes(given: Facts['given']): Facts['given'] {
  const at = (day: unknown, time: string) => (/^\d{4}-\d\d-\d\d$/.test(String(day)) ? `${day}T${time}Z` : day);
  return { ...given, from: at(given.from, '00:00:00'), until: at(given.until, '23:59:59.999') };
}

const shownTo = ({ given }: Facts) => ({ given, kinds: Object.entries(KINDS) });

type Query<Data> = TypedDocumentNode<Data, never>;

function auditOf(kind: PlaceKind, operation: Query<ProjectAuditEventsPageQuery | GroupAuditEventsPageQuery>): Row {
  return page({
    path: `${PLACES[kind]}/audit_events`,
    operation,
    view: 'audit_events/place',
    variables: withTimes,
    found: ({ place }) => place,
    title: (place) => `Audit log · ${place.fullPath}`,
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
export const auditEvents: Row[] = [
  page({
    path: '/-/audit_events',
    operation: AuditEventsPageDocument,
    view: 'audit_events/server',
    variables: withTimes,
    found: (data) => data.auditEvents,
    title: () => 'Audit log',
    show: (events, facts) => ({ ...shownTo(facts), events, isOfServer: true }),
    signIn: true,
  }),
  auditOf('project', ProjectAuditEventsPageDocument as Query<ProjectAuditEventsPageQuery>),
  auditOf('group', GroupAuditEventsPageDocument as Query<GroupAuditEventsPageQuery>),
];
