import { Prisma } from '#src/platform/database/db.ts';

const { sql, raw, join } = Prisma;

type Value = number | string | boolean | null | readonly string[];

/** A parent as SQL knows it: by its values, or by the columns of a table of parents. */
export type Asked<P> = { readonly [Name in keyof P]: P[Name] | Prisma.Sql };

/**
 * An expression for a JSON array with what `write` makes of each parent, in their order: of a single one by its values, of
 * several by the columns of a table of them, so that one statement reads the lists below all.
 *
 * @param types of the values, in PostgreSQL
 * @param common subqueries that stand behind WITH, of which there is one for all parents
 */
export function perParent<P extends Readonly<Record<string, Value>>>(
  parents: readonly P[],
  types: { readonly [Name in keyof P]: 'int' | 'text' | 'boolean' | 'text[]' },
  write: (parent: Asked<P>) => Prisma.Sql,
  common: Prisma.Sql[] = [],
): Prisma.Sql {
  const along = common.length > 0 ? sql`WITH ${join(common, ', ')}` : Prisma.empty;
  const [only] = parents;
  if (parents.length === 1 && only) return sql`(${along} SELECT json_build_array(${write(only)}))`;
  const names = Object.keys(types);
  const columns = Object.fromEntries(names.map((name) => [name, raw(`parent."${name}"`)])) as Asked<P>;
  const typed = raw(names.map((name) => `"${name}" ${types[name]}`).join(', '));
  const named = raw(names.map((name) => `"${name}"`).join(', '));
  return sql`(${along} SELECT COALESCE(json_agg(child.list ORDER BY parent.place), '[]')
    FROM ROWS FROM (json_to_recordset(${JSON.stringify(parents)}::json) AS (${typed})) WITH ORDINALITY AS parent (${named}, place)
    CROSS JOIN LATERAL (SELECT ${write(columns)} AS list) child)`;
}

/** What was found for the only parent. Throws the error in its place. */
export function onlyOne<T>([found]: readonly (T | Error)[]): T {
  if (found === undefined || found instanceof Error) throw found ?? new Error('Nothing was read');
  return found;
}

/**
 * What `load` gives for those that pass `check`, in their order; for each of the others the error that `check` threw. So one
 * that is refused does not take along what is read together with it.
 */
export async function forPermittedParents<P, T>(
  parents: readonly P[],
  check: (parent: P) => void | Promise<void>,
  load: (permitted: P[]) => Promise<T[]>,
): Promise<(T | Error)[]> {
  const errors = new Map<P, Error>();
  for (const parent of parents) {
    try {
      const checked = check(parent);
      if (checked) await checked;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      errors.set(parent, error);
    }
  }
  const permitted = parents.filter((parent) => !errors.has(parent));
  const loaded = permitted.length > 0 ? await load(permitted) : [];
  const found = new Map(permitted.map((parent, index) => [parent, loaded[index]]));
  return parents.map((parent) => errors.get(parent) ?? (found.get(parent) as T));
}
