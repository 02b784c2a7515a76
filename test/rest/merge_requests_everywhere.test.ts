// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user({ username: 'Ann' });
const ben = await world.user({ username: 'ben' });
const stranger = await world.user();
let group: GroupRow;
let open: ProjectRow;
let hidden: ProjectRow;

/** Merge requests by letter, oldest first: a, b and e of a project that all see, c and d of one in a subgroup that ann sees. */
beforeAll(async () => {
  group = await world.group({ owner: ann, visibility: 'public' });
  const inner = await world.group({ owner: ann, parentId: group.id, visibility: 'private' });
  open = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
  hidden = await world.project({ owner: ann, namespaceId: inner.id, visibility: 'private' });
  const outside = await world.project({ owner: ann, visibility: 'private' });
  const old = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
  const closedDoor = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
  const made: [string, ProjectRow, Json][] = [
    ['a', open, { authorId: ann.id, description: 'a quaternion' }],
    ['b', open, { authorId: ben.id, assigneeId: ann.id, state: 'merged', mergeUserId: ben.id }],
    ['c', hidden, { authorId: ann.id, sourceProjectId: open.id }],
    ['d', hidden, { authorId: ben.id, description: 'QUATERNION' }],
    ['e', open, { authorId: ben.id, assigneeId: ben.id, state: 'closed' }],
    ['x', outside, { authorId: ben.id }],
    ['y', old, { authorId: ben.id }],
    ['z', closedDoor, { authorId: ann.id, description: 'quaternion' }],
  ];
  for (const [n, [title, project, values]] of made.entries()) {
    const times = { createdAt: new Date(`2030-01-0${n + 1}`), updatedAt: new Date(`2030-02-0${9 - n}`) };
    const branches = { sourceBranch: `topic-${n}`, targetBranch: 'main' };
    await world.db.mergeRequest.create({
      data: {
        iid: n + 1,
        title,
        targetProjectId: project.id,
        sourceProjectId: project.id,
        ...branches,
        ...times,
        ...values,
      },
    });
  }
  const ids = new Map((await world.db.mergeRequest.findMany()).map(({ title, id }) => [title, id]));
  for (const [project, titles] of [
    [open, { bug: 'ab', ui: 'ae' }],
    [hidden, { bug: 'c' }],
    [outside, { bug: 'x', ui: 'x' }],
    [closedDoor, { bug: 'z', ui: 'z' }],
  ] as const) {
    const milestone = await world.milestone(project, ann, { title: '1.0' });
    for (const [title, letters] of Object.entries(titles)) {
      const label = await world.label(project, ann, title);
      const labelled = [...letters].map((letter) => ({ mergeRequestId: ids.get(letter) ?? 0, labelId: label.id }));
      await world.db.mergeRequestLabel.createMany({ data: labelled });
    }
    const there = { targetProjectId: project.id, title: { in: ['b', 'c', 'e', 'z'] } };
    await world.db.mergeRequest.updateMany({ where: there, data: { milestoneId: milestone.id } });
  }
  await world.db.project.update({ where: { id: old.id }, data: { archived: true } });
  await world.db.project.update({ where: { id: closedDoor.id }, data: { mergeRequestsEnabled: false } });
  const { id: subjectId } = await world.db.mergeRequest.findFirstOrThrow({ where: { title: 'd' } });
  await world.db.awardEmoji.create({ data: { subjectType: 'MergeRequest', subjectId, userId: ann.id, name: 'heart' } });
});

/** The letters of the list; its total says the same. */
async function listed(who: TestUser, path: string): Promise<string> {
  const { status, headers, body } = await world.api(who).get(path);
  expect([path, status]).toEqual([path, 200]);
  expect(headers['x-total']).toBe(String(body.length));
  return body.map(({ title }: Json) => title).join('');
}

describe('GET /merge_requests and /groups/:id/merge_requests', () => {
  it.each([
    ['', 'abcdexy', 'abcde'],
    ['state=opened', 'acdxy', 'acd'],
    ['state=locked', '', ''],
    ['author_username=ANN', 'ac', 'ac'],
    [`search=quaternion`, 'ad', 'ad'],
    ['search=quaternion&in=title', '', ''],
    ['search=b&in=title', 'b', 'b'],
    ['merge_user_username=Ben', 'b', 'b'],
    ['my_reaction_emoji=heart', 'd', 'd'],
    ['my_reaction_emoji=Any', 'd', 'd'],
    ['not[my_reaction_emoji]=heart&state=opened', 'acxy', 'ac'],
    ['assignee_id=Any', 'be', 'be'],
    ['source_branch=topic-2', 'c', 'c'],
    ['non_archived=false&author_username=ben', 'bdexy', 'bdey'],
    ['non_archived=true&author_username=ben', 'bdex', 'bde'],
    ['labels=bug', 'abcx', 'abc'],
    ['labels=bug,ui', 'ax', 'a'],
    ['labels=bug,Any', 'abcx', 'abc'],
    ['labels=bug,unknown', '', ''],
    ['labels=bug&not[labels]=ui', 'bc', 'bc'],
    ['labels=bug&not[labels]=ui&milestone=1.0&state=merged', 'b', 'b'],
    ['labels=bug&author_username=ben', 'bx', 'b'],
    ['labels=bug&order_by=title', 'abcx', 'abc'],
    ['labels=Any', 'abcex', 'abce'],
    ['labels=None', 'dy', 'd'],
    ['milestone=1.0', 'bce', 'bce'],
    ['order_by=title', 'abcdexy', 'abcde'],
    ['order_by=updated_at', 'yxedcba', 'edcba'],
  ])('with %j keep what fits', async (query, everywhere, inGroup) => {
    expect(await listed(ann, `/merge_requests?scope=all&sort=asc&${query}`)).toBe(everywhere);
    expect(await listed(ann, `/groups/${group.id}/merge_requests?sort=asc&${query}`)).toBe(inGroup);
    const backwards = await listed(ann, `/merge_requests?scope=all&sort=desc&${query}`);
    expect(backwards.split('').reverse().join('')).toBe(everywhere);
  });

  it('show only what the caller may read, before paging', async () => {
    expect(await listed(stranger, '/merge_requests?scope=all&sort=asc')).toBe('abey');
    expect(await listed(stranger, '/merge_requests?scope=all&sort=asc&author_username=ben')).toBe('bey');
    expect(await listed(stranger, '/merge_requests?scope=all&sort=asc&search=quaternion')).toBe('a');
    expect(await listed(stranger, `/groups/${group.id}/merge_requests?sort=asc`)).toBe('abe');
    const first = await world.api(ann).get('/merge_requests?scope=all&sort=asc&per_page=2&page=2');
    expect([first.body.map(({ title }: Json) => title).join(''), first.headers['x-total']]).toEqual(['cd', '7']);
  });

  it('show what the caller opened unless /merge_requests is asked for more', async () => {
    expect(await listed(ann, '/merge_requests?sort=asc')).toBe('ac');
    expect(await listed(ann, '/merge_requests?sort=asc&scope=assigned-to-me')).toBe('b');
    expect(await listed(ann, `/merge_requests?scope=all&source_project_id=${open.id}&sort=asc`)).toBe('abce');
  });

  it('take one of two names for a person, and know their words', async () => {
    for (const list of ['/merge_requests', `/groups/${group.id}/merge_requests`]) {
      for (const query of ['scope=mine', 'state=odd', 'order_by=odd', 'author_id=1&author_username=ann']) {
        expect((await world.api(ann).get(`${list}?${query}`)).status).toBe(400);
      }
      expect((await world.api().get(list)).status).toBe(401);
      const [one] = (await world.api(ann).get(`${list}?scope=all&view=simple`)).body;
      expect(one).not.toHaveProperty('author');
    }
  });

  it('are read by few statements, and page by page with cursors', async () => {
    const statements = await world.statements(() => world.api(ann).get('/merge_requests?scope=all'));
    expect(statements.length).toBeLessThanOrEqual(3);
    const query = `query ($after: String, $orderBy: MergeRequestOrder!) { mergeRequests(first: 2, after: $after, orderBy: $orderBy, sort: ASC) {
      nodes { title } pageInfo { endCursor hasNextPage } } }`;
    for (const orderBy of ['CREATED_AT', 'TITLE', 'MERGED_AT']) {
      let [after, all]: [string | null, string] = [null, ''];
      for (let page = 0; page < 9; page += 1) {
        const { body } = await world.send('POST', '/graphql', {
          headers: { 'PRIVATE-TOKEN': ann.token },
          body: { query, variables: { after, orderBy } },
        });
        const { nodes, pageInfo } = body.data.mergeRequests;
        all += nodes.map(({ title }: Json) => title).join('');
        after = pageInfo.endCursor;
        if (!pageInfo.hasNextPage) break;
      }
      expect([...all].sort().join('')).toBe('abcdexy');
    }
  });

  it('are read for several groups together, each with what is in it', async () => {
    const query = `query ($filter: MergeRequestFilter) { groups { nodes { id parentId
      mergeRequests(filter: $filter, orderBy: TITLE, sort: ASC, first: 3) { totalCount nodes { title } } } } }`;
    const ask = async (filter: object) => {
      const headers = { 'PRIVATE-TOKEN': ann.token };
      const { body } = await world.send('POST', '/graphql', { headers, body: { query, variables: { filter } } });
      const lists = body.data.groups.nodes.map(({ parentId, mergeRequests: { totalCount, nodes } }: Json) => {
        return [parentId === null ? 'outer' : 'inner', nodes.map(({ title }: Json) => title).join(''), totalCount];
      });
      return Object.fromEntries(lists.map(([name, ...list]: [string, ...unknown[]]) => [name, list]));
    };
    expect(await ask({ nonArchived: true })).toEqual({ outer: ['abc', 5], inner: ['cd', 2] });
    expect(await ask({ authorUsername: 'ben' })).toEqual({ outer: ['bde', 4], inner: ['d', 1] });
    expect(await ask({ search: 'quaternion' })).toEqual({ outer: ['ad', 2], inner: ['d', 1] });
  });

  it('are read for a label of the group in each order', async () => {
    const label = await world.db.label.create({ data: { groupId: group.id, title: 'wide', color: '#ff0000' } });
    const some = await world.db.mergeRequest.findMany({ where: { title: { in: ['b', 'c', 'd'] } } });
    const data = some.map(({ id }) => ({ mergeRequestId: id, labelId: label.id }));
    await world.db.mergeRequestLabel.createMany({ data });
    const query = `query ($group: GroupRef!, $orderBy: MergeRequestOrder!) { group(ref: $group) { label(ref: "wide") {
      mergeRequests(orderBy: $orderBy, sort: ASC) { totalCount nodes { title } } } } }`;
    const ask = async (who: TestUser, orderBy: string) => {
      const variables = { group: String(group.id), orderBy };
      const headers = { 'PRIVATE-TOKEN': who.token };
      const { body } = await world.send('POST', '/graphql', { headers, body: { query, variables } });
      const { totalCount, nodes } = body.data.group.label.mergeRequests;
      return `${nodes.map(({ title }: Json) => title).join('')} ${totalCount}`;
    };
    expect(await ask(ann, 'TITLE')).toBe('bcd 3');
    expect(await ask(ann, 'UPDATED_AT')).toBe('dcb 3');
    expect(await ask(stranger, 'TITLE')).toBe('b 1');
  });
});
