import type { Prisma } from '#src/platform/db.ts';
import type { Alias } from './alias.ts';
import type { Columns, ModelName } from './model.ts';

/**
 * What is worked out of a row beside its columns, by models. Rooms add the values of theirs (`declare module`), with the
 * types that they have in JSON.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add to it
export interface OwnValues {}

/** What statements give to values that depend on who asks. Rooms add to it as well. */
export interface Given {
  /** ID of the user who asks; 0 for nobody. */
  actor: number | Prisma.Sql;
}

/** All that can be selected of a model, as it comes as JSON: times and what numbers cannot hold as text. */
export type Row<M extends ModelName> = Columns[M] & (M extends keyof OwnValues ? OwnValues[M] : unknown);

export interface Tools {
  /** What the statement gives. Those that select such a value without giving it throw. */
  given(name: keyof Given): Prisma.Sql;
  /** Whether the statement gives it: for what is known of all rows, and found for each of them otherwise. */
  isGiven(name: keyof Given): boolean;
  /** The alias of a table that belongs to the row, as several values read it: joined once under that key. */
  lateral(key: string, table: () => Prisma.Sql): Prisma.Sql;
}

export type ValueSql<M extends ModelName> = (row: Alias<M>, tools: Tools) => Prisma.Sql;

const declared = new Map<string, Readonly<Record<string, ValueSql<never>>>>();

/** Declares the own values of a model, each as SQL over the alias of its row. Their types stand in OwnValues. */
export function ownValues<M extends ModelName & keyof OwnValues>(
  model: M,
  values: { readonly [Name in keyof OwnValues[M]]: ValueSql<M> },
): void {
  declared.set(model, values);
}

export function ownValue<M extends ModelName>(model: M, name: string): ValueSql<M> | undefined {
  const values = declared.get(model);
  return values && Object.hasOwn(values, name) ? (values[name] as ValueSql<M> | undefined) : undefined;
}
