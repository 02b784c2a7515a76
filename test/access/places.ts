import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateSettings } from '#src/domain/administration/settings/update.ts';
import { everyNth, LONG } from '../support/long.ts';
import { startWorld, type TestUser, type World } from '../support/world.ts';
import {
  agrees,
  asVisitor,
  at,
  comers,
  ENTRANCES,
  inPlace,
  knock,
  people,
  ROLES,
  type Role,
  type Rule,
  type Stage,
  stage,
  VISIBILITIES,
  type Visibility,
  watchChanges,
} from './matrix.ts';

type MakeRules = (world: World, users: Record<Role, TestUser | undefined>) => Record<string, Rule>;

/** Tests every rule for each role in a private, an internal and a public place, through the entrances by turns. */
export async function provePlaces(makeRules: MakeRules): Promise<void> {
  const world = await startWorld({ pagesHost: 'pages.example.test' });
  const users = await people(world);
  const stages = {} as Record<Visibility, Stage>;
  const rules = makeRules(world, users);
  let changes: () => Promise<number>;

  beforeAll(async () => {
    changes = await watchChanges(world);
    for (const visibility of VISIBILITIES) stages[visibility] = await stage(world, users, visibility);
  }, 60_000);

  describe.each(Object.keys(rules).map((key, nth) => [key, nth] as const))('%s', (key, nth) => {
    // A rule lives once below the entrances: users come by one of them, and by the other to the next place and for the next rule. Visitors,
    // whom the two treat differently, come by both.
    // An internal place differs from a public one in whom both let in alone, which every fourth rule shows.
    const cases = VISIBILITIES.map(
      (visibility, of) => [visibility, ENTRANCES[(nth + of) % 2] ?? 'REST'] as const,
    ).filter(([visibility]) => visibility !== 'internal' || nth % 4 === 0);
    // The private place in every run, by every sixteenth rule.
    for (const [options, some] of nth % 16 === 0 ? everyNth(cases.length, cases) : [[LONG, cases] as const]) {
      it.each(some)(
        'answers each role of a %s place as it should over %s, and refusals change nothing',
        options,
        async (visibility, entrance) => {
          const rule = rules[key];
          if (!rule) throw new Error(key);
          const { id } = stages[visibility].project;
          const reads = key.startsWith('GET');
          const wrong: string[] = [];
          let given = await rule.given?.(stages[visibility], undefined);
          // What is made for whoever asks is made anew for each role.
          const isOwn = (rule.given?.length ?? 0) > 1;
          let before = reads ? 0 : await changes();
          for (const [role, through] of comers(entrance)) {
            if (isOwn) {
              given = await rule.given?.(stages[visibility], users[role]);
              before = reads ? 0 : await changes();
            }
            const isVisitor = through === 'GraphQL' && role === 'anonymous';
            const wanted = isVisitor ? asVisitor(key, rule, visibility) : at(role, inPlace(rule, role, visibility));
            const found = await knock(world, key, { id, ...given }, through, users[role]);
            if (!agrees(through, found, wanted)) wrong.push(`${role} over ${through}: ${found} instead of ${wanted}`);
            if (reads) continue;
            const after = await changes();
            if (found >= 300 && after !== before) wrong.push(`${role}: ${found} changed something`);
            if (found < 300 && role !== ROLES.at(-1)) {
              given = await rule.given?.(stages[visibility], users[role]);
              before = await changes();
            } else before = after;
          }
          expect(wrong).toEqual([]);
        },
      );
    }
  });

  describe('with the setting anonymous_api_reads', () => {
    const open = (anonymousApiReads: boolean) =>
      updateSettings(world.as(users.admin as TestUser), { anonymousApiReads });
    beforeAll(() => open(true));
    afterAll(() => open(false));

    it.each(VISIBILITIES)(
      'the REST API answers visitors without an account in a %s place as GraphQL does',
      LONG,
      async (visibility) => {
        const { id } = stages[visibility].project;
        const wrong: string[] = [];
        for (const [key, rule] of Object.entries(rules)) {
          if (!key.startsWith('GET')) continue;
          const given = await rule.given?.(stages[visibility], undefined);
          const wanted = asVisitor(key, rule, visibility);
          const found = await knock(world, key, { id, ...given }, 'REST', undefined);
          // What is for people with an account alone may say so, or not be found.
          if (found !== wanted && !(wanted === 401 && found === 404))
            wrong.push(`${key}: ${found} instead of ${wanted}`);
        }
        expect(wrong).toEqual([]);
      },
    );
  });
}
