import type { Prisma } from '#src/platform/database/db.ts';
import type { Alias } from './alias.ts';
import type { ComputedFields, Params } from './computed_types.ts';
import { type Columns, factsOf, type ModelName, type RelationFacts } from './model.ts';

/** All that can be selected of a model, as it comes as JSON: times and what numbers cannot hold as text. */
export type Row<M extends ModelName> = Columns[M] & (M extends keyof ComputedFields ? ComputedFields[M] : unknown);

export interface Tools {
  /** SQL that is written anew for each statement, from its parameters. Reading throws if one is missing. */
  params(write: (params: Params) => Prisma.Sql): Prisma.Sql;
  /** Whether the statement has a parameter: for what is known of all rows, and found for each of them otherwise. */
  hasParam(name: keyof Params): boolean;
  /** The alias of a table that belongs to the row, as several values read it: joined once under that key. */
  lateral(key: string, table: () => Prisma.Sql): Prisma.Sql;
  /**
   * As `lateral`, of one row that sums up many: in the first level of a list it is worked out for all its rows at once. Where
   * there are none its values may be null.
   */
  summed(key: string, sum: Sum): Prisma.Sql;
  /** The row of a relation to one, under the alias that the selection of that relation reads too; it may be missing. */
  related<M extends ModelName>(relation: string, model: M): Alias<M>;
}

/** What is summed up for a row: aggregates over rows that point to it. */
export interface Sum {
  select: Prisma.Sql;
  from: Prisma.Sql;
  /** Speaks of nothing but what stands in `from`. */
  where: Prisma.Sql;
  /** Which rows: those where this has the value of that column of the row. */
  by: Prisma.Sql;
  of: string;
}

export type ValueSql<M extends ModelName> = (row: Alias<M>, tools: Tools) => Prisma.Sql;

const declared = new Map<string, Readonly<Record<string, ValueSql<never>>>>();

/** Declares the computed fields of a model, each as SQL over the alias of its row. */
export function computedFields<M extends ModelName & keyof ComputedFields>(
  model: M,
  values: { readonly [Name in keyof ComputedFields[M]]: ValueSql<M> },
): void {
  declared.set(model, values);
}

export function computedField<M extends ModelName>(model: M, name: string): ValueSql<M> | undefined {
  const values = declared.get(model);
  return values && Object.hasOwn(values, name) ? (values[name] as ValueSql<M> | undefined) : undefined;
}

const relations = new Map<ModelName, ReadonlyMap<string, RelationFacts>>();

/**
 * Declares relations of a model to users that prisma/schema has no foreign key for: each by the column or computed field that
 * holds the ID of the user, who may be missing.
 */
export function relationsToUsers<M extends ModelName>(
  model: M,
  byName: Readonly<Record<string, keyof Row<M> & string>>,
): void {
  const toUser = (by: string): RelationFacts => {
    return { model: 'User', isMany: false, isOptional: true, from: [by], to: ['id'] };
  };
  relations.set(model, new Map(Object.entries(byName).map(([name, by]) => [name, toUser(by)])));
}

/** A relation of a model, of prisma/schema or declared. */
export function relationOf(model: ModelName, name: string): RelationFacts | undefined {
  return factsOf(model).relations[name] ?? relations.get(model)?.get(name);
}
