import { beforeAll, describe, expect, it } from 'vitest';
import { everyNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';
import { groupRules } from './group_rules.ts';
import { agrees, at, ENTRANCES, endpoints, knock, onServer, people, ROLES, watchChanges } from './matrix.ts';
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

const quick = new Set(Object.keys(rules).filter((_, at) => at % 5 === 0));

describe.each(Object.entries(rules))('%s', (key, rule) => {
  // Through the first entrance in every run, by every fifth rule.
  for (const [options, entrances] of quick.has(key)
    ? everyNth(ENTRANCES.length, ENTRANCES)
    : [[LONG, ENTRANCES] as const]) {
    it.each(rule.restOnly ? entrances.filter((entrance) => entrance === 'REST') : entrances)(
      'answers each role as it should over %s, and refusals change nothing',
      options,
      async (entrance) => {
        const wrong: string[] = [];
        for (const role of ROLES) {
          const given = (await rule.given?.(undefined as never, users[role])) ?? {};
          const before = await changes();
          const visitor = entrance === 'GraphQL' && role === 'anonymous' ? rule.visitor : undefined;
          const wanted = visitor ?? at(role, onServer(rule, role));
          const found = await knock(world, key, given, entrance, users[role]);
          if (!agrees(entrance, found, wanted)) wrong.push(`${role}: ${found} instead of ${wanted}`);
          if (found >= 300 && (await changes()) !== before) wrong.push(`${role}: ${found} changed something`);
        }
        expect(wrong).toEqual([]);
      },
    );
  }
});

describe('The matrix', () => {
  it('leaves no route out', () => {
    const places = { ...projectRules(world, users), ...groupRules(world, users) };
    expect([...Object.keys(places), ...Object.keys(rules)].sort()).toEqual([...endpoints.keys()].sort());
  });
});
