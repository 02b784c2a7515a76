/** The events that integrations can be told of, each with its kind in webhooks and the switch of hooks for it; in the order of the API. */
export const INTEGRATION_EVENTS = {
  commit_events: { kind: 'push', column: 'pushEvents' },
  push_events: { kind: 'push', column: 'pushEvents' },
  tag_push_events: { kind: 'tag_push', column: 'tagPushEvents' },
  issues_events: { kind: 'issue', column: 'issuesEvents' },
  confidential_issues_events: { kind: 'confidential_issue', column: 'confidentialIssuesEvents' },
  merge_requests_events: { kind: 'merge_request', column: 'mergeRequestsEvents' },
  note_events: { kind: 'note', column: 'noteEvents' },
  confidential_note_events: { kind: 'confidential_note', column: 'confidentialNoteEvents' },
  job_events: { kind: 'job', column: 'jobEvents' },
  pipeline_events: { kind: 'pipeline', column: 'pipelineEvents' },
  wiki_page_events: { kind: 'wiki_page', column: 'wikiPageEvents' },
  deployment_events: { kind: 'deployment', column: 'deploymentEvents' },
} as const;

export type IntegrationEvent = keyof typeof INTEGRATION_EVENTS;

/** The kinds of events of webhooks that integrations are told of. */
export type ToldKind = (typeof INTEGRATION_EVENTS)[IntegrationEvent]['kind'];

export const EVENT_NAMES = Object.keys(INTEGRATION_EVENTS) as IntegrationEvent[];

/** The switches of the hook of an integration that is told of these events. Those of others are off. */
export function hookSwitches(events: readonly string[]) {
  const on = new Set<string>(EVENT_NAMES.filter((name) => events.includes(name)).map(columnOf));
  const columns = [...new Set(EVENT_NAMES.map(columnOf))];
  return Object.fromEntries(columns.map((column) => [column, on.has(column)])) as Record<
    ReturnType<typeof columnOf>,
    boolean
  >;
}

function columnOf(name: IntegrationEvent) {
  return INTEGRATION_EVENTS[name].column;
}
