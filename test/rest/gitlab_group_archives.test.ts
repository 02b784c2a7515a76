// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { type Files, tarOf, wikiBundle } from '../support/gitlab_archives.ts';
import { archiveState, importedGroup } from '../support/group_archives.ts';
import type { Json } from '../support/http.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();

const AT = '2024-03-01T10:00:00.000Z';
const label = { title: 'bug', color: '#ff0000', description: 'Broken', type: 'GroupLabel', created_at: AT };

async function archived(): Promise<Files> {
  const { email } = await world.db.user.findUniqueOrThrow({ where: { id: developer.id } });
  await world.db.user.update({ where: { id: developer.id }, data: { publicEmail: email } });
  return {
    VERSION: '0.2.4',
    'tree/groups/_all.ndjson': '4351\n4353\n4352\n77\n78\n',
    'tree/groups/4351.json': {
      ...{ name: 'Fruit', path: 'fruit', description: 'All of it', visibility_level: 20, parent_id: null },
      ...{ request_access_enabled: true, project_creation_level: 2, subgroup_creation_level: 0, runners_token: 'x' },
    },
    // In front of the one that it is in.
    'tree/groups/4353.json': { name: 'Red (ripe)', path: 'red', visibility_level: 10, parent_id: 4352 },
    'tree/groups/4352.json': { name: 'Apples', path: 'apples', visibility_level: 20, parent_id: 4351 },
    // In each other, and of the same path as another.
    'tree/groups/77.json': { name: 'Loop', path: 'apples', visibility_level: 0, parent_id: 78 },
    'tree/groups/78.json': { name: 'Pool', path: '-odd', visibility_level: 'x', parent_id: 77 },
    'tree/groups/4351/labels.ndjson': [label, label, { title: 7 }],
    'tree/groups/4351/milestones.ndjson': [
      { iid: 5, title: 'v4', state: 'closed', due_date: '2024-05-01', created_at: AT },
      { iid: 5, title: 'v5', state: 'active', created_at: AT },
    ],
    'tree/groups/4352/boards.ndjson': [
      {
        name: 'Work',
        lists: [{ list_type: 'backlog' }, { list_type: 'label', position: 0, label }, { list_type: 'assignee' }],
      },
    ],
    'tree/groups/4352/badges.ndjson': [{ link_url: 'https://example.org', image_url: 'https://example.org/b.svg' }],
    'tree/groups/4352/members.ndjson': [
      { access_level: 30, user_id: 2, user: { id: 2, username: 'ben', public_email: email } },
      { access_level: 50, requested_at: AT, user_id: 3, user: { id: 3, username: 'w', public_email: 'w@example.org' } },
    ],
    'tree/groups/4352/epics.ndjson': [{ iid: 1 }, { iid: 2 }],
    'tree/groups/4351/namespace_settings.ndjson': [{ prevent_sharing_groups_outside_hierarchy: true }],
    'repositories/4352.wiki.bundle': await wikiBundle(),
    '../evil': 'x',
  };
}

describe('An archive of a group of GitLab', () => {
  it('becomes a group with the groups in it, and what they have', async () => {
    const parent = await world.group({ owner, visibility: 'public' });
    const path = world.unique('fruit');
    const files = await archived();
    const state = await importedGroup(world, owner, { archive: await tarOf(files), path, parent: parent.id });
    expect(state).toMatchObject({ status: 'FINISHED', error: null });
    const api = world.api(owner);
    const top = `${parent.fullPath}/${path}`;
    const at = (below = '') => `/groups/${encodeURIComponent(`${top}${below}`)}`;
    expect((await api.get(at())).body).toMatchObject({
      ...{ description: 'All of it', visibility: 'public', request_access_enabled: true },
      ...{ project_creation_level: 'developer', subgroup_creation_level: 'owner' },
    });
    expect((await api.get(at('/apples/red'))).body).toMatchObject({ name: 'red', visibility: 'internal' });
    expect((await api.get(at('/apples-77'))).body).toMatchObject({ name: 'Loop', visibility: 'private' });
    expect((await api.get(at('/apples-77/group-78'))).body).toMatchObject({ name: 'Pool' });
    const labels = (await api.get(`${at()}/labels`)).body;
    expect(labels).toEqual([expect.objectContaining({ name: 'bug', color: '#ff0000', description: 'Broken' })]);
    const milestones = (await api.get(`${at()}/milestones`)).body;
    expect(milestones).toEqual([
      expect.objectContaining({ iid: 5, title: 'v4', state: 'closed', due_date: '2024-05-01' }),
    ]);
    const [board] = (await api.get(`${at('/apples')}/boards`)).body;
    expect([board.name, board.lists.map((list: Json) => list.label.name)]).toEqual(['Work', ['bug']]);
    expect((await api.get(`${at('/apples')}/badges`)).body).toEqual([
      expect.objectContaining({ link_url: 'https://example.org' }),
    ]);
    const members = (await api.get(`${at('/apples')}/members`)).body;
    expect(members.map((one: Json) => [one.username, one.access_level])).toEqual([[developer.username, 30]]);
    expect((await api.get(`${at('/apples')}/wikis?with_content=1`)).body).toEqual([
      expect.objectContaining({ slug: 'home', content: 'Welcome\n' }),
    ]);
    const told = (await archiveState(world, owner, top)).import.leftOut;
    expect(told.map((one: Json) => [one.groupPath, one.kind, one.name])).toEqual(
      expect.arrayContaining([
        [top, 'RELATION', 'epics: Gantry does not take records of this kind along. (2 times)'],
        [top, 'RELATION', 'members: Requests for access do not come along.'],
        [top, 'RELATION', 'boards.lists: Boards have lists of labels of the archive alone here.'],
        [top, 'RELATION', 'milestones: A record with the same number or name comes before it.'],
        [top, 'RELATION', 'groups: The name of a group is its path here, as it is not allowed.'],
      ]),
    );
  });

  it.each<[string, Files, RegExp]>([
    ['no list of groups', { VERSION: '1' }, /has no tree\/groups\/_all\.ndjson/],
    ['an empty list', { VERSION: '1', 'tree/groups/_all.ndjson': '{}\n0\n-1\n' }, /has no groups/],
    ['a group that is not there', { VERSION: '1', 'tree/groups/_all.ndjson': '7\n' }, /has no tree\/groups\/7\.json/],
    [
      'too many groups',
      { VERSION: '1', 'tree/groups/_all.ndjson': Array.from({ length: 10_001 }, (_, at) => `${at + 1}`) },
      /more than 10000 groups/,
    ],
    [
      'broken records',
      { VERSION: '1', 'tree/groups/_all.ndjson': '7\n', 'tree/groups/7.json': {}, 'tree/groups/7/labels.ndjson': '[' },
      /line 1 of tree\/groups\/7\/labels\.ndjson cannot be read/,
    ],
  ])('is refused with %s', async (_what, files, reason) => {
    const importer = await world.user();
    const state = await importedGroup(world, importer, { archive: await tarOf(files), path: world.unique('bad') });
    expect(state).toMatchObject({ status: 'FAILED', error: expect.stringMatching(reason) });
  });
});
