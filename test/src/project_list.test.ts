import { expect, it } from 'vitest';
import { listProjectsOf, type ProjectFilter, type ProjectOrder } from '#src/domain/projects/list.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { select } from '#src/platform/records/selection.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const group = await world.group({ owner, visibility: 'public', name: 'The Tools', path: 'tools' });
const inside = await world.group({ owner, visibility: 'public', parentId: group.id });
const projects = {
  b: await world.project({ owner, name: 'b-public', visibility: 'public', description: 'Sharp 100%' }),
  a: await world.project({ owner, name: 'a-private' }),
  d: await world.project({ owner, name: 'd-grouped', namespaceId: inside.id, visibility: 'internal' }),
  c: await world.project({ owner, name: 'c-old', namespaceId: group.id, visibility: 'public' }),
};
await world.db.project.update({ where: { id: projects.c.id }, data: { archived: true } });
await world.db.projectStar.create({ data: { projectId: projects.b.id, userId: outsider.id } });

type ProjectScope = Parameters<typeof listProjectsOf>[3];

const by = (by: ProjectOrder['by'], direction: ProjectOrder['direction'] = 'asc') => ({ by, direction });
const page = { limit: 20, offset: 0, withTotal: true };

async function names(
  who: TestUser | null,
  filter: ProjectFilter = {},
  order = by('name'),
  scope: ProjectScope = () => [],
) {
  const context = { ...world.as(owner), actor: who?.actor ?? null };
  const [list, selection] = [{ filter, order }, select('Project', { name: true })];
  const [found] = await listProjectsOf(context, [{}], {}, scope, list, page, selection);
  const { nodes = [], total } = found ?? {};
  expect(total).toBe(nodes.length);
  return nodes.map(({ name }) => name[0]).join('');
}

it('shows each caller what they see, in every order', async () => {
  expect([await names(owner), await names(outsider), await names(null)]).toEqual(['abcd', 'bcd', 'bc']);
  for (const order of ['id', 'created_at', 'updated_at', 'last_activity_at'] as const) {
    expect([order, await names(owner, { archived: false }, by(order))]).toEqual([order, 'bad']);
    expect([order, await names(owner, { archived: false }, by(order, 'desc'))]).toEqual([order, 'dab']);
  }
  expect(await names(owner, {}, by('path', 'desc'))).toBe('dcba');
});

it.each<[ProjectFilter, string, string, string]>([
  [{ archived: true }, 'c', 'c', 'c'],
  [{ archived: false }, 'abd', 'bd', 'b'],
  [{ visibility: 'public' }, 'bc', 'bc', 'bc'],
  [{ visibility: 'private' }, 'a', '', ''],
  [{ search: 'THE tool' }, 'c', 'c', 'c'],
  [{ search: '100%' }, 'b', 'b', 'b'],
  [{ search: 'x%x' }, '', '', ''],
  [{ search: 'PRIV' }, 'a', '', ''],
  [{ search: '-' }, 'abcd', 'bcd', 'bc'],
  [{ search: '  ' }, 'abcd', 'bcd', 'bc'],
  [{ owned: true }, 'abcd', '', ''],
  [{ starred: true }, '', 'b', ''],
  [{ membership: true }, 'abcd', '', ''],
  [{ membership: true, archived: true, search: 'old' }, 'c', '', ''],
])('filters by %j', async (filter, own, others, anonymous) => {
  expect([await names(owner, filter), await names(outsider, filter), await names(null, filter)]).toEqual([
    own,
    others,
    anonymous,
  ]);
});

it('keeps to its scope and leaves out what is deleted', async () => {
  const scope: ProjectScope = ({ namespaceId }) => [Prisma.sql`${namespaceId} = ${inside.id}`];
  expect(await names(owner, {}, by('name'), scope)).toBe('d');
  await world.db.project.update({ where: { id: projects.d.id }, data: { deletedAt: new Date() } });
  expect(await names(owner, {}, by('name'), scope)).toBe('');
});
