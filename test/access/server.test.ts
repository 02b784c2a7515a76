import { beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';
import { groupRules } from './group_rules.ts';
import { agrees, at, comers, ENTRANCES, endpoints, knock, onServer, people, ROLES, watchChanges } from './matrix.ts';
import { projectRules } from './project_rules.ts';
import { serverRules } from './server_rules.ts';

const world = await startWorld();
const users = await people(world);
const rules = serverRules(world, users);

let changes: () => Promise<number>;

beforeAll(async () => {
  changes = await watchChanges(world);
  for (const role of ROLES) if (users[role]) await world.api(users[role]).get('/user');
});

describe.each(Object.entries(rules).map(([key, rule], nth) => [key, rule, nth] as const))('%s', (key, rule, nth) => {
  // A rule lives once below the entrances: users come by one of them, and by the other for the next rule. Every tenth in every run.
  const entrance = rule.restOnly ? 'REST' : (ENTRANCES[nth % 2] ?? 'REST');
  it(
    `answers each role as it should over ${entrance}, and refusals change nothing`,
    nth % 10 === 0 ? {} : LONG,
    async () => {
      const wrong: string[] = [];
      for (const [role, through] of comers(entrance)) {
        if (rule.restOnly && through !== 'REST') continue;
        const given = (await rule.given?.(undefined as never, users[role])) ?? {};
        const before = await changes();
        const visitor = through === 'GraphQL' && role === 'anonymous' ? rule.visitor : undefined;
        const wanted = visitor ?? at(role, onServer(rule, role));
        const found = await knock(world, key, given, through, users[role]);
        if (!agrees(through, found, wanted)) wrong.push(`${role} over ${through}: ${found} instead of ${wanted}`);
        if (found >= 300 && (await changes()) !== before)
          wrong.push(`${role} over ${through}: ${found} changed something`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

describe('The matrix', () => {
  it('leaves no route out', () => {
    const places = { ...projectRules(world, users), ...groupRules(world, users) };
    expect([...Object.keys(places), ...Object.keys(rules)].sort()).toEqual([...endpoints.keys()].sort());
  });
});
