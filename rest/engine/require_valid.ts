import { type GraphQLSchema, validate } from 'graphql';
import type { Route } from '#rest/engine/route.ts';

/**
 * Throws when the operation of a route is no valid one for the schema. It takes milliseconds for each, too long for every start
 * of a server, and the answer is always the same: `npm run generate` and the tests ask.
 */
export function requireValid(route: Route, schema: GraphQLSchema): void {
  const errors = validate(schema, route.operation, undefined);
  // A route's document holds all fragments of its file.
  const relevant = errors.filter(({ message }) => !/^Fragment ".*" is never used/.test(message));
  if (relevant.length === 0) return;
  throw new Error(`${route.method} ${route.path}: ${relevant.map(({ message }) => message).join('; ')}`);
}
