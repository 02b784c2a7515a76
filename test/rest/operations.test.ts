import { getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { compile } from '#rest/engine/compile.ts';
import { requireValid } from '#rest/engine/require_valid.ts';
import { variantsOf } from '#rest/engine/route.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';
import { DEFAULT_LIMITS } from '#schema/limits.ts';
import { measure } from '#schema/measure.ts';
import { LONG } from '../support/long.ts';

test('The operations of all routes are valid for the schema', LONG, () => {
  expect(routes.length).toBeGreaterThan(121);
  for (const route of routes) expect(() => requireValid(route, schema)).not.toThrow();
});

test('The operations of all routes are within the limits of GraphQL, for pages of twenty', () => {
  for (const route of routes.flatMap(variantsOf)) {
    const { document } = compile(route, schema);
    const operation = getOperationAST(document);
    if (!operation) throw new Error(`${route.path} has no operation`);
    const given = { limit: 20, offset: 0, signed_in: true, administrator: true };
    const { cost, depth, aliases, spreads } = measure(operation, document, schema, given);
    for (const [name, used] of Object.entries({ cost, depth, aliases, spreads }))
      expect(used, `${name} of ${route.method} ${route.path}`).toBeLessThanOrEqual(Reflect.get(DEFAULT_LIMITS, name));
  }
});

test('An operation that is not valid is named with its route', () => {
  const [route] = routes;
  if (!route) throw new Error('There are no routes');
  const operation = parse('query Wrong { nothing }') as typeof route.operation;
  expect(() => requireValid({ ...route, operation }, schema)).toThrow(
    `${route.method} ${route.path}: Cannot query field "nothing" on type "Query".`,
  );
});
