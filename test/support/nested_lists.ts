import { expect } from 'vitest';
import type { TestUser, World } from './world.ts';

/** What is selected below each project of a list, and how many levels of records that has. */
export interface Level {
  selection: string;
  levels: number;
}

/** Projects, in an order that lasts, with something of each. */
export function below(first: number, selection: string): string {
  return `{ projects(first: ${first}, sort: ASC) { nodes { databaseId ${selection} } } }`;
}

/** Asks, and gives the data of an answer, which has no errors. */
export function asker(world: World) {
  return async (query: string, who: TestUser) => {
    const { body } = await world.graphql(query, {}, who);
    expect(body.errors).toBeUndefined();
    return body.data;
  };
}

/** Fails unless as many statements are made for one project as for several: one for each level. */
export async function expectStatementPerLevel(
  world: World,
  { selection, levels }: Level,
  who: TestUser,
): Promise<void> {
  const ask = asker(world);
  const count = async (first: number) => (await world.statements(() => ask(below(first, selection), who))).length;
  const alone = await count(1);
  expect(await count(4)).toBe(alone);
  // One for a level, and one that finds who asks.
  expect(alone).toBeLessThanOrEqual(levels + 1);
}
