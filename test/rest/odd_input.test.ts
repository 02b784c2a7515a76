import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#rest/engine/compile.ts';
import { endpoints } from '../access/matrix.ts';
import { withQuery } from '../support/endpoints.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const group = await world.group({ owner: admin, visibility: 'public' });
const project = await world.project({ owner: admin, namespaceId: group.id, visibility: 'public' });
const api = world.api(admin);
await fillRepository(world, project, oddHistory({ packed: false }));

/** What no parameter is meant to be. */
const ODD: unknown[] = [
  '',
  ' ',
  'x'.repeat(100_000),
  'a\u0000b',
  '\ud800 \u{1f600} \u202e',
  "'; DROP TABLE users; --",
  '%_\\',
  -1,
  0,
  1e30,
  0.5,
  true,
  null,
  [],
  [[1]],
  { a: { b: 1 } },
  '0000-00-00',
  '99999-12-31',
];

/** Something that a parameter may well be, by its type. */
function plausible(name: string, type: string): unknown {
  if (type.startsWith('GroupRef')) return group.id;
  if (type.startsWith('ProjectRef')) return project.id;
  if (/Int/.test(type)) return 999_999;
  if (/Boolean/.test(type)) return true;
  if (['ref', 'from', 'to', 'branch'].includes(name)) return 'main';
  if (/Date/.test(type)) return '2031-01-01';
  if (/String|Enum|Float/.test(type)) return world.unique('word');
  return undefined;
}

describe('Whatever it is given, no route fails', () => {
  // The parameters of some routes are given some of them in every run, and those of each route more of them in the long one. What a value
  // becomes is decided by the type of its parameter, of which there are few: parameters take the values by turns.
  const some = [...endpoints].filter((_, at) => at % 16 === 0);
  it.each(some)('%s: some of it', (key, endpoint) => tryOut(key, endpoint, 6));
  it.each([...endpoints])('%s', LONG, (key, endpoint) => tryOut(key, endpoint, 3));
});

/** Gives each parameter of the route every nth of the odd values. */
async function tryOut(key: string, { route, parameters }: Endpoint, nth: number): Promise<void> {
  const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  const failed: string[] = [];
  for (const [at, { name }] of parameters.entries()) {
    for (const odd of ODD.filter((_, n) => (n + at) % nth === 0)) {
      const given: Record<string, unknown> = {};
      for (const other of parameters) given[other.name] = plausible(other.name, String(other.type));
      given[name] = odd;
      const path = route.path.replace(/:(\w+)/g, (_, parameter: string) => {
        const value = given[parameter];
        delete given[parameter];
        const text = typeof value === 'string' ? value.slice(0, 2000) : JSON.stringify(value ?? 'x');
        return encodeURIComponent(text.toWellFormed() || '-');
      });
      const query = new URLSearchParams({ [name]: String(odd).slice(0, 2000) });
      const { status } = method === 'get' ? await api.get(withQuery(path, query)) : await api[method](path, given);
      if (status >= 500 || status === 0) failed.push(`${name}: ${JSON.stringify(odd)?.slice(0, 60)} → ${status}`);
    }
  }
  expect([key, failed]).toEqual([key, []]);
}
