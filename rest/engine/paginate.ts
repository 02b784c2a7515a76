import { Unusable } from '#rest/engine/coerce.ts';
import type { Keyset } from '#rest/engine/route.ts';

export interface PageParameters {
  page: number;
  perPage: number;
  /** How the page was asked for, if not by its number. */
  keyset?: Keyset | undefined;
  /** How far its records are counted; all of them when absent. */
  countUpTo?: number | undefined;
}

/** The headers of a paginated array (behaviour.md 5), also exposed by CORS. */
export const PAGINATION_HEADERS = [
  'Link',
  'X-Total',
  'X-Total-Pages',
  'X-Per-Page',
  'X-Page',
  'X-Next-Page',
  'X-Prev-Page',
];

/** The effective `page`, at least 1, and `per_page`, from 1 to 100. Collects messages instead of throwing. */
export function pageParameters(given: Record<string, unknown>, problems: string[]): PageParameters {
  const read = (name: string, fallback: number): number => {
    try {
      return integer(given[name], fallback);
    } catch {
      problems.push(`${name} is invalid`);
      return fallback;
    }
  };
  const page = read('page', 1);
  const perPage = read('per_page', 20);
  return { page: Math.min(Math.max(page, 1), 10_000_000), perPage: perPage < 1 ? 20 : Math.min(perPage, 100) };
}

function integer(value: unknown, fallback: number): number {
  if (value === undefined || value === null || value === '') return fallback;
  if (typeof value !== 'string' && typeof value !== 'number') throw new Unusable('is invalid');
  if (!/^\s*[+-]?\d+\s*$/.test(String(value))) throw new Unusable('is invalid');
  return Number(value);
}

/** How many records are counted where totals may be left out, as today's servers do it. */
export const MAX_TOTAL = 10_000;

/**
 * The seven headers, without totals and the last page for more records than are counted. Where their number is not known either, a full page
 * is taken to have a next one.
 *
 * @param url the client's, with its query
 * @param count of the records on this page
 */
export function paginationHeaders(
  { page, perPage, countUpTo = Number.POSITIVE_INFINITY }: PageParameters,
  { total, count }: { total: number; count: number },
  url: URL,
): Record<string, string> {
  const pages = Math.ceil(total / perPage);
  const isCounted = total <= countUpTo;
  const isKnown = total !== countUpTo + 1;
  const hasNext = isKnown ? page < pages : count === perPage;
  const [before, after] = aroundPage(url, perPage);
  const link = (number: number, rel: string) => `<${before}${number}${after}>; rel="${rel}"`;
  const links = [
    ...(page > 1 ? [link(page - 1, 'prev')] : []),
    ...(hasNext ? [link(page + 1, 'next')] : []),
    link(1, 'first'),
    ...(isCounted ? [link(pages, 'last')] : []),
  ];
  return {
    Link: links.join(', '),
    ...(isCounted ? { 'X-Total': String(total), 'X-Total-Pages': String(pages) } : {}),
    'X-Per-Page': String(perPage),
    'X-Page': String(page),
    'X-Next-Page': hasNext ? String(page + 1) : '',
    'X-Prev-Page': page > 1 ? String(page - 1) : '',
  };
}

/** A page of a list, as far as paging by records needs it. */
export interface KeysetPage {
  readonly nodes: readonly Record<string, unknown>[];
  readonly totalCount?: number;
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** How the list is paged by its records for these parameters; undefined if it is not. */
export function keysetFor(keyset: Keyset | undefined, given: Record<string, unknown>): Keyset | undefined {
  if (!keyset) return undefined;
  const word = (name: string) => textIn(given[name])?.trim().toLowerCase();
  const { descending, only = {} } = keyset;
  if (Object.entries(only).some(([name, values]) => !values.includes(word(name)))) return undefined;
  return descending === undefined || word('sort') === 'asc' ? keyset : { ...keyset, parameter: descending };
}

/**
 * The variables of the operation for a page that begins behind a record: the cursor of the list as `$keyset_after`, or for a value that is
 * ambiguous this as `$keyset_value`.
 */
export function keysetVariables(
  { parameter, after, ambiguous, descending }: Keyset,
  given: Record<string, unknown>,
): Record<string, unknown> {
  // The filter itself says where the page begins.
  if (descending) return { keyset: true };
  const [token, cursor] = [textIn(given[parameter]), ambiguous ? textIn(given.cursor) : null];
  if (cursor !== null) return { keyset: true, keyset_after: cursor };
  if (token === null) return { keyset: true };
  return ambiguous
    ? { keyset: true, keyset_value: token }
    : { keyset: true, keyset_after: after ? after(token) : token };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** The headers of a page that begins behind a record: the totals, and a link to the next page if there is one. */
export function keysetHeaders(
  { parameter, key, ambiguous, descending }: Keyset,
  { perPage }: PageParameters,
  { nodes, totalCount = 0, pageInfo }: KeysetPage,
  url: URL,
): Record<string, string> {
  const headers: Record<string, string> = descending
    ? {}
    : {
        'X-Total': String(totalCount),
        'X-Total-Pages': String(Math.ceil(totalCount / perPage)),
        'X-Per-Page': String(perPage),
      };
  const last = key === undefined ? pageInfo?.endCursor : nodes.at(-1)?.[key];
  if (!pageInfo?.hasNextPage || last == null) return headers;
  const query = new URLSearchParams();
  for (const [name, value] of url.searchParams) {
    if (!CREDENTIALS.has(name) && !['page', 'per_page', 'cursor', parameter].includes(name)) query.append(name, value);
  }
  query.append(parameter, String(last));
  if (ambiguous) query.append('cursor', String(pageInfo.endCursor));
  query.append('per_page', String(perPage));
  query.sort();
  return { ...headers, Link: `<${url.origin}${url.pathname}?${query}>; rel="next"` };
}

const CREDENTIALS = new Set(['private_token', 'access_token', 'bearer_token', 'sudo']);

/** The parts of a URL before and after the page number, with the client's own query, sorted and without credentials. */
function aroundPage(url: URL, perPage: number): [before: string, after: string] {
  const query = new URLSearchParams();
  for (const [name, value] of url.searchParams) {
    if (!CREDENTIALS.has(name) && name !== 'page' && name !== 'per_page') query.append(name, value);
  }
  query.append('page', '');
  query.append('per_page', String(perPage));
  query.sort();
  // No other parameter has that name, and in values `&` and `=` are encoded.
  const [before = '', after = ''] = `?${query}`.split(/(?<=[?&]page=)(?=&|$)/);
  return [`${url.origin}${url.pathname}${before}`, after];
}
