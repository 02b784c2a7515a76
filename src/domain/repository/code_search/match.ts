import type { CodeQuery } from '#src/domain/repository/code_search/query.ts';
import type { PathPattern, SearchTerm } from '#src/git/base/search.ts';
import { containing, hasTrigrams, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A column, or an expression, with what can use its index of trigrams, or with what cannot. */
type Column = Prisma.Sql;

/** Whether a text has a term. Regular expressions see lines: `.` is no line break, `^` and `$` are the ends of a line. */
export function matchesTerm(column: Column, { kind, value, literal }: SearchTerm): Prisma.Sql {
  if (kind === 'text') return sql`${column} ILIKE ${containing(value)}`;
  const matches = sql`${column} ~* ${`(?n)(?:${value})`}`;
  return literal === undefined ? matches : sql`(${column} ILIKE ${containing(literal)} AND ${matches})`;
}

const allOf = (conditions: readonly Prisma.Sql[]) =>
  conditions.length === 0 ? sql`TRUE` : sql`(${Prisma.join([...conditions], ' AND ')})`;
const oneOf = (conditions: readonly Prisma.Sql[]) =>
  conditions.length === 0 ? sql`FALSE` : sql`(${Prisma.join([...conditions], ' OR ')})`;

/** Whether a text has all terms, and none that it must lack. */
export function isWanted(content: Column, { has: wanted, lacks }: CodeQuery): Prisma.Sql {
  return allOf([
    ...wanted.map((term) => matchesTerm(content, term)),
    ...lacks.map((term) => sql`NOT ${matchesTerm(content, term)}`),
  ]);
}

/** Whether the path of a file has all terms. */
export function isNamed(path: Column, { has: wanted }: CodeQuery): Prisma.Sql {
  return allOf(wanted.map((term) => matchesTerm(path, term)));
}

/** Whether a text has none of the terms that it must lack. */
export function lacksAll(content: Column, { lacks }: CodeQuery): Prisma.Sql {
  return allOf(lacks.map((term) => sql`(NOT ${matchesTerm(content, term)}) IS NOT FALSE`));
}

/** Whether a line has one of the terms. */
export function hasSome(line: Column, { has: wanted }: CodeQuery): Prisma.Sql {
  return oneOf(wanted.map((term) => matchesTerm(line, term)));
}

/** Whether a file fits the filters by path and language. */
export function fits(
  path: Column,
  language: Column,
  { paths, notPaths, languages, notLanguages }: CodeQuery,
): Prisma.Sql {
  return allOf([
    ...paths.map((pattern) => sql`${path} ILIKE ${like(pattern)}`),
    ...notPaths.map((pattern) => sql`${path} NOT ILIKE ${like(pattern)}`),
    ...(languages.length > 0 ? [sql`${language} = ANY(${languages}::text[])`] : []),
    ...(notLanguages.length > 0 ? [sql`(${language} = ANY(${notLanguages}::text[])) IS NOT TRUE`] : []),
  ]);
}

/** A pattern of paths as ILIKE takes it. */
function like(pattern: PathPattern): string {
  return pattern.map((part) => containing(part).slice(1, -1)).join('%');
}

/** Whether an index of trigrams finds texts with all terms; regular expressions by the letters that all their matches have. */
export function isIndexed({ has: wanted }: CodeQuery): boolean {
  return wanted.some(({ value, literal }) => hasTrigrams(literal ?? value));
}
