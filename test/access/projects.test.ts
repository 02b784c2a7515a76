import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type TestUser } from '../support/world.ts';
import { groupRules } from './group-rules.ts';
import {
  agrees,
  digest,
  ENTRANCES,
  endpoints,
  inPlace,
  knock,
  people,
  ROLES,
  type Role,
  type Stage,
  stage,
  VISIBILITIES,
  type Visibility,
} from './matrix.ts';
import { projectRules } from './project-rules.ts';
import { serverRules } from './server-rules.ts';

const world = await startWorld();
const users = await people(world);
const stages = {} as Record<Visibility, Stage>;
const rules = { ...projectRules(world, users), ...groupRules(world, users) };

beforeAll(async () => {
  for (const visibility of VISIBILITIES) stages[visibility] = await stage(world, users, visibility);
  // The day of the last activity is noted with the first request of each.
  for (const role of ROLES) if (users[role]) await world.api(users[role]).get('/user');
}, 60_000);

describe.each(Object.keys(rules))('%s', (key) => {
  it.each(VISIBILITIES)(
    'answers each role of a %s place as it should by both entrances, and refusals change nothing',
    async (visibility) => {
      const rule = rules[key];
      if (!rule) throw new Error(key);
      const reads = key.startsWith('GET');
      const wrong: string[] = [];
      for (const entrance of ENTRANCES) {
        let given = await rule.given?.(stages[visibility], undefined);
        let before = reads ? '' : await digest(world);
        for (const role of ROLES) {
          const wanted = inPlace(rule, role, visibility);
          const found = await knock(world, key, { id: stages[visibility].project.id, ...given }, entrance, users[role]);
          if (!agrees(entrance, found, wanted)) wrong.push(`${entrance} ${role}: ${found} instead of ${wanted}`);
          if (reads) continue;
          const after = await digest(world);
          if (found >= 300 && after !== before) wrong.push(`${entrance} ${role}: ${found} changed something`);
          if (found < 300 && role !== ROLES.at(-1)) {
            given = await rule.given?.(stages[visibility], users[role]);
            before = await digest(world);
          } else before = after;
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});

describe('The matrix', () => {
  it('leaves no route out', () => {
    const named = [
      ...Object.keys(rules),
      ...Object.keys(serverRules(world, users as Record<Role, TestUser | undefined>)),
    ];
    expect(named.sort()).toEqual([...endpoints.keys()].sort());
  });
});
