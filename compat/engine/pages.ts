import { Kind, type SelectionNode, type SelectionSetNode } from 'graphql';
import { constant, list, name, names, object } from '#compat/engine/entries.ts';
import {
  type CoreArgs,
  type Entry,
  type Given,
  type Named,
  type Row,
  type Run,
  type Site,
  type Table,
  type View,
  viewOf,
} from '#compat/engine/table.ts';

/** Records of a page at most, and where no number is given; larger numbers are cut without an error. */
export const MAX_PAGE = 100;

/** A connection of the core graph, page by page. */
export function connection(field: string, view: Named, args: CoreArgs = {}): Entry {
  const call = (site: Site): CoreArgs => ({ ...(countsOnly(site) ? NO_RECORDS : PAGING), ...args });
  return {
    select: (site) => [site.call(field, call(site), site.inside(connectionTable(viewOf(view), site)))],
    shape: (site) => {
      const key = site.keyOf(field, call(site));
      const inner = site.object(connectionTable(viewOf(view), site));
      return (row, run) => (row[key] == null ? null : inner(row[key] as Row, run));
    },
  };
}

/** A list that is made of what is read of a record, as a connection. */
export interface Listing {
  /** Selects what the records of the list are made of, of which this is selected. */
  select(site: Site, inside: readonly SelectionNode[]): readonly SelectionNode[];
  /** The whole list; null where there is none. */
  items(row: Row, site: Site, run: Run): readonly Row[] | null;
}

/** A list as a connection, whose pages are cut from it. */
export function listing({ select, items }: Listing, view: Named): Entry {
  return {
    select: (site) => select(site, site.inside(pageTable(viewOf(view), site))),
    shape: (site) => {
      const inner = site.object(pageTable(viewOf(view), site));
      return (row, run) => {
        const all = items(row, site, run);
        return all && inner(pageOf(all, run.given(site)), run);
      };
    },
  };
}

/** A plain list of the core record as a connection: `assignees`, or of what each of its records has: `approvals.user`. */
export function listed(path: string, view: Named): Entry {
  const [field = '', ...below] = path.split('.');
  return listing(
    {
      select: (site, inside) => {
        const inner = below.reduceRight<readonly SelectionNode[]>((set, key) => [site.call(key, null, set)], inside);
        return [site.call(field, null, inner)];
      },
      items: (row) => {
        const records = row[field] as Row[] | null | undefined;
        return records?.map((one) => below.reduce((at, key) => (at[key] ?? {}) as Row, one)) ?? null;
      },
    },
    view,
  );
}

/** The records of the first page of a connection of the core graph, as a plain list. */
export function nodes(field: string, view: Named, args: CoreArgs = {}): Entry {
  const call: CoreArgs = { first: () => MAX_PAGE, ...args };
  return {
    select: (site) => [site.call(field, call, [site.call('nodes', null, site.inside(viewOf(view)))])],
    shape: (site) => {
      const key = site.keyOf(field, call);
      const inner = site.object(viewOf(view));
      return (row, run) => (row[key] as { nodes: Row[] } | null | undefined)?.nodes.map((one) => inner(one, run));
    },
  };
}

/** A list of which there is nothing here. */
export function empty(view: Named): Entry {
  return listing({ select: () => [], items: () => [] }, view);
}

const size = (given: unknown) => Math.min(Math.max(Number(given ?? MAX_PAGE), 0), MAX_PAGE);

const PAGING: CoreArgs = {
  first: ({ first, last }) => (first == null && last != null ? undefined : size(first)),
  last: ({ first, last }) => (first == null && last != null ? size(last) : undefined),
  // An empty cursor is the beginning.
  after: ({ after }) => after || undefined,
  before: ({ before }) => before || undefined,
};

/** Where nothing but the number of all records is wanted, none is read. */
const NO_RECORDS: CoreArgs = { first: () => 0 };

function countsOnly({ nodes }: Site): boolean {
  const counts = ({ selections }: SelectionSetNode): boolean =>
    selections.every((one) => {
      if (one.kind === Kind.FIELD) return one.name.value === 'count' || one.name.value === '__typename';
      return one.kind === Kind.INLINE_FRAGMENT && counts(one.selectionSet);
    });
  return nodes.every(({ selectionSet }) => selectionSet !== undefined && counts(selectionSet));
}

const pageInfo: Table = {
  type: 'PageInfo',
  core: 'PageInfo',
  fields: names('endCursor', 'hasNextPage', 'hasPreviousPage', 'startCursor'),
};

/** The table of the connection type of a field, for a connection of the core graph. */
function connectionTable(view: View, site: Site): Table {
  const [type, edge] = typesOf(site);
  const core = coreOf(view);
  const edges: Table = {
    type: edge,
    core: `${core}Edge`,
    fields: { cursor: name('cursor'), node: object('node', view) },
  };
  const fields = {
    count: name('totalCount'),
    nodes: list('nodes', view),
    edges: list('edges', edges),
    pageInfo: object('pageInfo', pageInfo),
  };
  return { type, core: `${core}Connection`, fields };
}

/** The table of the connection type of a field, for a page that was cut from a list. */
function pageTable(view: View, site: Site): Table {
  const [type, edge] = typesOf(site);
  const core = coreOf(view);
  const node: Entry = {
    select: (inner) => inner.inside(view),
    shape: (inner) => {
      const make = inner.object(view);
      return ({ record }, run) => make(record as Row, run);
    },
  };
  const edges: Table = {
    type: edge,
    core,
    fields: { cursor: { ...constant(null), shape: () => (row) => row.cursor }, node },
  };
  const info: Table = { ...pageInfo, core, fields: Object.fromEntries(Object.keys(pageInfo.fields).map(ofPage)) };
  const each = (make: (inner: Site) => readonly SelectionNode[], table: View, of: (edge: Row) => Row): Entry => ({
    select: make,
    shape: (inner) => {
      const one = inner.object(table);
      return ({ edges: all }, run) => (all as Row[]).map((edge) => one(of(edge), run));
    },
  });
  const fields = {
    count: { select: () => [], shape: () => (row: Row) => row.count },
    nodes: each(
      (inner) => inner.inside(view),
      view,
      ({ record }) => record as Row,
    ),
    edges: each(
      (inner) => inner.inside(edges),
      edges,
      (edge) => edge,
    ),
    pageInfo: { select: () => [], shape: (inner: Site) => inner.object(info) },
  };
  return { type, core, fields };
}

function ofPage(key: string): [string, Entry] {
  return [key, { select: () => [], shape: () => (row) => row[key] }];
}

/** A page of a list, as the first page table reads it. Cursors are places in the list. */
function pageOf(all: readonly Row[], { first, last, after, before }: Given): Row {
  const isBackwards = first == null && last != null;
  const begin = after ? placeOf(after, -1) + 1 : 0;
  const end = before ? Math.min(placeOf(before, all.length), all.length) : all.length;
  const from = isBackwards ? Math.max(begin, end - size(last)) : begin;
  const to = isBackwards ? end : Math.min(end, begin + size(first));
  const edges = all
    .slice(from, Math.max(from, to))
    .map((record, index) => ({ record, cursor: cursorAt(from + index) }));
  return {
    edges,
    count: all.length,
    startCursor: edges.at(0)?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
    hasNextPage: to < all.length,
    hasPreviousPage: from > 0,
  };
}

function cursorAt(place: number): string {
  return Buffer.from(`place:${place}`).toString('base64url');
}

function placeOf(cursor: string, otherwise: number): number {
  const [, place] = /^place:(\d{1,9})$/.exec(Buffer.from(cursor.slice(0, 100), 'base64url').toString()) ?? [];
  return place === undefined ? otherwise : Number(place);
}

function typesOf({ field }: Site): [connection: string, edge: string] {
  const type = String(field.type).replaceAll(/[[\]!]/g, '');
  return [type, type.replace(/Connection$/, 'Edge')];
}

function coreOf(view: View): string {
  return 'tables' in view ? (view.tables[0]?.core ?? '') : view.core;
}
