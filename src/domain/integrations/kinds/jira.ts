import { withoutTrailingSlashes } from '#src/base/text.ts';
import type { Field, Settings } from '#src/domain/integrations/base/field.ts';
import type { Kind, Tell, Told } from '#src/domain/integrations/base/kind.ts';
import { JiraClient } from '#src/domain/integrations/kinds/jira_client.ts';
import { label } from '#src/platform/texts/texts.ts';

const KEY = '[A-Z][A-Z0-9_]{0,63}-\\d{1,9}';
/** Keys of issues, each at the boundary of words, so that a text is scanned in linear time. */
const KEYS = new RegExp(`(?<![A-Za-z0-9_/-])${KEY}(?![A-Za-z0-9_-])`, 'g');
/** What closes issues when it reaches the default branch: `Closes ABC-1, ABC-2 and ABC-3`. */
const CLOSING = new RegExp(
  `\\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +(${KEY}(?:(?:, *| +and +|, +and +)${KEY}){0,20})(?![A-Za-z0-9_-])`,
  'gi',
);

/** How many issues one event comments on or closes. */
const MAX_ISSUES = 10;
/** Characters of a text that is searched for keys. */
const MAX_SEARCHED_LENGTH = 100_000;

const FIELDS: readonly Field[] = [
  { name: 'url', title: label('URL of Jira'), type: 'url', required: true, reached: true },
  {
    name: 'api_url',
    title: label('URL of the API of Jira'),
    type: 'url',
    hint: label('Only if it differs from the URL of Jira.'),
    reached: true,
  },
  {
    name: 'jira_auth_type',
    title: label('Authentication'),
    type: 'choice',
    choices: { 0: label('User name and password, or API token'), 1: label('Personal access token') },
    standard: '0',
  },
  {
    name: 'username',
    title: label('User name or email'),
    type: 'text',
    hint: label('Not needed with a personal access token.'),
    check: (text) => (text.includes(':') ? ['must not contain a colon'] : []),
  },
  { name: 'password', title: label('Password or token'), type: 'text', required: true, secret: true },
  {
    name: 'comment_on_event_enabled',
    title: label('Comment on issues that commits and merge requests mention'),
    type: 'boolean',
    standard: true,
  },
  {
    name: 'jira_issue_transition_automatic',
    title: label('Move closed issues to the first status that counts as done'),
    type: 'boolean',
    standard: false,
  },
  {
    name: 'jira_issue_transition_id',
    title: label('Transitions of closed issues'),
    type: 'text',
    hint: label(
      'IDs of transitions, separated by commas; the first that an issue offers is made. Leave it empty to make none.',
    ),
    check: (text) => (/^\d{1,9}(?:[,;]\s*\d{1,9}){0,9}$/.test(text) ? [] : ['must be numbers, separated by commas']),
  },
];

/** What an event says of issues. */
interface Mentions {
  /** Where it mentions them: `a commit`, its address, and its title. */
  what: string;
  url: string;
  title: string;
  mentioned: string[];
  closed: string[];
}

const tell: Tell = async (told, tools) => {
  const { settings, payload } = told;
  const isClosing = closesIssues(settings);
  const found = mentionsIn(told)
    .map((one) => ({ ...one, closed: isClosing ? one.closed : [] }))
    .filter(
      ({ mentioned, closed }) => closed.length > 0 || (settings.comment_on_event_enabled && mentioned.length > 0),
    );
  if (found.length === 0) return null;
  const client = new JiraClient(settings, tools.send);
  let left = MAX_ISSUES;
  for (const { what, url, title, mentioned, closed } of found) {
    for (const key of mentioned.slice(0, left)) {
      left -= 1;
      const { project } = payload;
      const place = { name: project.path_with_namespace, url: project.web_url };
      const comment = { by: payload.user?.name ?? payload.user_name ?? 'Someone', what, url, title, place };
      if (settings.comment_on_event_enabled && !(await client.comment(key, comment))) return client.last;
      if (closed.includes(key) && !(await client.close(key))) return client.last;
    }
  }
  return client.last;
};

function closesIssues({
  jira_issue_transition_automatic: automatic,
  jira_issue_transition_id: ids,
}: Settings): boolean {
  return automatic === true || Boolean(ids);
}

/** The issues that commits of a push, or a merge request, mention and close. */
function mentionsIn({ kind, payload }: Told): Mentions[] {
  const { default_branch: main } = payload.project;
  if (kind === 'push') {
    const isMain = payload.ref === `refs/heads/${main}`;
    return (payload.commits ?? []).map(({ message, url }) => ({
      ...{ what: 'a commit', url, title: message.split('\n', 1)[0] ?? '' },
      ...issuesIn(message, isMain),
    }));
  }
  const { action = '', title = '', description, url = '', target_branch } = payload.object_attributes ?? {};
  const isMerged = action === 'merge';
  if (kind !== 'merge_request' || !['open', 'update', 'merge'].includes(action)) return [];
  const found = issuesIn(`${title}\n${description ?? ''}`, isMerged && target_branch === main);
  return [{ what: 'a merge request', url, title, ...found }];
}

function issuesIn(text: string, closes: boolean): Pick<Mentions, 'mentioned' | 'closed'> {
  const searched = text.slice(0, MAX_SEARCHED_LENGTH);
  const mentioned = [...new Set(searched.match(KEYS) ?? [])].slice(0, MAX_ISSUES);
  const closings = closes ? [...searched.matchAll(CLOSING)].flatMap(([, keys = '']) => keys.match(KEYS) ?? []) : [];
  return { mentioned, closed: mentioned.filter((key) => closings.includes(key)) };
}

/** Leads keys to issues of Jira, comments on those that are mentioned and closes those that are done. */
export const jira: Kind = {
  slug: 'jira',
  title: label('Jira'),
  description: label(
    'Links issue keys to Jira, comments on issues that are mentioned, and closes those that are done.',
  ),
  events: ['commit_events', 'merge_requests_events'],
  fields: FIELDS,
  pages: ({ url }) => (url ? [{ title: label('Jira'), url: String(url) }] : []),
  issueUrl: ({ url }, written) =>
    url && new RegExp(`^${KEY}$`).test(written) ? `${withoutTrailingSlashes(String(url))}/browse/${written}` : null,
  tell,
};
