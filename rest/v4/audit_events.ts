import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const auditEvents: Route[] = [
  { method: 'GET', path: '/audit_events', operation: operations.AuditEventsDocument, result: 'auditEvents' },
  {
    method: 'GET',
    path: '/audit_events/:audit_event_id',
    operation: operations.AuditEventDocument,
    result: 'auditEvent',
    numeric: ['audit_event_id'],
  },
  {
    method: 'GET',
    path: '/projects/:id/audit_events',
    operation: operations.ProjectAuditEventsDocument,
    result: 'project.auditEvents',
  },
  {
    method: 'GET',
    path: '/projects/:id/audit_events/:audit_event_id',
    operation: operations.ProjectAuditEventDocument,
    result: 'project.auditEvent',
    numeric: ['audit_event_id'],
  },
  {
    method: 'GET',
    path: '/groups/:id/audit_events',
    operation: operations.GroupAuditEventsDocument,
    result: 'group.auditEvents',
  },
  {
    method: 'GET',
    path: '/groups/:id/audit_events/:audit_event_id',
    operation: operations.GroupAuditEventDocument,
    result: 'group.auditEvent',
    numeric: ['audit_event_id'],
  },
];
