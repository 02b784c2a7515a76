import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { loadGraphiql, OWN_QUERY, PUBLIC_QUERY } from '../../scripts/graphiql.ts';
import { LONG } from '../support/long.ts';

it.each([OWN_QUERY, PUBLIC_QUERY])('GraphiQL opens with a query that fits the schema: %s', (query) => {
  expect(validate(schema, parse(query))).toEqual([]);
});

it('GraphiQL opens with one query for those who are signed in and with another for strangers', LONG, async () => {
  const { script } = await loadGraphiql();
  const choice = `dataset ? ${JSON.stringify(OWN_QUERY)} : ${JSON.stringify(PUBLIC_QUERY)}`;
  expect(script.split(choice)).toHaveLength(2);
});
