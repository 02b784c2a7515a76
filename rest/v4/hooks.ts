import { mutation } from '#rest/engine/mutation.ts';
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
    ...mutation('CreateGroupHook', 'createGroupWebhook.webhook', '...GroupHookRecord'),
    alsoRefuses,
  },
  {
    method: 'PUT',
    path: '/groups/:id/hooks/:hook_id',
    ...mutation('UpdateGroupHook', 'updateWebhook.webhook', '...GroupHookRecord'),
    atLeastOne: changes,
    alsoRefuses,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/hooks/:hook_id',
    ...mutation('DeleteGroupHook', 'deleteWebhook', 'deletedWebhookId'),
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
    ...mutation('CreateProjectHook', 'createProjectWebhook.webhook', '...ProjectHookRecord'),
    precheck,
    alsoRefuses,
  },
  {
    method: 'PUT',
    path: '/projects/:id/hooks/:hook_id',
    ...mutation('UpdateProjectHook', 'updateWebhook.webhook', '...ProjectHookRecord'),
    required: ['url'],
    precheck,
    alsoRefuses,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/hooks/:hook_id',
    ...mutation('DeleteProjectHook', 'deleteWebhook', 'deletedWebhookId'),
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
    names: { webhook_id: 'hook_id', delivery_id: 'hook_event_id' },
    result: 'redeliverWebhook.delivery',
    precheck,
  },
  {
    method: 'POST',
    path: '/projects/:id/hooks/:hook_id/test/:trigger',
    ...mutation('TestProjectHook', 'testWebhook', 'message'),
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
    ...mutation('CreateSystemHook', 'createSystemWebhook.webhook', '...HookRecord'),
    precheck: 'administrate',
  },
  {
    method: 'GET',
    path: '/hooks/:id',
    ...mutation('TestSystemHook', 'testSystemWebhook.payload'),
    description: 'Sends an example event to a webhook of the server, and returns what was sent. For administrators.',
    precheck: 'administrate',
  },
  {
    method: 'POST',
    path: '/hooks/:id',
    ...mutation('TestSystemHook', 'testSystemWebhook.payload'),
    description: 'Sends an example event to a webhook of the server, and returns what was sent. For administrators.',
    precheck: 'administrate',
  },
  {
    method: 'DELETE',
    path: '/hooks/:id',
    ...mutation('DeleteSystemHook', 'deleteSystemWebhook', 'deletedSystemWebhookId'),
    status: 204,
    precheck: 'administrate',
  },
];
