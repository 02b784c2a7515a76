import type { InterfaceRef, ObjectRef, OutputShape, UnionRef } from '@pothos/core';
import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  getDirectiveValues,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { builder } from '#schema/builder.ts';
import { narrowings } from '#schema/list_filter.ts';
import { parseJson } from '#src/base/json.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { currentBudget } from '#src/platform/limits/budget.ts';
import type { ChosenOrder, CursorPosition, Page, PageRequest } from '#src/platform/page.ts';

/** Default and maximum number of records of a page (rest-api-v4.md, Limits). */
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

const PageInfo = builder.objectRef<LoadedPage<unknown>>('PageInfo').implement({
  description: 'The position of a page in its list, and whether there are pages before and after it.',
  fields: (t) => ({
    hasNextPage: t.boolean({ description: 'Whether more records follow the page.', resolve: (page) => follows(page) }),
    hasPreviousPage: t.boolean({
      description: 'Whether records precede the page.',
      resolve: (page) => precedes(page),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first record of the page, for `before`; null if the page is empty.',
      resolve: (page) => (page.nodes.length > 0 ? cursorAt(page, 0) : null),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last record of the page, for `after`; null if the page is empty.',
      resolve: (page) => (page.nodes.length > 0 ? cursorAt(page, page.nodes.length - 1) : null),
    }),
  }),
});

type Types = typeof builder.$inferSchemaTypes;
type Node<T> = ObjectRef<Types, T, T> | InterfaceRef<Types, T, T> | UnionRef<Types, T, T>;

/** The connection and edge types for a node type. */
export function connectionOf<T>(name: string, node: Node<T>) {
  const Edge = builder.objectRef<{ node: T; cursor: string }>(`${name}Edge`).implement({
    description: `One entry of a \`${name}Connection\`: a record with its cursor.`,
    fields: (t) => ({
      node: t.field({
        type: node,
        description: 'The record at this position in the list.',
        resolve: (edge) => edge.node as OutputShape<never, never>,
      }),
      cursor: t.exposeString('cursor', {
        description: 'Opaque position of the record in the list, for `after` and `before`.',
      }),
    }),
  });
  return builder.objectRef<LoadedPage<T>>(`${name}Connection`).implement({
    description: `A page of a list of ${name}.`,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The records of the page, in the order of the list.',
        resolve: (page) => page.nodes as never,
      }),
      edges: t.field({
        type: [Edge],
        description: 'The records of the page, each with its cursor.',
        resolve: (page) => page.nodes.map((node, index) => ({ node, cursor: cursorAt(page, index) })),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Information about the page’s position in the list.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        description: 'Number of records in the whole list that the caller can see.',
        resolve: ({ total }) => total ?? 0,
      }),
    }),
  });
}

/** The arguments of every connection: cursors, or `limit` and `offset`. */
export const pageArgs = builder.args((t) => ({
  first: t.int({
    description: `Number of records from the start of the list, or after the cursor \`after\`; at most ${MAX_LIMIT}. Paging with \`after\` shows each record once even if the list changes, and the last page costs no more than the first.`,
  }),
  after: t.string({ description: 'Only records after this cursor.' }),
  last: t.int({
    description: `Number of records from the end of the list, or before the cursor \`before\`, in the order of the list; at most ${MAX_LIMIT}.`,
  }),
  before: t.string({ description: 'Only records before this cursor.' }),
  limit: t.int({
    description: `Number of records when neither \`first\` nor \`last\` is given; at most ${MAX_LIMIT}, ${DEFAULT_LIMIT} by default. Use with \`offset\` for numbered pages.`,
  }),
  offset: t.int({
    defaultValue: 0,
    description: 'Number of records to skip, for numbered pages. To walk through a list, use `after`.',
  }),
}));

export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
  /** Of these only what `listFilter` and `listOrder` offer is looked at here. */
  filter?: unknown;
  orderBy?: unknown;
  sort?: unknown;
}

/** A value of an enum of orders: the columns by which it orders, the last of which tells all records apart. */
export class ListOrder {
  readonly by: readonly string[];
  /** Where records are without a value of the first column, if it may be missing. */
  readonly nulls: 'last' | undefined;

  constructor(by: readonly string[], nulls?: 'last') {
    this.by = by;
    this.nulls = nulls;
  }
}

/** A page, and the fields requested when it was loaded. */
interface LoadedPage<T> extends Page<T> {
  request?: PageRequest;
}

/** Loads the requested page of a list from the database. Its cursors hold the sort keys of records. Throws ValidationFailed. */
export async function loadPage<T>(
  args: PageArgs,
  info: GraphQLResolveInfo,
  load: (page: PageRequest) => Promise<Page<T>>,
): Promise<LoadedPage<T>> {
  const asked = askedOf(info);
  const isBackwards = args.last != null && args.first == null;
  const request: PageRequest = {
    limit: isBackwards ? size('last', args.last ?? 0) : forwards(args),
    offset: natural('offset', args.offset ?? 0),
    withTotal: asked.total,
    countUpTo: countedUpTo(info),
    after: placeOf('after', args.after),
    before: placeOf('before', args.before),
    isBackwards,
    withPlaces: asked.places,
    order: chosen(args),
    only: narrowings(args.filter, info),
  };
  return { ...(await load(request)), request };
}

/**
 * Like `loadPage`, for lists without columns: from git, or combined from several tables. Its cursors are offsets.
 *
 * @param isLongCount whether counting takes long: pages without a total then have one that only says whether more follows
 */
export async function loadCountedPage<T>(
  args: PageArgs,
  info: GraphQLResolveInfo,
  load: (page: PageRequest) => Promise<Page<T>>,
  isLongCount = false,
): Promise<LoadedPage<T>> {
  const asked = askedOf(info);
  const withTotal = asked.total || (asked.places && !isLongCount);
  const [order, countUpTo] = [chosen(args), countedUpTo(info)];
  const start = args.after == null ? natural('offset', args.offset ?? 0) : countOf('after', args.after) + 1;
  if (args.last == null || args.first != null) {
    const end = args.before == null ? Number.POSITIVE_INFINITY : countOf('before', args.before);
    return load({
      offset: start,
      limit: Math.max(0, Math.min(forwards(args), end - start)),
      withTotal,
      countUpTo,
      order,
    });
  }
  const last = size('last', args.last);
  const total = (await load({ offset: 0, limit: 0, withTotal: true })).total ?? 0;
  const end = args.before == null ? total : Math.min(total, countOf('before', args.before));
  const offset = Math.max(start, end - last, 0);
  return load({ offset, limit: Math.max(0, end - offset), withTotal, order });
}

/** How far the total of the list at this place is counted, if that is limited. */
function countedUpTo({ path }: GraphQLResolveInfo): number | undefined {
  const counted = currentBudget()?.counted;
  if (!counted) return undefined;
  const keys = responsePathAsArray(path);
  return keys.length === counted.at.length && keys.every((key, index) => key === counted.at[index])
    ? counted.upTo
    : undefined;
}

function chosen({ orderBy, sort }: PageArgs): ChosenOrder | undefined {
  if (!(orderBy instanceof ListOrder)) return undefined;
  return { by: orderBy.by, direction: sort === 'desc' ? 'desc' : 'asc', nulls: orderBy.nulls };
}

function forwards({ first, limit }: PageArgs): number {
  return size(first == null ? 'limit' : 'first', first ?? limit ?? DEFAULT_LIMIT);
}

function size(name: string, value: number): number {
  return Math.min(natural(name, value), MAX_LIMIT);
}

function natural(name: string, value: number): number {
  if (value < 0) throw new ValidationFailed({ [name]: ['must not be negative'] });
  return value;
}

function follows({ nodes, offset, total, hasMore = false, request }: LoadedPage<unknown>): boolean {
  if (!request) return offset + nodes.length < (total ?? 0);
  return request.isBackwards ? request.before !== undefined : hasMore;
}

function precedes({ offset, hasMore = false, request }: LoadedPage<unknown>): boolean {
  if (request?.isBackwards) return hasMore;
  return offset > 0 || request?.after !== undefined;
}

/** Characters of the longest cursor, which may contain long names of records. */
const MAX_CURSOR_LENGTH = 4096;

/** The cursor of a place in the order of a list. */
export function cursorOf(place: CursorPosition | undefined): string {
  return encoded(JSON.stringify(place));
}

function cursorAt({ offset, places }: Page<unknown>, index: number): string {
  return places ? cursorOf(places[index]) : encoded(`offset:${offset + index}`);
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function placeOf(name: string, cursor: string | null | undefined): CursorPosition | undefined {
  if (cursor == null) return undefined;
  try {
    const place = parseJson(Buffer.from(decoded(cursor)));
    if (typeof place === 'object' && place !== null && !Array.isArray(place)) return place as CursorPosition;
  } catch {
    // Reported below.
  }
  throw notACursor(name);
}

function countOf(name: string, cursor: string): number {
  const match = /^offset:(\d{1,9})$/.exec(decoded(cursor));
  if (!match) throw notACursor(name);
  return Number(match[1]);
}

function decoded(cursor: string): string {
  return cursor.length > MAX_CURSOR_LENGTH ? '' : Buffer.from(cursor, 'base64url').toString();
}

function notACursor(name: string): ValidationFailed {
  return new ValidationFailed({ [name]: ['is not a cursor of this list'] });
}

/** What a document requests of a page besides its records. */
interface Asked {
  total: boolean;
  /** Cursors, and whether there are more pages. */
  places: boolean;
}

const asked = new WeakMap<object, ReadonlyMap<string, FieldNode>>();

function askedOf({ fieldNodes, fragments, variableValues }: GraphQLResolveInfo): Asked {
  const wants = (field: string) =>
    fieldNodes.some(({ selectionSet }) => {
      const node = selectionSet && fieldsOf(selectionSet, fragments).get(field);
      return node && getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if !== false;
    });
  return { total: wants('totalCount'), places: wants('pageInfo') || wants('edges') };
}

/** The fields in a selection by their names; cached for repeated documents. */
function fieldsOf(set: SelectionSetNode, fragments: GraphQLResolveInfo['fragments']): ReadonlyMap<string, FieldNode> {
  const known = asked.get(set);
  if (known) return known;
  const fields = set.selections.flatMap((selection): (readonly [string, FieldNode])[] => {
    if (selection.kind === 'Field') return [[selection.name.value, selection]];
    const inner =
      selection.kind === 'InlineFragment' ? selection.selectionSet : fragments[selection.name.value]?.selectionSet;
    return inner ? [...fieldsOf(inner, fragments)] : [];
  });
  const found = new Map(fields);
  asked.set(set, found);
  return found;
}
