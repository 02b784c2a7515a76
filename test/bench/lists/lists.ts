import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import type { Endpoint } from '#rest/engine/compile.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import { endpointsOf, withQuery } from '../../support/endpoints.ts';
import { listTokens, OF_GROUP, SERVICE_ACCOUNTS } from './dataset.ts';

/** One list in one order or with one search, of which any page can be asked for. */
export interface List {
  /** `GET /groups/:id/issues`, `Project.issues` … with what is asked of it. */
  name: string;
  token: string;
  method: 'GET' | 'POST';
  /** Path and body of the request for a page, from 1. */
  page(number: number): { path: string; body?: string };
  /** How many records there are in all, from an answer. */
  total(answer: { headers: NodeJS.Dict<string | string[]>; text: string }): number;
}

/** A connection of the GraphQL API. */
export interface Connection extends List {
  /** The document that asks with these arguments for what is selected of the connection `list`. */
  document(args: string, selection: string): string;
  /** Fields that tell its records apart. */
  apart: string;
}

/** Lists that read repositories, which `--only repository` measures. */
const OF_REPOSITORIES = /\/repository\/|scope=(commits|blobs|wiki_blobs)/;

/** Lists that only administrators, or masters of a place, may read. */
const FOR_ADMINS =
  /activities|^\/applications|^\/users\/:(id|user_id)\/(keys|emails|impersonation|memberships)|access_requests|invitations|triggers|variables|runners|deploy_keys|protected_tags|access_tokens|audit_events|deploy_tokens|job_token_scope|remote_mirrors|resource_groups|hooks|feature_flags|registry\/protection|packages\/protection|service_accounts|pages\/domains|^\/projects\/:id\/uploads/;

const PER_PAGE = 20;

/** What is searched for: something that many records have, something rare, and something that none has. */
const SEARCHES = ['1', 'quaternion', 'zyxxyz'];

/** What lists of issues and merge requests are often narrowed by. */
const FILTERS = [
  'source_branch=topic-1',
  'author_id=3',
  'assignee_id=3',
  'reviewer_id=3',
  'not[labels]=label-03',
  'labels=None',
  'labels=Any',
  'milestone=milestone-3',
  'milestone_id=Upcoming',
  'due_date=overdue',
  'closed_by_id=3',
  'environment=place-1',
  'labels=label-03&not[labels]=label-07&milestone=milestone-3&state=opened',
  'scope=all',
];

/** What clients of today narrow lists of people and places by, where a list takes all of the parameters. */
const OF_PLACES = [
  'active=true',
  'active=false',
  'blocked=true',
  'external=true',
  'exclude_external=true',
  'humans=true',
  'exclude_humans=true',
  'without_project_bots=true&active=true',
  'exclude_internal=true',
  'exclude_active=true',
  'admins=true',
  'without_projects=true',
  'two_factor=enabled',
  'two_factor=disabled',
  'created_after=2026-01-01T00:00:00Z',
  'created_before=2026-01-01T00:00:00Z',
  'last_activity_after=2026-01-01',
  'min_access_level=30',
  'min_access_level=50',
  'topic=topic-1',
  'topic=zyxxyz',
  'topic_id=1',
  'last_activity_after=2026-01-01T00:00:00Z',
  'updated_before=2026-01-01T00:00:00Z&order_by=updated_at',
  'id_after=1000',
  'with_programming_language=Ruby',
  'with_issues_enabled=true',
  'with_merge_requests_enabled=true',
  'imported=true',
  'search_namespaces=true&search=quaternion',
  'visibility=public',
  'archived=true',
  'include_subgroups=true',
  'include_subgroups=true&with_shared=true&min_access_level=30',
  'top_level_only=true',
  'all_available=true&order_by=similarity&search=group',
  'search=group/',
  'show_seat_info=true&query=1',
  'skip_users=1,2,3',
  'pagination=keyset&order_by=id&sort=asc',
];

/** Whose lists these are. */
const PEOPLE_AND_PLACES =
  /^\/(users|projects|groups)$|^\/groups\/:id\/(projects|subgroups|descendant_groups)$|\/members(\/all)?$|^\/users\/:\w+\/\w*projects$/;

/** Every list of the REST API that the database answers: as it comes, in each order, and with each search. */
export function restLists(): List[] {
  return routes
    .flatMap(endpointsOf)
    .filter(({ route, paginated }) => route.method === 'GET' && paginated && !OF_REPOSITORIES.test(route.path))
    .flatMap(variants);
}

function variants({ route, parameters }: Endpoint): List[] {
  const isForAdmins = FOR_ADMINS.test(route.path);
  // Of the dataset the first note is on an issue, the second on a snippet, the third on a merge request.
  const path = route.path
    .replace('snippet_id/notes/:note_id', 'snippet_id/notes/2')
    .replace('merge_request_iid/notes/:note_id', 'merge_request_iid/notes/3')
    .replace('snippet_id/discussions/:discussion_id', `snippet_id/discussions/${threadKey('Discussion', 2)}`)
    .replace(
      'merge_request_iid/discussions/:discussion_id',
      `merge_request_iid/discussions/${threadKey('Discussion', 3)}`,
    )
    .replace(':discussion_id', threadKey('Discussion', 1))
    .replace(/^(\/groups\/:id\/(milestones|boards))\/:\w+/, `$1/${OF_GROUP}`)
    .replace(
      /^(\/(group|project)s\/:id\/service_accounts)\/:user_id/,
      (_all, list, kind) => `${list}/${SERVICE_ACCOUNTS[kind as 'group']}`,
    )
    .replace('templates/:type', 'templates/licenses')
    .replace(/:\w+/g, '1');
  const list = (query: string): List => ({
    name: `GET ${query ? withQuery(route.path, query) : route.path}`,
    token: isForAdmins ? listTokens.admin : listTokens.member,
    method: 'GET',
    page: (number) => ({
      path: withQuery(`/api/v4${path}`, `per_page=${PER_PAGE}&page=${number}${query && `&${query}`}`),
    }),
    total: ({ headers }) => Number(headers['x-total']),
  });
  const values = (name: string) => {
    const type = parameters.find((parameter) => parameter.name === name)?.type;
    const named = type && getNamedType(type);
    return isEnumType(named) ? named.getValues().map((value) => value.name.toLowerCase()) : [];
  };
  const orders = values('order_by').flatMap((by) => ['asc', 'desc'].map((sort) => `order_by=${by}&sort=${sort}`));
  const states = values('state').map((state) => `state=${state}`);
  const search = parameters.find(({ name }) => ['search', 'query'].includes(name))?.name;
  const isSearch = parameters.some(({ name, required }) => name === search && required);
  const usual = isSearch ? ['server', ...SEARCHES.slice(1)] : SEARCHES;
  // Environments are searched for by three characters or more.
  const texts = path.endsWith('/environments') ? usual.filter((text) => text.length > 2) : usual;
  const searches = search === undefined ? [] : texts.map((text) => `${search}=${text}`);
  const flags = ['all_available', 'owned', 'starred', 'membership']
    .filter((flag) => parameters.some(({ name }) => name === flag))
    .map((flag) => `${flag}=true`);
  const labels = parameters.some(({ name }) => name === 'labels') ? ['labels=label-03,label-07'] : [];
  const ofSubjects = parameters.some(({ name }) => name === 'not[labels]');
  const filters = FILTERS.filter((filter) =>
    parameters.some(({ name }) => ofSubjects && filter.startsWith(`${name}=`)),
  );
  const plain = isSearch ? [] : ['', ...orders, ...states];
  // Those of the server are the caller's own, unless all are asked for.
  const all = /^\/(issues|merge_requests)$/.test(path) ? [...orders, ...labels, ...filters] : [];
  const ofAll = all.filter((query) => query !== 'scope=all').map((query) => `scope=all&${query}`);
  const taken = (query: string) =>
    [...new URLSearchParams(query).keys()].every((key) => parameters.some(({ name }) => name === key));
  const ofPlaces = PEOPLE_AND_PLACES.test(route.path) ? OF_PLACES.filter(taken) : [];
  return [...plain, ...searches, ...flags, ...labels, ...filters, ...ofAll, ...ofPlaces].map(list);
}

/** Fields that are encrypted, of which the dataset has none. */
const SECRET = /^(value|token)$/;

/** Where a record of a type is found that has the lists of the type. */
const PLACES: Record<string, [before: string, after: string]> = {
  Query: ['', ''],
  User: ['viewer {', '}'],
  Group: ['group(ref: 1) {', '}'],
  Project: ['project(ref: 1) {', '}'],
  Issue: ['project(ref: 1) { issue(iid: 1) {', '} }'],
  MergeRequest: ['project(ref: 1) { mergeRequest(iid: 1) {', '} }'],
  Label: ['project(ref: 1) { label(ref: "label-03") {', '} }'],
  Milestone: ['project(ref: 1) { milestone(id: 1) {', '} }'],
  Pipeline: ['project(ref: 1) { pipeline(id: 1) {', '} }'],
  Webhook: ['webhook(id: 1) {', '}'],
};

/** Every connection of the GraphQL API that the database answers: as it comes, and with each search. */
export function graphqlLists(): Connection[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).flatMap((field) => connection(type, field)));
}

function connection(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): Connection[] {
  const place = PLACES[type.name];
  const to = getNamedType(field.type);
  if (!place || !isObjectType(to) || !to.name.endsWith('Connection')) return [];
  const node = getNamedType(to.getFields().nodes?.type ?? to);
  const selection = isObjectType(node) && node.getFields().id ? 'id' : '__typename';
  const isForAdmins =
    /activities|memberships|impersonation|accessRequests|^invitations$|triggers|variables|runners|deployKeys|accessTokens|auditEvents|deployTokens|jobTokenScope|^uploads$|tagProtectionRules|protectionRepositoryRules|packagesProtectionRules|^serviceAccount|featureFlag|pagesDomains|pagesDeployments|terraformStates|remoteMirrors|resourceGroups|oauthApplications|webhooks|deliveries/i.test(
      field.name,
    );
  const fields = isObjectType(node) ? Object.values(node.getFields()) : [];
  const isPlain = ({ args, type }: GraphQLField<unknown, unknown>) =>
    args.length === 0 && isLeafType(getNullableType(type));
  const leaves = fields
    .filter((field) => isPlain(field) && !SECRET.test(field.name))
    .map(({ name }) => name)
    .join(' ');
  const document = (args: string, selected: string) =>
    `{ ${place[0]} list: ${field.name}(${args}) { ${selected} } ${place[1]} }`;
  return argumentsOf(field).map((given) => ({
    document: (args, selected) => document(`${given}${args}`, selected),
    apart: isUnionType(node) ? '... on Node { id }' : selection === 'id' ? 'id' : leaves,
    name: `${type.name}.${field.name}${given && ` (${given.slice(0, -2)})`}`,
    token: isForAdmins ? listTokens.admin : listTokens.member,
    method: 'POST' as const,
    page: (number) => {
      const args = `${given}limit: ${PER_PAGE}, offset: ${(number - 1) * PER_PAGE}`;
      const query = document(args, `totalCount nodes { ${selection} }`);
      return { path: '/graphql', body: JSON.stringify({ query }) };
    },
    total: ({ text }) => Number(/"totalCount":(\d+)/.exec(text)?.[1]),
  }));
}

/** What a list is asked with: nothing, each search, each order, and what it cannot do without. */
function argumentsOf({ args }: GraphQLField<unknown, unknown>): string[] {
  const valuesOf = (name: string) => {
    const type = args.find((argument: GraphQLArgument) => argument.name === name)?.type;
    const named = type && getNamedType(type);
    return isEnumType(named) ? named.getValues().map((value) => value.name) : [];
  };
  const search = ['search', 'query'].find((name) => args.some((argument) => argument.name === name));
  const filter = getNullableType(args.find(({ name }) => name === 'filter')?.type);
  const isSearched = isInputObjectType(filter) && filter.getFields().search !== undefined;
  if (args.some((argument) => argument.name === search && isRequiredArgument(argument))) {
    const texts = ['label', ...SEARCHES.filter((text) => text.length > 2)];
    return valuesOf('type').flatMap((type) => texts.map((text) => `type: ${type}, ${search}: "${text}", `));
  }
  // A tag that the dataset has.
  if (args.some((argument) => argument.name === 'tag' && isRequiredArgument(argument))) return ['tag: "1", '];
  const user = args.find(({ name }) => name === 'userId');
  if (user && isRequiredArgument(user)) return [`group: 1, userId: "${SERVICE_ACCOUNTS.group}", `];
  const kind = args.find(({ name }) => name === 'kind');
  if (kind && isRequiredArgument(kind)) return valuesOf('kind').map((value) => `kind: ${value}, `);
  const written = isSearched
    ? (text: string) => `filter: { search: "${text}" }, `
    : (text: string) => `${search}: "${text}", `;
  const searches = search === undefined && !isSearched ? [] : SEARCHES.map(written);
  const roles = valuesOf('role').flatMap((role) => valuesOf('orderBy').map((by) => `role: ${role}, orderBy: ${by}, `));
  const namespace = args.find(({ name }) => name === 'namespace');
  const place = namespace && isRequiredArgument(namespace) ? 'namespace: "1", ' : '';
  return ['', ...searches, ...roles].map((one) => `${place}${one}`);
}
