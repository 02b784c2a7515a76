import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { requireValid } from '#rest/engine/require_valid.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';
import { LONG } from '../support/long.ts';

test('The operations of all routes are valid for the schema', LONG, () => {
  expect(routes.length).toBeGreaterThan(121);
  for (const route of routes) expect(() => requireValid(route, schema)).not.toThrow();
});

test('An operation that is not valid is named with its route', () => {
  const [route] = routes;
  if (!route) throw new Error('There are no routes');
  const operation = parse('query Wrong { nothing }') as typeof route.operation;
  expect(() => requireValid({ ...route, operation }, schema)).toThrow(
    `${route.method} ${route.path}: Cannot query field "nothing" on type "Query".`,
  );
});
