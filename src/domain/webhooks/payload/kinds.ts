/** The event kinds of project and group hooks, with their values of the header `X-Gitlab-Event`. */
export const HEADERS = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issue: 'Issue Hook',
  confidential_issue: 'Confidential Issue Hook',
  note: 'Note Hook',
  confidential_note: 'Confidential Note Hook',
  merge_request: 'Merge Request Hook',
  job: 'Job Hook',
  pipeline: 'Pipeline Hook',
  wiki_page: 'Wiki Page Hook',
  deployment: 'Deployment Hook',
  release: 'Release Hook',
  feature_flag: 'Feature Flag Hook',
} as const;

export type ProjectEventKind = keyof typeof HEADERS;

/** The event kinds of system hooks besides pushes (behaviour.md 0). */
export const SYSTEM_EVENTS = [
  'project_create',
  'project_destroy',
  'project_rename',
  'project_transfer',
  'project_update',
  'user_create',
  'user_destroy',
  'user_rename',
  'user_add_to_team',
  'user_remove_from_team',
  'user_add_to_group',
  'user_remove_from_group',
  'group_create',
  'group_destroy',
  'key_create',
  'key_destroy',
] as const;

export type SystemEventKind = (typeof SYSTEM_EVENTS)[number];
export type EventKind = ProjectEventKind | SystemEventKind;

export function isProjectEvent(kind: string): kind is ProjectEventKind {
  return Object.hasOwn(HEADERS, kind);
}

/** The events that a hook can subscribe to, with their columns; in the order of the API. */
export const SWITCHES = [
  'pushEvents',
  'tagPushEvents',
  'issuesEvents',
  'confidentialIssuesEvents',
  'mergeRequestsEvents',
  'noteEvents',
  'jobEvents',
  'pipelineEvents',
  'wikiPageEvents',
  'deploymentEvents',
  'releasesEvents',
  'featureFlagEvents',
] as const;

export type Switch = (typeof SWITCHES)[number];
