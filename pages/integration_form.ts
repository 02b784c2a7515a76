import type { Facts } from '#pages/engine/row.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The events that integrations can be told of: the field, the name in the API, the kind for tests if there is one, and the words. */
export const INTEGRATION_EVENTS = [
  ['commitEvents', 'commit_events', 'push_events', label('Pushes of commits')],
  ['pushEvents', 'push_events', 'push_events', label('Pushes to branches')],
  ['tagPushEvents', 'tag_push_events', 'tag_push_events', label('New and deleted tags')],
  ['issuesEvents', 'issues_events', 'issues_events', label('Issues')],
  [
    'confidentialIssuesEvents',
    'confidential_issues_events',
    'confidential_issues_events',
    label('Confidential issues'),
  ],
  ['mergeRequestsEvents', 'merge_requests_events', 'merge_requests_events', label('Merge requests')],
  ['noteEvents', 'note_events', 'note_events', label('Comments')],
  ['confidentialNoteEvents', 'confidential_note_events', null, label('Confidential comments')],
  ['jobEvents', 'job_events', 'job_events', label('Jobs')],
  ['pipelineEvents', 'pipeline_events', 'pipeline_events', label('Pipelines')],
  ['wikiPageEvents', 'wiki_page_events', null, label('Wiki pages')],
  ['deploymentEvents', 'deployment_events', 'deployment_events', label('Deployments')],
] as const;

/** Fields of the form that are no settings of the kind. */
const COMMON = new Set<string>([
  'project',
  'group',
  'ofServer',
  'slug',
  'active',
  'useInheritedSettings',
  ...INTEGRATION_EVENTS.map(([name]) => name),
]);

/** A box that removes a secret. */
export const REMOVES = 'removes_';

/** What the fields of the form say: settings of the kind are keys of one object, and an empty secret stays as it is. */
export function integrationGiven(given: Facts['given']): Facts['given'] {
  const secrets = new Set([given.secrets].flat().map(String));
  const texts = Object.entries(given).filter(([name]) => !COMMON.has(name) && /^[a-z][a-z_]*$/.test(name));
  const properties: Record<string, string | null> = {};
  for (const [name, value] of texts) {
    const text = String([value].flat().at(-1) ?? '');
    const isKept = secrets.has(name) && text === '';
    if (secrets.has(name) && isTicked(given[REMOVES + name])) properties[name] = null;
    else if (!isKept) properties[name] = text;
  }
  return { ...given, ignoreUnknownProperties: 'true', properties: properties as never };
}

function isTicked(value: unknown): boolean {
  return [value].flat().at(-1) === 'true';
}
