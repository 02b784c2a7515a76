import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'admin_hook';
/** For a URL that cannot be used, and a test without an event to send. */
const alsoRefuses = [422];

/** What webhooks of the server are not told of. */
const notOfServer = [
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'releases_events',
  'deployment_events',
  'feature_flag_events',
  'confidential_note_events',
];

/** The switches and other values of a hook, of which an update has at least one. */
const changes = [
  'url',
  'token',
  'push_events',
  'tag_push_events',
  ...notOfServer,
  'enable_ssl_verification',
  'name',
  'description',
  'push_events_branch_filter',
  'branch_filter_strategy',
  'custom_headers',
  'url_variables',
  'custom_webhook_template',
];

/** Events that do not happen here: their switches are taken, and stay off. */
const constants = {
  emoji_events: false,
  milestone_events: false,
  resource_access_token_events: false,
  repository_update_events: false,
};
const constantsOfGroup = { ...constants, subgroup_events: false, member_events: false, project_events: false };

const ofServer = { preset: { ofServer: true }, precheck: 'administrate' } as const;

/** What hooks have by keys, each set and removed alone. */
const keyed: Route[] = [
  { at: '/projects/:id/hooks/:hook_id', name: 'Project', precheck, hidden: ['of_server'] },
  { at: '/groups/:id/hooks/:hook_id', name: 'Group', hidden: ['of_server'] },
  { at: '/hooks/:id', name: 'System', ...ofServer, hidden: ['project', 'group'] },
].flatMap(({ at, name, ...others }): Route[] =>
  [
    { path: `${at}/custom_headers/:key`, what: 'Header', deletionRefuses: [] },
    { path: `${at}/url_variables/:key`, what: 'UrlVariable', deletionRefuses: alsoRefuses },
  ].flatMap(({ path, what, deletionRefuses }): Route[] => [
    {
      method: 'PUT',
      path,
      ...mutation(`Set${name}Hook${what}`, `setWebhook${what}.webhook`, 'databaseId'),
      status: 204,
      alsoRefuses,
      ...others,
    },
    {
      method: 'DELETE',
      path,
      ...mutation(`Delete${name}Hook${what}`, `removeWebhook${what}.webhook`, 'databaseId'),
      status: 204,
      alsoRefuses: deletionRefuses,
      ...others,
    },
  ]),
);

export const hooks: Route[] = [
  ...keyed,
  {
    method: 'GET',
    path: '/groups/:id/hooks',
    operation: operations.GroupHooksDocument,
    result: 'group.webhooks',
    constants: constantsOfGroup,
  },
  {
    method: 'GET',
    path: '/groups/:id/hooks/:hook_id',
    operation: operations.GroupHookDocument,
    result: 'group.webhook',
    constants: constantsOfGroup,
  },
  {
    method: 'POST',
    path: '/groups/:id/hooks',
    ...mutation('CreateGroupHook', 'createGroupWebhook.webhook', '...GroupHookRecord'),
    constants: constantsOfGroup,
    alsoRefuses,
  },
  {
    method: 'PUT',
    path: '/groups/:id/hooks/:hook_id',
    ...mutation('UpdateGroupHook', 'updateWebhook.webhook', '...GroupHookRecord'),
    constants: constantsOfGroup,
    atLeastOne: changes,
    hidden: ['of_server'],
    alsoRefuses,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/hooks/:hook_id',
    ...mutation('DeleteGroupHook', 'deleteWebhook', 'deletedWebhookId'),
    status: 204,
  },
  {
    method: 'POST',
    path: '/groups/:id/hooks/:hook_id/test/:trigger',
    ...mutation('TestGroupHook', 'testWebhook.succeeded', '', 'message'),
    whenUnchanged: { at: 'testWebhook.succeeded', status: 422, messageAt: 'testWebhook.message' },
    body: { message: '201 Created' },
    description:
      'Sends an event about the latest such record below the group to a webhook, and waits for the response, at most 10 seconds. The status is 422 unless the receiver answers with 200 to 299. A user can test and redeliver 10 times a minute.',
    alsoRefuses,
  },
  {
    method: 'GET',
    path: '/projects/:id/hooks',
    operation: operations.ProjectHooksDocument,
    result: 'project.webhooks',
    constants,
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/hooks/:hook_id',
    operation: operations.ProjectHookDocument,
    result: 'project.webhook',
    constants,
    precheck,
  },
  {
    method: 'POST',
    path: '/projects/:id/hooks',
    ...mutation('CreateProjectHook', 'createProjectWebhook.webhook', '...ProjectHookRecord'),
    constants,
    precheck,
    alsoRefuses,
  },
  {
    method: 'PUT',
    path: '/projects/:id/hooks/:hook_id',
    ...mutation('UpdateProjectHook', 'updateWebhook.webhook', '...ProjectHookRecord'),
    constants,
    required: ['url'],
    hidden: ['of_server'],
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
    alsoRefuses,
  },
  {
    method: 'GET',
    path: '/hooks/:id',
    operation: operations.SystemHookDocument,
    result: 'systemWebhook',
    precheck: 'administrate',
  },
  {
    method: 'PUT',
    path: '/hooks/:id',
    ...mutation('UpdateSystemHook', 'updateWebhook.webhook', '...HookRecord'),
    ...ofServer,
    hidden: ['project', 'group', ...notOfServer],
    atLeastOne: changes.filter((name) => !notOfServer.includes(name)),
    alsoRefuses,
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
