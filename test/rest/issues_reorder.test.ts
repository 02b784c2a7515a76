// One part in depth, which the long run has.
// @module-tag long
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
let project: ProjectRow;
/** The issues by letter: a to e, the oldest first. */
let issues: Record<string, { id: number; iid: number }>;
const api = world.api(reporter);

beforeEach(async () => {
  project = await world.project({ owner });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  issues = {};
  for (const title of 'abcde') issues[title] = await world.issue(project, owner, { title });
});

const idOf = (letter: string) => issues[letter]?.id ?? 0;

function reorder(letter: string, input: { after?: string; before?: string }, who = reporter) {
  const given = {
    ...(input.after && { move_after_id: idOf(input.after) }),
    ...(input.before && { move_before_id: idOf(input.before) }),
  };
  return world.api(who).put(`/projects/${project.id}/issues/${issues[letter]?.iid}/reorder`, given);
}

async function order(query = '', at = `/projects/${project.id}`): Promise<string> {
  const { body } = await api.get(`${at}/issues?order_by=relative_position${query}`);
  return body.map(({ title }: Json) => title).join('');
}

describe('PUT /projects/:id/issues/:issue_iid/reorder', () => {
  it('places an issue after, before or between others, which lists show in that order whatever the direction', async () => {
    expect(await order()).toBe('abcde');
    const { status, body } = await reorder('d', { after: 'a' });
    expect([status, body.title, body.iid]).toEqual([200, 'd', issues.d?.iid]);
    expect(await order()).toBe('adbce');
    expect((await reorder('e', { before: 'a' })).status).toBe(200);
    expect(await order()).toBe('eadbc');
    expect((await reorder('b', { after: 'e', before: 'a' })).status).toBe(200);
    expect(await order('&sort=asc')).toBe('ebadc');
    expect(await order('&sort=desc')).toBe('ebadc');
    expect(await order('&per_page=2&page=2')).toBe('ad');
    expect((await reorder('e', { after: 'c' })).status).toBe(200);
    expect(await order()).toBe('badce');
    await world.issue(project, owner, { title: 'f' });
    expect(await order()).toBe('badcef');
  });

  it('finds room where the column has no larger or smaller number', async () => {
    await reorder('e', { after: 'd' });
    await world.db.issue.update({ where: { id: idOf('e') }, data: { relativePosition: 2 ** 31 - 1 } });
    expect((await reorder('b', { after: 'e' })).status).toBe(200);
    expect(await order()).toBe('acdeb');
    await world.db.issue.update({ where: { id: idOf('a') }, data: { relativePosition: -(2 ** 31) } });
    expect((await reorder('c', { before: 'a' })).status).toBe(200);
    expect(await order()).toBe('cadeb');
  });

  it('finds room between the same two issues however often', async () => {
    await reorder('e', { after: 'd' });
    for (let round = 0; round < 15; round += 1) {
      expect((await reorder(round % 2 === 0 ? 'c' : 'd', { after: 'a', before: 'b' })).status).toBe(200);
      expect((await reorder('e', { after: 'a', before: round % 2 === 0 ? 'c' : 'd' })).status).toBe(200);
    }
    expect(await order()).toBe('aecdb');
  });

  it('changes nothing else of the issue, and is in the lists of groups and of the server', async () => {
    const group = await world.group({ owner });
    await world.member(group, reporter, 'reporter');
    project = await world.project({ owner, namespaceId: group.id });
    for (const title of 'abc') issues[title] = await world.issue(project, owner, { title });
    const before = await world.db.issue.findUniqueOrThrow({ where: { id: idOf('c') } });
    await reorder('c', { before: 'a' });
    const { relativePosition, ...after } = await world.db.issue.findUniqueOrThrow({ where: { id: idOf('c') } });
    expect({ ...after, relativePosition: null }).toEqual(before);
    expect(relativePosition).toEqual(expect.any(Number));
    expect(await order('', `/groups/${group.id}`)).toBe('cab');
    expect(await order('&scope=all&search=c', '')).toContain('c');
    const query = `query ($ref: ProjectRef!, $after: String) { project(ref: $ref) {
      issues(first: 1, after: $after, orderBy: RELATIVE_POSITION) { nodes { title } pageInfo { endCursor } } } }`;
    let [shown, cursor]: [string, string | null] = ['', null];
    for (let page = 0; page < 3; page += 1) {
      const { body } = await world.graphql(query, { ref: project.fullPath, after: cursor }, reporter);
      shown += body.data.project.issues.nodes[0].title;
      cursor = body.data.project.issues.pageInfo.endCursor;
    }
    expect(shown).toBe('cab');
  });

  it('refuses those below reporters, and neighbours that are none', async () => {
    const elsewhere = await world.issue(await world.project({ owner }), owner);
    const at = `/projects/${project.id}/issues/${issues.a?.iid}/reorder`;
    expect((await reorder('a', { after: 'b' }, guest)).status).toBe(403);
    for (const neighbours of [
      { move_after_id: elsewhere.id },
      { move_before_id: 999_999 },
      { move_after_id: idOf('a') },
    ]) {
      const refused = { status: 422, body: { message: { error: 'Unprocessable Entity' } } };
      expect(await api.put(at, neighbours)).toMatchObject(refused);
    }
    expect((await api.put(at, { move_after_id: idOf('b'), move_before_id: idOf('b') })).status).toBe(422);
    expect(await api.put(at, {})).toMatchObject({
      status: 400,
      body: { error: 'move_after_id, move_before_id are missing, at least one parameter must be provided' },
    });
    expect(await world.db.issue.count({ where: { projectId: project.id, relativePosition: { not: null } } })).toBe(0);
  });
});
