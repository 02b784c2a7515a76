import { computedField, type Row, relationOf } from './computed_fields.ts';
import { factsOf, type ModelName, type Relations } from './model.ts';

/** What is to be read of a model: names of columns and computed fields, and relations with the same of theirs. */
export type Wanted<M extends ModelName> = { readonly [Name in keyof Row<M>]?: true } & {
  readonly [Name in keyof Relations[M]]?: Relations[M][Name] extends { model: infer Target extends ModelName }
    ? Wanted<Target>
    : never;
};

/** The rows that come of it. */
export type Selected<M extends ModelName, W> = {
  [Name in keyof W]: Name extends keyof Row<M>
    ? Row<M>[Name]
    : Name extends keyof Relations[M]
      ? Related<Relations[M][Name], W[Name]>
      : never;
};

type Related<Relation, W> = Relation extends { model: infer Target extends ModelName; many: infer Many }
  ? Many extends true
    ? Selected<Target, W>[]
    : Selected<Target, W> | (Relation extends { optional: true } ? null : never)
  : never;

/** A part of a selection: null for a column or a computed field, the selection below for a relation. */
type Parts = ReadonlyMap<string, Selection | null>;

/**
 * What a statement reads of the rows of a model. Equal selections have the same `key`, whatever order they were put together
 * in. `R` is the row that comes of it; what comes of a document's is known to the schema alone.
 */
export class Selection<M extends ModelName = ModelName, R = unknown> {
  readonly model: M;
  readonly parts: Parts;
  /** Of all that is selected, in one order. */
  readonly key: string;
  declare readonly row: R;
  readonly #unions = new WeakMap<Selection, Selection>();

  constructor(model: M, parts: Parts) {
    const { columns } = factsOf(model);
    for (const [name, below] of parts) {
      const target = relationOf(model, name)?.model;
      if (below === null ? !(columns[name] || computedField(model, name)) : target !== below.model) {
        throw new Error(`${model} has no ${below ? 'relation' : 'column or value'} ${name}`);
      }
    }
    this.model = model;
    this.parts = new Map([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.key = `${model}(${[...this.parts].map(([name, below]) => (below ? `${name}:${below.key}` : name)).join()})`;
  }

  has(name: string): boolean {
    return this.parts.has(name);
  }

  /** The selection without the parts of these names. */
  without(names: readonly string[]): Selection<M, Partial<R>> {
    const parts = [...this.parts].filter(([name]) => !names.includes(name));
    return parts.length === this.parts.size ? this : new Selection(this.model, new Map(parts));
  }

  /** What either selects: of it and another one of the same model. */
  with<Other>(other: Selection<M, Other>): Selection<M, R & Other> {
    const known = this.#unions.get(other) ?? this.#union(other);
    this.#unions.set(other, known);
    return known as Selection<M, R & Other>;
  }

  #union(other: Selection): Selection {
    const parts = new Map(this.parts);
    for (const [name, below] of other.parts) {
      const own = parts.get(name);
      parts.set(name, own && below ? own.with(below) : below);
    }
    const union = new Selection<ModelName>(this.model, parts);
    return union.key === this.key ? this : union;
  }
}

/** A selection that code makes, with the type of its rows. */
export function select<M extends ModelName, const W extends Wanted<M>>(
  model: M,
  wanted: W,
): Selection<M, Selected<M, W>> {
  const parts = new Map<string, Selection | null>();
  for (const [name, part] of Object.entries(wanted)) {
    const target = factsOf(model).relations[name]?.model;
    if (part !== undefined) parts.set(name, target ? select(target, part as Wanted<ModelName>) : null);
  }
  return new Selection(model, parts);
}
