import { here } from '#pages/engine/helpers.ts';
import { type Facts, page } from '#pages/engine/row.ts';
import { SearchPageDocument, type SearchPageQuery } from '#src/generated/page_operations.ts';

const SCOPES = {
  everywhere: [
    'projects',
    'groups',
    'code',
    'issues',
    'merge_requests',
    'commits',
    'comments',
    'wikis',
    'milestones',
    'users',
  ],
  inGroup: ['projects', 'code', 'issues', 'merge_requests', 'commits', 'comments', 'wikis', 'milestones', 'users'],
  inProject: ['code', 'issues', 'merge_requests', 'commits', 'comments', 'wikis', 'milestones', 'users'],
} as const;

type Scope = (typeof SCOPES)[keyof typeof SCOPES][number];
type Everywhere = NonNullable<SearchPageQuery['find']>;
type InProject = NonNullable<NonNullable<SearchPageQuery['project']>['find']>;

/** The list of the scope that is searched. */
type Found = Partial<Omit<Everywhere, 'wikiFiles'> & Omit<InProject, 'wikiFiles'> & Pick<SearchPageQuery, 'groups'>> & {
  /** Those of one wiki, or of many. */
  wikiFiles?: Everywhere['wikiFiles'] | InProject['wikiFiles'] | undefined;
  /** Full path of the project or group that is searched. */
  place?: string | undefined;
};

const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** Where is searched, and for what: the scope that was asked for, or the first one. */
function aim(given: Facts['given']): { place: keyof typeof SCOPES; scope: Scope } {
  const place = text(given.project_id) ? 'inProject' : text(given.group_id) ? 'inGroup' : 'everywhere';
  return { place, scope: SCOPES[place].find((scope) => scope === given.scope) ?? SCOPES[place][0] };
}

/** What the operation includes. Nothing without words to search for; where no scope was asked for, also what others have something. */
function included({ given, username }: Facts): Record<string, string> {
  const search = text(given.search);
  if (search === '') return {};
  const { place, scope } = aim(given);
  const first: Record<string, string> =
    text(given.scope) === '' ? { hits: 'true', ...(username !== null && { hitsOfUsers: 'true' }) } : {};
  if (scope === 'groups') return { search, groups: 'true' };
  return { search, [place]: 'true', [scope]: 'true', ...first };
}

/** Address of the first scope that has something, if the one that is tried first has nothing. */
function elsewhere(found: Found, { given, url }: Facts): string | null {
  const tried = found.projects ?? found.code;
  if (text(given.scope) !== '' || tried?.nodes.length !== 0) return null;
  const { hitIssues, hitMergeRequests, hitMilestones, hitUsers } = found;
  const lists = { issues: hitIssues, merge_requests: hitMergeRequests, milestones: hitMilestones, users: hitUsers };
  const [other] = Object.entries(lists).find(([, list]) => list && list.nodes.length > 0) ?? [];
  return other === undefined ? null : here(url, { scope: other });
}

export const search = [
  page({
    path: '/search',
    operation: SearchPageDocument,
    view: 'search/search',
    variables: (given, facts) => ({
      ...included(facts),
      ...Object.fromEntries(
        ['project_id', 'group_id', 'ref', 'after', 'before'].map((name) => [name, text(given[name])]),
      ),
    }),
    found: (data, facts): Found | null | undefined => {
      const { search: words, groups } = included(facts);
      if (words === undefined) return {};
      if (groups) return data.groups && { groups: data.groups };
      const place = data.project ?? data.group;
      const found = place?.find ?? data.find;
      return found && { ...found, place: place?.fullPath };
    },
    redirectTo: elsewhere,
    title: (_found, { given, t }) =>
      text(given.search) === '' ? t('title|Search') : t('Search for {words}', { words: text(given.search) }),
    show: (found, { given, username }) => {
      const { place, scope } = aim(given);
      // The list of all accounts is for those who have one.
      const scopes = SCOPES[place].filter((one) => one !== 'users' || username !== null);
      const words = text(given.search);
      return { found, scopes, scope, words, fullPath: found.place };
    },
  }),
];
