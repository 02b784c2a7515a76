import { type DocumentNode, getOperationAST } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';
import { groupRules } from './group_rules.ts';
import {
  ENTRANCES,
  endpoints,
  type Given,
  knock,
  people,
  type Rule,
  type Stage,
  stage,
  watchChanges,
} from './matrix.ts';
import { projectRules } from './project_rules.ts';
import { serverRules } from './server_rules.ts';

/** What tokens of limited scopes reach of all that their user, who may do everything, does with the scope `api`. */
const world = await startWorld({ pagesHost: 'pages.example.test' });
const users = await people(world);
const admin = users.admin as TestUser;
const rules: Record<string, Rule> = {
  ...projectRules(world, users),
  ...groupRules(world, users),
  ...serverRules(world, users),
};
const holder = async (...scopes: string[]) => ({ ...admin, token: await world.token(admin, scopes) });
const reader = await holder('read_api');
const gitOnly = await holder('read_repository', 'write_repository');
let place: Stage;
let changes: () => Promise<number>;

beforeAll(async () => {
  changes = await watchChanges(world);
  place = await stage(world, users, 'private');
  // The use of a token is noted once an hour.
  for (const who of [reader, gitOnly]) await world.api(who).get('/user');
}, 60_000);

const request = async (key: string): Promise<Given> => ({
  id: place.project.id,
  ...(await rules[key]?.given?.(place, admin)),
});
/** Whether the operation of a route changes something. */
const acts = (key: string) => getOperationAST(endpoints.get(key)?.document as DocumentNode)?.operation === 'mutation';
/** What a token does with itself: test/rest/personal_access_tokens.test.ts and access_tokens.test.ts. */
const isOfItself = (key: string) => ['own_token', 'rotate_token'].includes(endpoints.get(key)?.route.purpose ?? '');
const keys = [...endpoints.keys()].filter((key) => !isOfItself(key));
const reads = keys.filter((key) => (key.startsWith('GET') || endpoints.get(key)?.route.reads) && !acts(key));
const others = keys.filter((key) => !reads.includes(key));
/** Scopes are asked below the entrances: each of the two is tried for every other route. */
const through = (key: string) => ENTRANCES[keys.indexOf(key) % 2] ?? 'REST';
const ofFiles = reads.filter((key) => endpoints.get(key)?.route.filesOfRepository);

describe('A token with the scope read_api', () => {
  for (const [options, some] of everyNth(30, reads)) {
    it.each(some)('is answered by %s as one with the scope api, and changes nothing by it', options, async (key) => {
      const given = await request(key);
      const entrance = through(key);
      // What is made for the first who asks is there for the next.
      const wanted = await knock(world, key, given, entrance, admin);
      const before = await changes();
      expect([entrance, await knock(world, key, given, entrance, reader)]).toEqual([entrance, wanted]);
      expect(await changes()).toBe(before);
    });
  }

  for (const [options, some] of everyNth(30, others)) {
    it.each(some)('is refused by %s, which changes nothing', options, async (key) => {
      const given = await request(key);
      const before = await changes();
      // What is a query in GraphQL, such as POST /ci/lint, reads there.
      const entrance = acts(key) ? through(key) : 'REST';
      expect([entrance, await knock(world, key, given, entrance, reader)]).toEqual([entrance, 403]);
      expect(await changes()).toBe(before);
    });
  }
});

describe('A token with the scopes of repositories alone', () => {
  for (const [options, some] of everyNth(30, keys)) {
    it.each(some)('is refused by %s unless that hands out files, and changes nothing', options, async (key) => {
      const given = await request(key);
      const before = await changes();
      const wanted = ofFiles.includes(key) ? await knock(world, key, given, 'REST', admin) : 403;
      if (ofFiles.includes(key) || through(key) === 'REST') {
        expect(await knock(world, key, given, 'REST', gitOnly)).toBe(wanted);
      } else expect(await knock(world, key, given, 'GraphQL', gitOnly)).toBe(403);
      expect(await changes()).toBe(before);
    });
  }
});
