import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBoardList, moveBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { createLabel, deleteLabel } from '#src/domain/tracking/labels/save.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const stranger = await world.user();
const api = world.api(reporter);
let project: ProjectRow;
let boards: string;
let at: string;

beforeEach(async () => {
  project = await world.project({ owner });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  boards = `/projects/${project.id}/boards`;
  const { id } = await world.db.board.findFirstOrThrow({ where: { projectId: project.id } });
  at = `${boards}/${id}/lists`;
});

/** New lists with labels of these names. */
async function lists(...names: string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) {
    const label = await world.label(project, owner, name);
    ids.push((await api.post(at, { label_id: label.id })).body.id);
  }
  return ids;
}

/** The names of the lists in their order; their positions have no gap. */
async function order(): Promise<string[]> {
  const { body } = await api.get(at);
  expect(body.map(({ position }: { position: number }) => position)).toEqual(body.map((_: unknown, n: number) => n));
  return body.map(({ label }: { label: { name: string } }) => label.name);
}

describe('Boards', () => {
  it('are there from the start, one for each project, with their lists', async () => {
    const [id] = await lists('doing');
    const { status, body, headers } = await world.api(guest).get(boards);
    expect(status).toBe(200);
    expect(headers['x-total']).toBe('1');
    expect(body).toEqual([
      {
        id: expect.any(Number),
        name: 'Development',
        hide_backlog_list: false,
        hide_closed_list: false,
        project: expect.objectContaining({ id: project.id, path_with_namespace: project.fullPath }),
        lists: [
          {
            id,
            position: 0,
            label: { id: expect.any(Number), name: 'doing', color: '#ff0000', description: null },
          },
        ],
      },
    ]);
    expect(await world.db.board.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('are 404 to who does not see the project, and under another number', async () => {
    expect((await world.api(stranger).get(boards)).status).toBe(404);
    expect((await world.api(stranger).get(at)).body).toEqual({ message: '404 Project Not Found' });
    const other = await world.project({ owner: reporter });
    const foreign = await world.db.board.findFirstOrThrow({ where: { projectId: other.id } });
    expect(await api.get(`${boards}/${foreign.id}/lists`)).toMatchObject({
      status: 404,
      body: { message: '404 Board Not Found' },
    });
  });
});

describe('Several boards of a project', () => {
  it('are created, renamed and deleted, each with lists of its own', LONG, async () => {
    const own = await world.project({ owner });
    const path = `/projects/${own.id}/boards`;
    const as = world.api(owner);
    const [first] = (await as.get(path)).body;
    const made = await as.post(path, { name: ' Second ' });
    expect(made).toMatchObject({ status: 201, body: { name: 'Second', lists: [], hide_closed_list: false } });
    const second = `${path}/${made.body.id}`;
    const { id: label_id } = await world.label(own, owner);
    const { body: list } = await as.post(`${second}/lists`, { label_id });
    expect((await as.post(`${second}/lists`, { label_id })).status).toBe(400);
    expect((await as.post(`${path}/${first.id}/lists`, { label_id })).status).toBe(201);
    expect((await as.get(`${second}/lists`)).body).toEqual([list]);
    const missing = { status: 404, body: { message: '404 Not found' } };
    expect(await as.get(`${path}/${first.id}/lists/${list.id}`)).toMatchObject(missing);
    expect(await as.put(`${path}/${first.id}/lists/${list.id}`, { position: 0 })).toMatchObject(missing);
    expect(await as.put(second, { name: 'Renamed', hide_backlog_list: true })).toMatchObject({
      status: 200,
      body: { name: 'Renamed', hide_backlog_list: true, lists: [{ id: list.id }] },
    });
    expect(await as.put(second, { name: ' ' })).toMatchObject({
      status: 400,
      body: { message: { name: ["can't be blank"] } },
    });
    expect((await as.get(path)).body.map(({ id }: { id: number }) => id)).toEqual([first.id, made.body.id]);
    expect(await as.delete(second)).toMatchObject({ status: 204, body: null });
    expect(await as.get(second)).toMatchObject({ status: 404, body: { message: '404 Board Not Found' } });
    expect(await world.db.boardList.count({ where: { boardId: made.body.id } })).toBe(0);
  });

  it('are one at least: the only one stays with its lists', async () => {
    const own = await world.project({ owner });
    const as = world.api(owner);
    const [{ id }] = (await as.get(`/projects/${own.id}/boards`)).body;
    const { id: label_id } = await world.label(own, owner);
    await as.post(`/projects/${own.id}/boards/${id}/lists`, { label_id });
    expect((await as.delete(`/projects/${own.id}/boards/${id}`)).status).toBe(204);
    expect((await as.get(`/projects/${own.id}/boards/${id}`)).body.lists).toHaveLength(1);
  });

  it('are at most 100 boards, however many are made at once', LONG, async () => {
    const own = await world.project({ owner });
    await world.db.board.createMany({ data: Array.from({ length: 98 }, () => ({ projectId: own.id })) });
    const path = `/projects/${own.id}/boards`;
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => world.api(owner).post(path, { name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    expect(await world.db.board.count({ where: { projectId: own.id } })).toBe(100);
  });
});

describe('Boards of a group', () => {
  it('have lists by labels of the group and those around, with the issues of projects inside', LONG, async () => {
    const top = await world.group({ owner });
    const inner = await world.group({ owner, parentId: top.id });
    const [inside, outside] = [
      await world.project({ owner, namespaceId: inner.id }),
      await world.project({ owner, namespaceId: top.id }),
    ];
    const as = world.api(owner);
    const path = `/groups/${inner.id}/boards`;
    expect((await as.get(path)).body).toEqual([]);
    const { status, body: board } = await as.post(path, { name: 'All' });
    expect([status, board]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'All',
        hide_backlog_list: false,
        hide_closed_list: false,
        group: { id: inner.id, name: inner.name, web_url: expect.stringContaining(inner.fullPath) },
        lists: [],
      },
    ]);
    const label = async (place: { group: number }, title: string) =>
      (await createLabel(world.as(owner), place, { title, color: 'red' })).id;
    const [around, own] = [await label({ group: top.id }, 'around'), await label({ group: inner.id }, 'own')];
    const ofProject = await world.label(inside, owner, 'of project');
    const lists = `${path}/${board.id}/lists`;
    expect(await as.post(lists, { label_id: ofProject.id })).toMatchObject({
      status: 400,
      body: { message: { error: 'Label not found!' } },
    });
    const [one, two] = [await as.post(lists, { label_id: around }), await as.post(lists, { label_id: own })];
    expect([one?.status, two?.status]).toEqual([201, 201]);
    expect(await as.put(`${lists}/${two?.body.id}`, { position: 0 })).toMatchObject({ status: 200 });
    expect((await as.get(lists)).body.map((list: { label: { name: string } }) => list.label.name)).toEqual([
      'own',
      'around',
    ]);
    const issue = await world.issue(inside, owner, { title: 'seen', labels: ['around'] });
    await world.issue(inside, owner, { title: 'secret', labels: ['around'], confidential: true });
    await world.issue(outside, owner, { title: 'outside of the group', labels: ['around'] });
    const reader = await world.user();
    await world.member(inside, reader, 'guest');
    const query = `query ($ref: GroupRef!, $id: ID!) { group(ref: $ref) { board(id: $id) { lists(first: 9) { nodes {
      label { title } issues { totalCount nodes { title } } } } } } }`;
    const seen = await world.graphql(query, { ref: inner.id, id: board.id }, reader);
    expect(seen.body.data.group.board.lists.nodes).toEqual([
      { label: { title: 'own' }, issues: { totalCount: 0, nodes: [] } },
      { label: { title: 'around' }, issues: { totalCount: 1, nodes: [{ title: 'seen' }] } },
    ]);
    const move = 'mutation ($input: MoveBoardIssueInput!) { moveBoardIssue(input: $input) { issue { labelTitles } } }';
    const input = { project: inside.fullPath, iid: issue.iid, fromListId: one?.body.id, toListId: two?.body.id };
    const moved = await world.graphql(move, { input }, owner);
    expect(moved.body.data.moveBoardIssue.issue.labelTitles).toEqual(['own']);
    expect((await as.delete(`${lists}/${one?.body.id}`)).status).toBe(204);
    expect((await world.api(stranger).get(`${path}/${board.id}`)).status).toBe(404);
    expect((await world.api(reader).delete(`${path}/${board.id}`)).status).toBe(403);
    expect((await as.delete(`${path}/${board.id}`)).status).toBe(204);
    expect((await as.get(path)).body).toEqual([]);
  });
});

describe('Lists of a board', () => {
  it('are added behind the others, found, moved and removed', LONG, async () => {
    const [first, second, third] = await lists('a', 'b', 'c');
    expect(await order()).toEqual(['a', 'b', 'c']);
    expect((await api.get(`${at}/${second}`)).body).toMatchObject({ id: second, position: 1 });
    expect(await api.put(`${at}/${third}`, { position: 0 })).toMatchObject({ status: 200, body: { position: 0 } });
    expect(await order()).toEqual(['c', 'a', 'b']);
    expect((await api.put(`${at}/${third}`, { position: 2 })).body.position).toBe(2);
    expect((await api.put(`${at}/${third}`, { position: 2 })).status).toBe(200);
    expect(await order()).toEqual(['a', 'b', 'c']);
    expect(await api.delete(`${at}/${first}`)).toMatchObject({ status: 204, body: null });
    expect(await order()).toEqual(['b', 'c']);
    expect(await api.delete(`${at}/${first}`)).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    expect((await api.get(`${at}/${first}`)).body).toEqual({ message: '404 Not found' });
  });

  it('go with their labels, and leave no gap', LONG, async () => {
    await lists('a', 'b', 'c');
    await api.delete(`/projects/${project.id}/labels?name=b`);
    expect(await order()).toEqual(['a', 'c']);
    const [fourth] = await lists('d');
    expect((await api.get(`${at}/${fourth}`)).body.position).toBe(2);
  });

  it.each([
    ['of another project', async () => (await world.label(await world.project({ owner: reporter }), reporter)).id],
    ['that there is not', async () => 999_999],
  ])('are not made for labels %s', async (_, label) => {
    expect(await api.post(at, { label_id: await label() })).toMatchObject({
      status: 400,
      body: { message: { error: 'Label not found!' } },
    });
    expect(await order()).toEqual([]);
  });

  it('have a label each', async () => {
    const label = await world.label(project, owner);
    expect((await api.post(at, { label_id: label.id })).status).toBe(201);
    expect(await api.post(at, { label_id: label.id })).toMatchObject({
      status: 400,
      body: { message: { label_id: ['has already been taken'] } },
    });
    expect((await api.post(at, {})).body).toEqual({ error: 'label_id is missing' });
  });

  it.each([-1, 2, 2_147_483_647])('cannot be moved to position %s of two', async (position) => {
    const [first] = await lists('a', 'b');
    expect(await api.put(`${at}/${first}`, { position })).toMatchObject({
      status: 400,
      body: { message: { error: 'List could not be moved!' } },
    });
    expect(await order()).toEqual(['a', 'b']);
  });

  it('keep an order without gaps however many change it at once', LONG, async () => {
    const ids = await lists('a', 'b', 'c', 'd');
    const labels = await Promise.all(['e', 'f', 'g'].map((name) => world.label(project, owner, name)));
    const doomed = await world.label(project, owner, 'doomed');
    await createBoardList(world.as(owner), { project: project.id }, null, doomed.id);
    const moves = ids.flatMap((id) =>
      [0, 3].map((to) => moveBoardList(world.as(owner), { project: project.id }, null, id, to)),
    );
    const made = labels.map(({ id }) => createBoardList(world.as(owner), { project: project.id }, null, id));
    await Promise.all([...moves, ...made, deleteLabel(world.as(owner), { project: project.id }, { id: doomed.id })]);
    expect((await order()).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('are at most 100', async () => {
    const { id: boardId } = await world.db.board.findFirstOrThrow({ where: { projectId: project.id } });
    const labels = await world.db.label.createManyAndReturn({
      data: Array.from({ length: 101 }, (_, n) => ({ projectId: project.id, title: `l${n}`, color: '#ffffff' })),
    });
    await world.db.boardList.createMany({
      data: labels.slice(0, 100).map(({ id }, rank) => ({ projectId: project.id, boardId, labelId: id, rank })),
    });
    expect(await api.post(at, { label_id: labels[100]?.id })).toMatchObject({
      status: 403,
      body: { error: ['A board can have at most 100 lists'] },
    });
    expect((await api.get(boards)).body[0].lists).toHaveLength(100);
  });

  it('are changed by reporters only', LONG, async () => {
    const [id] = await lists('a', 'b');
    const label = await world.label(project, owner);
    const asGuest = world.api(guest);
    expect((await asGuest.post(at, { label_id: label.id })).status).toBe(403);
    expect((await asGuest.put(`${at}/${id}`, { position: 1 })).status).toBe(403);
    expect((await asGuest.delete(`${at}/${id}`)).status).toBe(403);
    expect(await order()).toEqual(['a', 'b']);
  });
});

describe('The board in GraphQL', () => {
  const MOVE = `mutation ($input: MoveBoardIssueInput!) { moveBoardIssue(input: $input) { issue { labelTitles } } }`;

  it(
    'shows the open issues of each list that the caller can see, in as many statements for many lists as for few',
    LONG,
    async () => {
      await lists('a', 'b', 'c', 'd');
      const labels = ['a'];
      await world.issue(project, owner, { title: 'open', labels });
      await world.issue(project, owner, { title: 'secret', labels, confidential: true });
      const closed = await world.issue(project, owner, { title: 'closed', labels });
      await world.api(owner).put(`/projects/${project.id}/issues/${closed.iid}`, { state_event: 'close' });
      const query = `query ($ref: ProjectRef!, $n: Int!) { project(ref: $ref) { board { lists(first: $n) { nodes {
      position label { title openIssuesCount } issues { totalCount nodes { title } } } } } } }`;
      const ask = (n: number, who = guest) => world.graphql(query, { ref: project.id, n }, who);
      const { body } = await ask(4);
      expect(body.errors).toBeUndefined();
      expect(body.data.project.board.lists.nodes[0]).toEqual({
        position: 0,
        label: { title: 'a', openIssuesCount: 1 },
        issues: { totalCount: 1, nodes: [{ title: 'open' }] },
      });
      for (let time = 0; time < 2; time += 1) await ask(1);
      const [few, many] = [await world.statements(() => ask(1)), await world.statements(() => ask(4))];
      expect(many.length).toBe(few.length);
    },
  );

  it('moves an issue between lists by swapping their labels, and leaves other labels alone', LONG, async () => {
    const [from, to] = await lists('a', 'b');
    const { iid, id } = await world.issue(project, owner, { labels: ['a', 'other'] });
    const input = { project: String(project.id), iid, fromListId: String(from), toListId: String(to) };
    expect((await world.graphql(MOVE, { input }, reporter)).body.data.moveBoardIssue.issue.labelTitles).toEqual([
      'b',
      'other',
    ]);
    await world.graphql(MOVE, { input: { ...input, toListId: null, fromListId: String(to) } }, reporter);
    expect(await world.db.issueLabel.count({ where: { issueId: id } })).toBe(1);
  });

  it('moves issues for reporters only, between lists of the project only', async () => {
    const [from, to] = await lists('a', 'b');
    const { iid, id } = await world.issue(project, guest, {});
    await world.api(owner).put(`/projects/${project.id}/issues/${iid}`, { labels: 'a' });
    const input = { project: String(project.id), iid, fromListId: String(from), toListId: String(to) };
    const code = async (who: typeof guest, more = {}) =>
      (await world.graphql(MOVE, { input: { ...input, ...more } }, who)).body.errors[0].extensions.code;
    expect(await code(guest)).toBe('FORBIDDEN');
    expect(await code(stranger)).toBe('NOT_FOUND');
    expect(await code(reporter, { fromListId: null, toListId: null })).toBe('BAD_REQUEST');
    const own = await world.project({ owner: reporter });
    const label = await world.label(own, reporter);
    const { id: foreign } = await createBoardList(world.as(reporter), { project: own.id }, null, label.id);
    expect(await code(reporter, { toListId: String(foreign) })).toBe('NOT_FOUND');
    expect(await world.db.issueLabel.count({ where: { issueId: id, label: { title: 'a' } } })).toBe(1);
  });
});
