// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

/** One more than are counted where totals may be left out, and what a list has in all. */
const MANY = 10_001;

/** A project with so many labels, issues and merge requests. */
async function filled(world: World, count: number) {
  const owner = await world.user();
  const project = await world.project({ owner });
  const { id } = project;
  await world.db.$transaction(async (db) => {
    await db.$executeRaw`SET LOCAL session_replication_role = 'replica'`;
    await db.$executeRaw`INSERT INTO labels (project_id, title, color)
      SELECT ${id}, 'label-' || lpad(n::text, 5, '0'), '#428BCA' FROM generate_series(1, ${count}::int) n`;
    await db.$executeRaw`INSERT INTO issues (project_id, iid, title, author_id)
      SELECT ${id}, n, 'Issue ' || n, ${owner.id} FROM generate_series(1, ${count}::int) n`;
    await db.$executeRaw`INSERT INTO merge_requests (target_project_id, source_project_id, iid, title, source_branch, target_branch, author_id)
      SELECT ${id}, ${id}, n, 'Merge ' || n, 'topic-' || n, 'main', ${owner.id} FROM generate_series(1, ${count}::int) n`;
  });
  return { api: world.api(owner), at: `/projects/${id}`, owner };
}

const totals = ({ headers }: { headers: Record<string, unknown> }) => [
  headers['x-total'],
  headers['x-total-pages'],
  headers['x-next-page'],
  String(headers.link)
    .match(/rel="\w+"/g)
    ?.join(' '),
];

const EXACT = [String(MANY), '101', '2', 'rel="next" rel="first" rel="last"'];
const LEFT_OUT = [undefined, undefined, '2', 'rel="next" rel="first"'];

describe('Totals of long lists', async () => {
  const world = await startWorld();
  const { api, at, owner } = await filled(world, MANY);
  const lists = [
    `${at}/labels?`,
    '/issues?',
    '/issues?order_by=popularity&',
    `${at}/merge_requests?search=merge&in=title&`,
    '/merge_requests?scope=all&',
    `/merge_requests?author_id=${owner.id}&order_by=priority&`,
  ];

  it.each(lists)('of %s are exact, and left out above 10,000 for who asks for pages by records', async (list) => {
    expect(totals(await api.get(`${list}per_page=100`))).toEqual(EXACT);
    expect(totals(await api.get(`${list}per_page=100&pagination=offset`))).toEqual(EXACT);
    const first = await api.get(`${list}per_page=100&pagination=keyset`);
    expect(totals(first)).toEqual(LEFT_OUT);
    expect([first.headers['x-page'], first.headers['x-per-page'], first.body.length]).toEqual(['1', '100', 100]);
    const last = await api.get(`${list}per_page=100&pagination=keyset&page=101`);
    expect([last.body.length, totals(last)]).toEqual([1, [undefined, undefined, '', 'rel="prev" rel="first"']]);
    const beyond = await api.get(`${list}per_page=100&pagination=keyset&page=102`);
    expect([beyond.status, beyond.body, beyond.headers['x-next-page']]).toEqual([200, [], '']);
  });

  it('are there for lists of up to 10,000, however these are asked for', async () => {
    await world.db.$executeRaw`DELETE FROM labels WHERE title = 'label-00001'`;
    for (const asked of ['', '&pagination=keyset'])
      expect(totals(await api.get(`${at}/labels?per_page=100${asked}`))).toEqual(['10000', '100', '2', EXACT[3]]);
    const last = await api.get(`${at}/labels?per_page=100&pagination=keyset&page=100`);
    expect([last.body.length, last.headers['x-next-page']]).toEqual([100, '']);
  });

  it('count nothing that the caller does not see', async () => {
    const { headers } = await world.api(await world.user()).get('/issues?scope=all&pagination=keyset');
    expect(headers['x-total']).toBe('0');
  });

  it('are exact for GraphQL, whoever asks', async () => {
    const query = `{ viewer { issues(role: AUTHOR) { totalCount } } }`;
    const { body } = await world.graphql(query, {}, owner);
    expect(body.data.viewer.issues.totalCount).toBe(MANY);
  });
});

describe('A server with GANTRY_EXACT_TOTALS=off', async () => {
  const world = await startWorld({ exactTotals: false });
  const { api, at } = await filled(world, MANY);

  it('leaves them out for everybody', async () => {
    expect(totals(await api.get(`${at}/labels?per_page=100`))).toEqual(LEFT_OUT);
    expect(totals(await api.get(`${at}/labels?per_page=100&search=label-0000`))).toEqual([
      '9',
      '1',
      '',
      'rel="first" rel="last"',
    ]);
  });
});
