import { Prisma } from '#src/platform/database/db.ts';
import { type Columns, factsOf, type ModelName } from './model.ts';

/** Stands for the table with its alias, as it is written behind FROM. */
const TABLE = Symbol('table');
/** Stands for all columns. */
const WHOLE = Symbol('whole');
/** Stands for a value that rows are ordered by beside their columns. */
const KEY = Symbol('key');

/** The name of that value. */
export const SORT_KEY = 'sort_key';

/** A table of a statement under its alias: its columns, by Prisma's names, as SQL. */
export type Alias<M extends ModelName> = { readonly [Column in keyof Columns[M]]: Prisma.Sql } & {
  readonly [TABLE]: Prisma.Sql;
  readonly [WHOLE]: Prisma.Sql;
  readonly [KEY]: Prisma.Sql;
};

/** The table of a model under an alias. Names that are no columns throw. */
export function alias<M extends ModelName>(model: M, name: string): Alias<M> {
  const { table, columns } = factsOf(model);
  const known = new Map<string | symbol, Prisma.Sql>([
    [TABLE, Prisma.raw(`"${table}" ${name}`)],
    [WHOLE, Prisma.raw(`${name}.*`)],
    [KEY, Prisma.raw(`${name}.${SORT_KEY}`)],
  ]);
  return new Proxy({} as Alias<M>, {
    get(_, property) {
      const found = known.get(property);
      if (found) return found;
      const column = typeof property === 'string' ? columns[property] : undefined;
      if (!column) throw new Error(`${model} has no column ${String(property)}`);
      const made = Prisma.raw(`${name}."${column.name}"`);
      known.set(property, made);
      return made;
    },
  });
}

/** A table with its alias, as it is written behind FROM and JOIN. */
export function table(of: Alias<ModelName>): Prisma.Sql {
  return of[TABLE];
}

/** The whole row of a table, as it is written behind SELECT. */
export function whole(of: Alias<ModelName>): Prisma.Sql {
  return of[WHOLE];
}

/** The value that the rows have beside their columns to be ordered by. */
export function sortKey(of: Alias<ModelName>): Prisma.Sql {
  return of[KEY];
}
