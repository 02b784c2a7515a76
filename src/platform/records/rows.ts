import { LRUCache } from 'lru-cache';
import { PLACE, Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from './alias.ts';
import { asColumns, asJson, asObject, type Pair } from './as_json.ts';
import { computedField, relationOf, type Sum, type Tools } from './computed_fields.ts';
import type { ComputedFields, Params } from './computed_types.ts';
import { factsOf, type ModelName, type RelationFacts } from './model.ts';
import type { Selection } from './selection.ts';

const { sql, raw, join } = Prisma;

/** Where rows come from. */
export interface Source<M extends ModelName> {
  /** A statement for whole rows of the table. */
  from: Prisma.Sql;
  /** The order of the array. That of `from` does not last: a join may read its rows in another one. */
  order: (row: Alias<M>) => Prisma.Sql;
  /** A JSON object added to each row, such as its place in the order (PLACE). */
  place?: ((row: Alias<M>) => Prisma.Sql) | undefined;
  params?: Partial<Params>;
  /** A computed field that must hold, of type boolean; it shares the joins of the others. */
  filterBy?: M extends keyof ComputedFields ? keyof ComputedFields[M] & string : never;
}

/** An expression for a JSON array of rows, with what is selected of them. */
export function rowsJson<M extends ModelName>(selection: Selection<M>, source: Source<M>): Prisma.Sql {
  const { row, text } = compiled(selection, source);
  const params = required(selection, source.params);
  const values = text.values.map((value: unknown) => {
    if (value === FROM) return source.from;
    if (value === ORDER) return source.order(row as Alias<M>);
    if (value === PLACED) return source.place?.(row as Alias<M>) ?? raw('NULL');
    return value instanceof Gap ? value.write(params) : value;
  });
  return sql(text.strings, ...values);
}

/** Characters that are kept by now. */
export function kept(): number {
  return known.calculatedSize;
}

function required({ model }: Selection, params: Partial<Params> = {}): Params {
  return new Proxy(params as Params, {
    get(_, name) {
      const value = Reflect.get(params, name);
      if (value !== undefined) return value;
      throw new Error(`What is selected of ${model} depends on ${String(name)}, which is not given`);
    },
  });
}

/** What stands in a compiled text for SQL that each statement writes. */
class Gap {
  readonly write: (params: Params) => Prisma.Sql;
  constructor(write: (params: Params) => Prisma.Sql) {
    this.write = write;
  }
}
const FROM = Symbol('from');
const ORDER = Symbol('order');
const PAGE = Symbol('page');
const PLACED = Symbol('placed');

const gap = (value: Gap | symbol) => sql`${value as never}`;

interface Compiled {
  row: Alias<ModelName>;
  text: Prisma.Sql;
}

/** Characters of texts that are kept: clients make up selections. */
export const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;

/** By keys of selections. */
const known = new LRUCache<string, Compiled>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: ({ text }, key) => key.length + text.strings.reduce((sum, part) => sum + part.length, 0),
});

function compiled(
  selection: Selection,
  { params = {}, filterBy, place }: { params?: Partial<Params>; filterBy?: string; place?: unknown },
): Compiled {
  const key = `${selection.key} ${Object.keys(params).join()} ${filterBy ?? ''}${place ? ' placed' : ''}`;
  let found = known.get(key);
  if (!found) {
    const row = alias(selection.model, 't0');
    const order = sql`ORDER BY ${gap(ORDER)}`;
    const rest = (tools: Tools) => {
      const condition = filterBy && computedField(selection.model, filterBy)?.(row, tools);
      return condition ? sql`WHERE ${condition} ${order}` : order;
    };
    const rows = new Writer(params).page(selection, 't0', sql`${gap(FROM)}`, rest, place ? [[PLACE, gap(PLACED)]] : []);
    found = { row, text: rows };
    known.set(key, found);
  }
  return found;
}

/** A row in its statement, and what is joined to it. */
interface Place {
  row: Row;
  joins: Prisma.Sql[];
  /** The row of a relation to one, joined once. */
  related(part: string): { name: string; row: Row; isNullable: boolean };
  tools: Tools;
}

/** Where a row is read. */
interface Position {
  /** Whether it may be missing: below an outer join all are outer. */
  isOuter: boolean;
  /** Gives the statement that it comes from with others a name, if it comes from one. */
  page?: (() => Prisma.Sql) | undefined;
}

/** Writes the statement of a selection, whose tables it calls t0, t1, … */
class Writer {
  readonly #params: Partial<Params>;
  #count = 1;

  /** @param params the names of the parameters of statements; their values differ from one to the next */
  constructor(params: Partial<Params>) {
    this.#params = params;
  }

  /** A JSON array of the rows of a statement, under an alias; `rest` stands behind what is joined. */
  page(
    selection: Selection,
    name: string,
    from: Prisma.Sql,
    rest: (tools: Tools) => Prisma.Sql,
    beside: Pair[],
  ): Prisma.Sql {
    const page = raw(`${name}_page`);
    let isNamed = false;
    // Written last: what it holds says whether the page needs a name.
    const named = () => {
      isNamed = true;
      return page;
    };
    const rows = this.#list(selection, name, sql`${gap(PAGE)}`, rest, { page: named, beside });
    const source = isNamed ? sql`${page} ${raw(name)}` : sql`(${from}) ${raw(name)}`;
    const list = sql(rows.strings, ...rows.values.map((value: unknown) => (value === PAGE ? source : value)));
    return isNamed ? sql`(WITH ${page} AS MATERIALIZED (${from}) SELECT ${list})` : list;
  }

  /** A JSON array of the rows under an alias: `from` names them, `page` the statement that all of them come from. */
  #list(
    selection: Selection,
    name: string,
    from: Prisma.Sql,
    rest: (tools: Tools) => Prisma.Sql,
    { page, beside = [] }: { page?: () => Prisma.Sql; beside?: Pair[] } = {},
  ): Prisma.Sql {
    const joins: Prisma.Sql[] = [];
    const place = this.#place(selection.model, name, joins, { isOuter: false, page });
    const columns = asColumns([...this.#pairs(selection, place), ...beside]);
    const behind = rest(place.tools);
    return sql`(SELECT COALESCE(json_agg(row_to_json(r)), '[]') FROM (SELECT ${columns} FROM ${from} ${lines(joins)} ${behind}) r)`;
  }

  #place(model: ModelName, name: string, joins: Prisma.Sql[], { isOuter, page }: Position): Place {
    const row = alias(model, name);
    const joined = new Map<string, ReturnType<Place['related']>>();
    const related = (part: string) => {
      const known = joined.get(part);
      if (known) return known;
      const relation = toOne(model, part);
      const isNullable = isOuter || relation.isOptional;
      const name = `t${this.#count++}`;
      const found = { name, row: alias(relation.model, name), isNullable };
      const isTheirs = belongs(relation, (by) => readOf(model, row, by, tools), found.row);
      joins.push(sql`${raw(isNullable ? 'LEFT JOIN' : 'JOIN')} ${table(found.row)} ON ${isTheirs}`);
      joined.set(part, found);
      return found;
    };
    const rowOf = (part: string, target: ModelName) => {
      if (toOne(model, part).model !== target) throw new Error(`${part} of ${model} is no ${target}`);
      return related(part).row;
    };
    const tools = toolsFor({ row, name, joins, page }, this.#params, rowOf);
    return { row, joins, related, tools };
  }

  #pairs({ model, parts }: Selection, place: Place): Pair[] {
    const { columns, key } = factsOf(model);
    const { row, tools } = place;
    const pair = (part: string, below: Selection | null): Pair => {
      const relation = relationOf(model, part);
      if (below && relation) {
        return [part, relation.isMany ? this.#many(relation, below, row) : this.#one(part, relation, below, place)];
      }
      const column = columns[part];
      const value = readOf(model, row, part, tools);
      return [part, column ? asJson(column, value) : value];
    };
    const selected = [...parts].map(([part, below]) => pair(part, below));
    return selected.length > 0 ? selected : key.map((part) => pair(part, null));
  }

  /** The object of a row that is joined. */
  #one(part: string, { model, to }: RelationFacts, below: Selection, { joins, related }: Place): Prisma.Sql {
    const { name, row, isNullable } = related(part);
    const object = asObject(this.#pairs(below, this.#place(model, name, joins, { isOuter: isNullable })));
    return isNullable ? sql`CASE WHEN ${at(row, to[0])} IS NOT NULL THEN ${object} END` : object;
  }

  /** The array of the rows that point to one, in the order of their keys. */
  #many(relation: RelationFacts, below: Selection, parent: Row): Prisma.Sql {
    const name = `t${this.#count++}`;
    const row = alias(relation.model, name);
    const order = join(factsOf(relation.model).key.map((column) => at(row, column)));
    return this.#list(
      below,
      name,
      table(row),
      () => sql`WHERE ${belongs(relation, (by) => at(parent, by), row)} ORDER BY ${order}`,
    );
  }
}

type Row = Alias<ModelName>;

/** A column by a name that the model itself gives. */
const at = (row: Row, column = ''): Prisma.Sql => Reflect.get(row, column);

const lines = (parts: Prisma.Sql[]) => (parts.length > 0 ? join(parts, '\n') : Prisma.empty);

/** A column or computed field of a row. */
function readOf(model: ModelName, row: Row, name: string, tools: Tools): Prisma.Sql {
  if (factsOf(model).columns[name]) return at(row, name);
  return computedField(model, name)?.(row, tools) ?? raw('NULL');
}

function belongs({ from, to }: RelationFacts, ofParent: (name: string) => Prisma.Sql, row: Row): Prisma.Sql {
  return join(
    from.map((name, index) => sql`${at(row, to[index])} = ${ofParent(name)}`),
    ' AND ',
  );
}

function toOne(model: ModelName, part: string): RelationFacts {
  const relation = relationOf(model, part);
  if (!relation || relation.isMany) throw new Error(`${model} has no relation to one ${part}`);
  return relation;
}

function toolsFor(
  { row, name, joins, page }: Pick<Place, 'row' | 'joins'> & Pick<Position, 'page'> & { name: string },
  params: Partial<Params>,
  related: (part: string, model: ModelName) => Row,
): Tools {
  const shared = new Map<string, Prisma.Sql>();
  const joined = (key: string, write: (found: Prisma.Sql) => Prisma.Sql) => {
    const found = shared.get(key) ?? raw(`${name}_${key}`);
    if (!shared.has(key)) joins.push(sql`LEFT JOIN ${write(found)}`);
    shared.set(key, found);
    return found;
  };
  return {
    params: (write) => gap(new Gap(write)),
    hasParam: (wanted) => params[wanted] !== undefined,
    lateral: (key, rows) => joined(key, (found) => sql`LATERAL (${rows()}) ${found} ON TRUE`),
    summed: (key, sum) =>
      joined(key, (found) => (page ? sumOfAll(sum, page(), row, found) : sumOfOne(sum, row, found))),
    related: <M extends ModelName>(part: string, model: M) => related(part, model) as Alias<M>,
  };
}

function sumOfOne({ select, from, where, by, of }: Sum, row: Row, found: Prisma.Sql): Prisma.Sql {
  return sql`LATERAL (SELECT ${select} FROM ${from} WHERE ${by} = ${at(row, of)} AND ${where}) ${found} ON TRUE`;
}

function sumOfAll({ select, from, where, by, of }: Sum, page: Prisma.Sql, row: Row, found: Prisma.Sql): Prisma.Sql {
  const all = sql`SELECT ${by} AS "key", ${select} FROM ${from} WHERE ${by} IN (SELECT ${at(row, of)} FROM ${page} t0) AND ${where} GROUP BY ${by}`;
  return sql`(${all}) ${found} ON ${found}."key" = ${at(row, of)}`;
}
