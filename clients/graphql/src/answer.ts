import { GantryError, type GantryGraphQLError } from './errors.ts';

/** The data of an answer. Throws a GantryError if there are errors, or if it is none of GraphQL. */
export function dataOf<Result>(status: number, answer: unknown): Result {
  const { data, errors } = (answer ?? {}) as { data?: unknown; errors?: readonly GantryGraphQLError[] };
  if (errors !== undefined || data === undefined) throw new GantryError(status, errors ?? [], data ?? null);
  return data as Result;
}
