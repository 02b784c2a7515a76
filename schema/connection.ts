import type { ObjectRef, OutputShape } from '@pothos/core';
import { GraphQLError, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** How many records a page has when nothing is said, and at most (rest-api-v4.md, Limits). */
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
  description: 'Where a page lies in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more follows.',
      resolve: ({ nodes, offset, total }) => offset + nodes.length < (total ?? 0),
    }),
    hasPreviousPage: t.boolean({ description: 'Whether something comes before.', resolve: ({ offset }) => offset > 0 }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first record.',
      resolve: ({ nodes, offset }) => (nodes.length > 0 ? toCursor(offset) : null),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last record.',
      resolve: ({ nodes, offset }) => (nodes.length > 0 ? toCursor(offset + nodes.length - 1) : null),
    }),
  }),
});

/** The connection and edge types over a node type. */
export function connectionOf<T>(name: string, node: ObjectRef<typeof builder.$inferSchemaTypes, T, T>) {
  const Edge = builder.objectRef<{ node: T; cursor: string }>(`${name}Edge`).implement({
    description: `A ${name} at its place in a list.`,
    fields: (t) => ({
      node: t.field({
        type: node,
        description: 'The record.',
        resolve: (edge) => edge.node as OutputShape<never, never>,
      }),
      cursor: t.exposeString('cursor', { description: 'Its place, for `after` and `before`.' }),
    }),
  });
  return builder.objectRef<Page<T>>(`${name}Connection`).implement({
    description: `A page of a list of ${name}.`,
    fields: (t) => ({
      nodes: t.field({ type: [node], description: 'The records of the page.', resolve: (page) => page.nodes as never }),
      edges: t.field({
        type: [Edge],
        description: 'The records with their cursors.',
        resolve: ({ nodes, offset }) => nodes.map((node, index) => ({ node, cursor: toCursor(offset + index) })),
      }),
      pageInfo: t.field({ type: PageInfo, description: 'Where the page lies.', resolve: (page) => page }),
      totalCount: t.int({ description: 'How many records there are in all.', resolve: ({ total }) => total ?? 0 }),
    }),
  });
}

/** The arguments of every connection: cursors, or `limit` and `offset`. */
export const pageArgs = builder.args((t) => ({
  first: t.int({ description: `How many records from the start, or after \`after\` (at most ${MAX_LIMIT}).` }),
  after: t.string({ description: 'Only records after this cursor.' }),
  last: t.int({ description: `How many records from the end, or before \`before\` (at most ${MAX_LIMIT}).` }),
  before: t.string({ description: 'Only records before this cursor.' }),
  limit: t.int({
    description: `How many records where neither \`first\` nor \`last\` is given (at most ${MAX_LIMIT}; ${DEFAULT_LIMIT} when left out).`,
  }),
  offset: t.int({
    required: true,
    defaultValue: 0,
    description: 'How many records to pass over first, without `after`.',
  }),
}));

export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
}

/** Loads the page that the arguments name. `last` without `before` counts first. Throws BAD_USER_INPUT errors. */
export async function loadPage<T>(
  args: PageArgs,
  info: GraphQLResolveInfo,
  load: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const withTotal = asksForTotal(info);
  const start = args.after == null ? natural('offset', args.offset ?? 0) : fromCursor('after', args.after) + 1;
  if (args.last == null) {
    const end = args.before == null ? Number.POSITIVE_INFINITY : fromCursor('before', args.before);
    const limit = size(args.first == null ? 'limit' : 'first', args.first ?? args.limit ?? DEFAULT_LIMIT);
    return load({ offset: start, limit: Math.max(0, Math.min(limit, end - start)), withTotal });
  }
  const last = size('last', args.last);
  const total = (await load({ offset: 0, limit: 0, withTotal: true })).total ?? 0;
  const end = args.before == null ? total : Math.min(total, fromCursor('before', args.before));
  const offset = Math.max(start, end - last, 0);
  return load({ offset, limit: Math.max(0, end - offset), withTotal });
}

function size(name: string, value: number): number {
  return Math.min(natural(name, value), MAX_LIMIT);
}

function natural(name: string, value: number): number {
  if (value < 0) throw badInput(`${name} must not be negative`);
  return value;
}

function toCursor(offset: number): string {
  return Buffer.from(`offset:${offset}`).toString('base64url');
}

function fromCursor(name: string, cursor: string): number {
  const match = /^offset:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw badInput(`${name} is not a cursor of this list`);
  return Number(match[1]);
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}

const asked = new WeakMap<object, boolean>();

/** Whether the selection of the field holds `totalCount` or `pageInfo`; remembered for documents that run again. */
function asksForTotal({ fieldNodes, fragments }: GraphQLResolveInfo): boolean {
  return fieldNodes.some((node) => {
    if (!node.selectionSet) return false;
    const known = asked.get(node);
    if (known !== undefined) return known;
    const names = (set: SelectionSetNode): boolean =>
      set.selections.some((selection) => {
        if (selection.kind === 'Field') return ['totalCount', 'pageInfo'].includes(selection.name.value);
        if (selection.kind === 'InlineFragment') return names(selection.selectionSet);
        const inner = fragments[selection.name.value]?.selectionSet;
        return inner !== undefined && names(inner);
      });
    const result = names(node.selectionSet);
    asked.set(node, result);
    return result;
  });
}
