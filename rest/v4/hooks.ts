import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'admin_hook';
/** For a URL that cannot be used, and a test without an event to send. */
const alsoRefuses = [422];

/** The switches and other values of a hook, of which an update has at least one. */
const changes = [
  'url',
  'token',
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'releases_events',
  'enable_ssl_verification',
];

export const hooks: Route[] = [
  { method: 'GET', path: '/groups/:id/hooks', operation: operations.GroupHooksDocument, result: 'group.webhooks' },
  {
    method: 'GET',
    path: '/groups/:id/hooks/:hook_id',
    operation: operations.GroupHookDocument,
    result: 'group.webhook',
  },
  {
    method: 'POST',
    path: '/groups/:id/hooks',
    operation: operations.CreateGroupHookDocument,
    result: 'createGroupWebhook.webhook',
    alsoRefuses,
  },
  {
    method: 'PUT',
    path: '/groups/:id/hooks/:hook_id',
    operation: operations.UpdateGroupHookDocument,
    result: 'updateWebhook.webhook',
    atLeastOne: changes,
    alsoRefuses,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/hooks/:hook_id',
    operation: operations.DeleteGroupHookDocument,
    result: 'deleteWebhook',
    status: 204,
  },
  {
    method: 'GET',
    path: '/projects/:id/hooks',
    operation: operations.ProjectHooksDocument,
    result: 'project.webhooks',
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/hooks/:hook_id',
    operation: operations.ProjectHookDocument,
    result: 'project.webhook',
    precheck,
  },
  {
    method: 'POST',
    path: '/projects/:id/hooks',
    operation: operations.CreateProjectHookDocument,
    result: 'createProjectWebhook.webhook',
    precheck,
    alsoRefuses,
  },
  {
    method: 'PUT',
    path: '/projects/:id/hooks/:hook_id',
    operation: operations.UpdateProjectHookDocument,
    result: 'updateWebhook.webhook',
    precheck,
    alsoRefuses,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/hooks/:hook_id',
    operation: operations.DeleteProjectHookDocument,
    result: 'deleteWebhook',
    status: 204,
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/hooks/:hook_id/events',
    operation: operations.ProjectHookEventsDocument,
    result: 'project.webhook.deliveries',
    precheck,
    decimals: { response_status: 0 },
  },
  {
    method: 'POST',
    path: '/projects/:id/hooks/:hook_id/events/:hook_event_id/resend',
    operation: operations.ResendProjectHookEventDocument,
    result: 'redeliverWebhook.delivery',
    precheck,
  },
  {
    method: 'POST',
    path: '/projects/:id/hooks/:hook_id/test/:trigger',
    operation: operations.TestProjectHookDocument,
    result: 'testWebhook',
    precheck,
    alsoRefuses,
  },
  {
    method: 'GET',
    path: '/hooks',
    operation: operations.SystemHooksDocument,
    result: 'systemWebhooks',
    precheck: 'administrate',
  },
  {
    method: 'POST',
    path: '/hooks',
    operation: operations.CreateSystemHookDocument,
    result: 'createSystemWebhook.webhook',
    precheck: 'administrate',
  },
  {
    method: 'GET',
    path: '/hooks/:id',
    operation: operations.TestSystemHookDocument,
    description: 'Sends an example event to a webhook of the server, and returns what was sent. For administrators.',
    result: 'testSystemWebhook.payload',
    precheck: 'administrate',
  },
  {
    method: 'POST',
    path: '/hooks/:id',
    operation: operations.TestSystemHookDocument,
    description: 'Sends an example event to a webhook of the server, and returns what was sent. For administrators.',
    result: 'testSystemWebhook.payload',
    precheck: 'administrate',
  },
  {
    method: 'DELETE',
    path: '/hooks/:id',
    operation: operations.DeleteSystemHookDocument,
    result: 'deleteSystemWebhook',
    status: 204,
    precheck: 'administrate',
  },
];
