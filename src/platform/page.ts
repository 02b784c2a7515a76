import { ValidationFailed } from './errors.ts';

/** Where a record stands in the order of its list: the values of the columns of the order, by their names in the database. */
export type CursorPosition = Readonly<Record<string, unknown>>;

/** An order among those that a list offers: columns of its records, the last of which tells all of them apart. */
export interface ChosenOrder {
  by: readonly string[];
  direction: Direction;
  /** Where records are without a value of the first column. */
  nulls?: 'last' | undefined;
}

/** A condition for the records of a list: a column of them, and what it is compared with. */
export interface Narrowing {
  column: string;
  /** `from` and `until` compare moments, both ends included. */
  is: 'equal' | 'contains' | 'from' | 'until' | 'at_least';
  value: string | number | boolean;
}

/** Which part of a list is wanted. */
export interface PageRequest {
  /** How many records at most. */
  limit: number;
  /** How many to pass over first. */
  offset: number;
  /** Whether the total is wanted too. */
  withTotal: boolean;
  /** How far the total is counted: one more stands for any number above. All are counted when absent. */
  countUpTo?: number | undefined;
  /** Only what stands behind this place; there need be no record any more. */
  after?: CursorPosition | undefined;
  /** Only what stands before it. */
  before?: CursorPosition | undefined;
  /** Whether the last records are wanted rather than the first. */
  isBackwards?: boolean | undefined;
  /** The order that the reader chose, in place of the list's own. */
  order?: ChosenOrder | undefined;
  /** Only records that meet all of these. */
  only?: readonly Narrowing[] | undefined;
  /** Whether the places of the records are wanted too, and whether there are more in that direction. */
  withPlaces?: boolean | undefined;
}

/** A part of a list. */
export interface Page<T> {
  nodes: T[];
  offset: number;
  /** How many there are in all, as far as the actor may see and as they were counted; null when not asked for. */
  total: number | null;
  /** The places of the nodes, where they are asked for and the list has such. */
  places?: readonly CursorPosition[];
  /** Whether there are more in the direction of the request, if places are asked for. */
  hasMore?: boolean;
}

/** The part of a list that is at hand as a whole. */
export function pageOf<T>(list: readonly T[], { limit, offset }: PageRequest): Page<T> {
  return { nodes: list.slice(offset, offset + limit), offset, total: list.length };
}

/**
 * The part of a list that is at hand as a whole, in the order of names that tell its records apart. `rows` makes records of what
 * is on the page, and may leave some out.
 *
 * @throws ValidationFailed for places that are of another list
 */
export async function pageByName<T extends { name: string }, Row extends { name: string }>(
  list: readonly T[],
  page: PageRequest,
  rows: (part: T[]) => Promise<Row[]>,
): Promise<Page<Row>> {
  const start = page.after ? behind(list, nameOf('after', page.after)) : 0;
  const end = page.before ? inFrontOf(list, nameOf('before', page.before)) : list.length;
  const { limit, offset } = page;
  const from = page.isBackwards ? Math.max(start, end - offset - limit) : start + offset;
  const to = page.isBackwards ? end - offset : Math.min(end, from + limit);
  const nodes = await rows(list.slice(from, Math.max(from, to)));
  const places = nodes.map(({ name }) => ({ name }));
  return { nodes, offset, total: list.length, places, hasMore: page.isBackwards ? from > start : to < end };
}

/**
 * Those with a text in their names, in any case; all without one. `^` before the text stands for the beginning of the name, `$` behind it
 * for the end.
 */
export function named<T extends { name: string }>(list: readonly T[], search: string | null | undefined): readonly T[] {
  const [, begins = '', wanted = '', ends = ''] = /^(\^?)(.*?)(\$?)$/s.exec(search?.toLowerCase() ?? '') ?? [];
  if (wanted === '') return list;
  return list.filter(({ name: given }) => {
    const name = given.toLowerCase();
    if (begins && ends) return name === wanted;
    if (begins) return name.startsWith(wanted);
    return ends ? name.endsWith(wanted) : name.includes(wanted);
  });
}

function nameOf(parameter: string, { name }: CursorPosition): string {
  if (typeof name !== 'string') throw new ValidationFailed({ [parameter]: ['is not a cursor of this list'] });
  return name;
}

/** Where what follows a name begins; also if there is no such name any more. */
function behind(list: readonly { name: string }[], wanted: string): number {
  const at = list.findIndex(({ name }) => name === wanted);
  return at < 0 ? inFrontOf(list, wanted) : at + 1;
}

/** Where what precedes a name ends. */
function inFrontOf(list: readonly { name: string }[], wanted: string): number {
  const known = list.findIndex(({ name }) => name === wanted);
  if (known >= 0) return known;
  const isDescending = (list[0]?.name ?? '') > (list.at(-1)?.name ?? '');
  const at = list.findIndex(({ name }) => (isDescending ? name < wanted : name > wanted));
  return at < 0 ? list.length : at;
}

export type Direction = 'asc' | 'desc';
