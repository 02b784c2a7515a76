import { text } from '#pages/engine/fields.ts';
import type { Facts } from '#pages/engine/row.ts';

/** What a list of issues or merge requests is filtered by; what is empty says nothing. */
export interface Filter {
  /** A word of the states of the list. */
  state: string;
  author: string;
  assignee: string;
  reviewer: string;
  milestone: string;
  labels: readonly string[];
  /** Whether only confidential issues are listed, or only others. */
  confidential: '' | 'true' | 'false';
  /** Whether only drafts are listed, or only others. */
  draft: '' | 'true' | 'false';
  /** The words that are searched for. */
  search: string;
}

/** Characters of a filter that are read. */
const MAX_LENGTH = 2000;

/** A word of a filter: text, or a name with a value, which is in quotes if it has blanks. */
const WORD = /(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi;

const NAMES = { author: 'author', assignee: 'assignee', reviewer: 'reviewer', milestone: 'milestone' } as const;

/** What `is:` says, by its word. */
const KINDS: Readonly<Record<string, Partial<Filter>>> = {
  open: { state: 'opened' },
  opened: { state: 'opened' },
  closed: { state: 'closed' },
  merged: { state: 'merged' },
  all: { state: 'all' },
  confidential: { confidential: 'true' },
  public: { confidential: 'false' },
  draft: { draft: 'true' },
  ready: { draft: 'false' },
};

/** The lists that are filtered, with the words that mean something there. */
export const LISTS = {
  issues: ['label', 'author', 'assignee', 'milestone', 'is'],
  mergeRequests: ['label', 'author', 'assignee', 'reviewer', 'milestone', 'is'],
} as const;

const STATES: Readonly<Record<keyof typeof LISTS, readonly string[]>> = {
  issues: ['open', 'closed', 'all', 'confidential', 'public'],
  mergeRequests: ['open', 'merged', 'closed', 'all', 'draft', 'ready'],
};

/** The words behind `is:`. */
export const statesOf = (list: keyof typeof LISTS): readonly string[] => STATES[list];

/**
 * The filter that an address says: in words (`q`), and by parameters of its own, which win. What means nothing among the words is text
 * that is searched for.
 */
export function filterIn(given: Facts['given'], list: keyof typeof LISTS): Filter {
  const found: Filter = { ...NOTHING, labels: [] };
  const labels: string[] = [];
  const words: string[] = [];
  for (const [written, key = '', quoted, plain] of text(given.q).slice(0, MAX_LENGTH).matchAll(WORD)) {
    const name = key.toLowerCase();
    const value = (quoted ?? plain ?? '').trim();
    const isKnown = value !== '' && (LISTS[list] as readonly string[]).includes(name);
    if (isKnown && name === 'label') labels.push(value);
    else if (isKnown && Object.hasOwn(NAMES, name)) found[name as keyof typeof NAMES] = value;
    else if (isKnown && name === 'is' && STATES[list].includes(value.toLowerCase())) {
      Object.assign(found, KINDS[value.toLowerCase()]);
    } else words.push(written);
  }
  const own = (name: string) => text(given[name]).trim();
  const chosen = [given.labels ?? []].flat().filter((title): title is string => typeof title === 'string');
  const titles = chosen.flatMap((title) => title.split(',')).map((title) => title.trim());
  const flag = (name: 'confidential' | 'draft') => {
    const value = own(name);
    return value === 'true' || value === 'false' ? value : found[name];
  };
  return {
    state: own('state').toLowerCase() || found.state,
    author: own('author') || found.author,
    assignee: own('assignee') || found.assignee,
    reviewer: own('reviewer') || found.reviewer,
    milestone: own('milestone') || found.milestone,
    labels: [...new Set([...titles.filter((title) => title !== ''), ...labels])],
    confidential: flag('confidential'),
    draft: flag('draft'),
    search: [own('search'), ...words].filter((word) => word !== '').join(' '),
  };
}

const NOTHING: Filter = {
  ...{ state: 'opened', author: '', assignee: '', reviewer: '', milestone: '', labels: [] },
  ...{ confidential: '', draft: '', search: '' },
};

/** A filter in words, as its field shows it, without what `but` sets otherwise. */
export function wordsOf(filter: Filter, but: Partial<Filter> = {}): string {
  const shown = { ...filter, ...but };
  const quoted = (value: string) => (/\s/.test(value) ? `"${value.replaceAll('"', '')}"` : value);
  const flags = [
    shown.state !== 'opened' && `is:${shown.state}`,
    shown.confidential !== '' && (shown.confidential === 'true' ? 'is:confidential' : 'is:public'),
    shown.draft !== '' && (shown.draft === 'true' ? 'is:draft' : 'is:ready'),
  ].filter((flag) => flag !== false);
  const people = Object.values(NAMES).flatMap((name) => (shown[name] === '' ? [] : `${name}:${quoted(shown[name])}`));
  const labels = shown.labels.map((title) => `label:${quoted(title)}`);
  return [...flags, ...labels, ...people, shown.search].filter((word) => word !== '').join(' ');
}

/** The parameters of an address that say a filter one by one, as feeds and tools know them. */
export function parametersOf({ labels, ...filter }: Filter, username: string | null): URLSearchParams {
  const plain = Object.entries(valuesFrom(filter, username)).filter(
    ([name, value]) => value !== '' && !(name === 'state' && value === NOTHING.state),
  );
  const query = new URLSearchParams(plain);
  for (const title of labels) query.append('labels', wordFor(title));
  return query;
}

/** The texts of the variables of the operation of a list, for a reader. */
export function variablesOf(filter: Filter, username: string | null): Record<string, string | string[]> {
  const { labels, ...others } = filter;
  return { ...valuesFrom(others, username), ...(labels.length > 0 && { labels: labels.map(wordFor) }) };
}

function valuesFrom(
  { assignee, milestone, ...filter }: Omit<Filter, 'labels'>,
  username: string | null,
): Record<string, string> {
  const isWord = /^(?:none|any)$/i.test(assignee);
  const own = (value: string) => (value === '@me' ? (username ?? value) : value.replace(/^@/, ''));
  return {
    ...filter,
    author: own(filter.author),
    reviewer: own(filter.reviewer),
    milestone: wordFor(milestone),
    ...(isWord ? { assigneeId: wordFor(assignee), assignee: '' } : { assignee: own(assignee) }),
  };
}

/** The words for records without something, and with anything, as lists know them. */
function wordFor(value: string): string {
  return /^(?:none|any)$/i.test(value) ? `${value[0]?.toUpperCase()}${value.slice(1).toLowerCase()}` : value;
}

/** Whether anything but the state is said. */
export function isFiltered({ state: _state, ...filter }: Filter): boolean {
  return Object.values(filter).some((value) => value.length > 0);
}
