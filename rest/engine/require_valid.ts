import { type GraphQLSchema, validate } from 'graphql';
import { type Route, variantsOf } from '#rest/engine/route.ts';

/**
 * Throws if the operation of a route is invalid for the schema. It takes milliseconds per route, too long for every start of a
 * server, and the result never changes: `npm run generate` and the tests call it.
 */
export function requireValid(route: Route, schema: GraphQLSchema): void {
  const errors = variantsOf(route).flatMap(({ operation }) => validate(schema, operation, undefined));
  // The document of a route contains all fragments of its file.
  const relevant = errors.filter(({ message }) => !/^Fragment ".*" is never used/.test(message));
  if (relevant.length === 0) return;
  throw new Error(`${route.method} ${route.path}: ${relevant.map(({ message }) => message).join('; ')}`);
}
