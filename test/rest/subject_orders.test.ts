// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user({ username: 'ann' });
const ben = await world.user();
const fans = [await world.user(), await world.user(), await world.user()];
let group: GroupRow;
let open: ProjectRow;

interface Made {
  milestone?: 'soon' | 'late' | 'never';
  labels?: ('urgent' | 'common' | 'plain' | 'shared')[];
  likes?: number;
  /** Days of the due date, or of the merge. */
  day?: number;
  title?: string;
}

/** By first letter, the oldest first; those of DEEPER are in a project of the group below. */
const MADE: Record<string, Made> = {
  a: { milestone: 'late', labels: ['common', 'urgent'], likes: 1, day: 3 },
  b: { milestone: 'soon', labels: ['common'], likes: 3 },
  c: { labels: ['plain'], day: 1 },
  d: { milestone: 'soon', labels: ['urgent', 'plain'], likes: 1, day: 3 },
  e: { milestone: 'never', labels: ['shared'] },
  f: { likes: 2, day: 2 },
};
const DEEPER = 'ef';

/** The order of each, ascending and descending; what has no value is last, and equal ones are in the order of their IDs. */
const ORDERS: [by: string, asc: string, desc: string][] = [
  ['created_at', 'abcdef', 'fedcba'],
  ['updated_at', 'fedcba', 'abcdef'],
  ['title', 'fedcba', 'abcdef'],
  // urgent is 1, common and shared are 5; in the project of e alone.
  ['label_priority', 'adbecf', 'ebdafc'],
  ['milestone_due', 'bdacef', 'adbfec'],
  ['popularity', 'ceadfb', 'bfdaec'],
  ['priority', 'bdaecf'.replace('bd', 'db'), 'abdefc'],
];
const OF_ISSUES: typeof ORDERS = [...ORDERS, ['due_date', 'cfadbe', 'dafceb']];
const OF_MERGE_REQUESTS: typeof ORDERS = [...ORDERS, ['merged_at', 'cfadbe', 'dafceb']];

/** Decoys: a private project whose records would be first and last in every order, and labels and likes of other kinds of records. */
beforeAll(async () => {
  group = await world.group({ owner: ann, visibility: 'public' });
  const inner = await world.group({ owner: ann, visibility: 'public', parentId: group.id });
  open = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
  const deeper = await world.project({ owner: ann, namespaceId: inner.id, visibility: 'public' });
  const hidden = await world.project({ owner: ben, visibility: 'private' });
  const dates = { soon: new Date('2030-05-01'), late: new Date('2030-06-01'), never: null };
  const milestones = new Map<string, number>();
  for (const [n, [title, dueDate]] of Object.entries(dates).entries()) {
    const { id } = await world.db.milestone.create({ data: { iid: n + 1, groupId: group.id, title, dueDate } });
    milestones.set(title, id);
  }
  const labels = new Map<string, number>();
  for (const project of [open, deeper, hidden]) {
    for (const [title, priority] of Object.entries({ urgent: 1, common: 5, plain: null })) {
      const { id } = await world.db.label.create({
        data: { projectId: project.id, title, color: '#ff0000', priority },
      });
      labels.set(`${title} ${project.id}`, id);
    }
  }
  const shared = await world.db.label.create({ data: { groupId: group.id, title: 'shared', color: '#ff0000' } });
  await world.db.labelPriority.create({ data: { labelId: shared.id, projectId: deeper.id, priority: 5 } });
  await world.db.labelPriority.create({ data: { labelId: shared.id, projectId: open.id, priority: 0 } });

  const write = async (
    project: ProjectRow,
    iid: number,
    title: string,
    { milestone, labels: titles = [], likes = 0, day }: Made,
  ) => {
    const common = {
      iid,
      title,
      authorId: ann.id,
      milestoneId: milestones.get(milestone ?? '') ?? null,
      createdAt: new Date(Date.UTC(2030, 0, iid)),
      updatedAt: new Date(Date.UTC(2030, 1, 20 - iid)),
    };
    const date = day === undefined ? null : new Date(Date.UTC(2030, 3, day));
    const issue = await world.db.issue.create({ data: { ...common, projectId: project.id, dueDate: date } });
    const of = { targetProjectId: project.id, sourceProjectId: project.id, sourceBranch: title, targetBranch: 'main' };
    const mergeRequest = await world.db.mergeRequest.create({
      data: { ...common, ...of, state: date ? 'merged' : 'opened' },
    });
    // A trigger sets the time of a merge.
    await world.db.mergeRequest.update({ where: { id: mergeRequest.id }, data: { mergedAt: date } });
    for (const name of titles) {
      const labelId = labels.get(`${name} ${project.id}`) ?? shared.id;
      await world.db.issueLabel.create({ data: { issueId: issue.id, labelId } });
      await world.db.mergeRequestLabel.create({ data: { mergeRequestId: mergeRequest.id, labelId } });
    }
    for (const [subjectType, subjectId] of [
      ['Issue', issue.id],
      ['MergeRequest', mergeRequest.id],
      ['Snippet', 7 - iid],
    ] as const) {
      for (const { id: userId } of fans.slice(0, likes)) {
        await world.db.awardEmoji
          .create({ data: { subjectType, subjectId, userId, name: 'thumbsup' } })
          .catch(() => null);
      }
      for (const { id: userId } of fans.slice(likes)) {
        await world.db.awardEmoji
          .create({ data: { subjectType, subjectId, userId, name: 'thumbsdown' } })
          .catch(() => null);
      }
    }
  };
  // Something beforehand, so that issues and merge requests have other IDs.
  await write(hidden, 1, 'x', { milestone: 'soon', labels: ['urgent'], likes: 3, day: 1 });
  await world.db.issue.delete({ where: { projectId_iid: { projectId: hidden.id, iid: 1 } } });
  await write(hidden, 2, 'y', { milestone: 'soon', labels: ['urgent'], likes: 3, day: 1 });
  for (const [n, [letter, made]] of Object.entries(MADE).entries()) {
    // By title the last letter is the first one.
    await write(DEEPER.includes(letter) ? deeper : open, n + 3, `${9 - n} ${letter}`, made);
  }
  await write(hidden, 10, 'z', { milestone: 'late', labels: ['common'], day: 9 });
});

const letters = (records: Json[]) => records.map(({ title }) => title.slice(2)).join('');
const within = (order: string) =>
  order
    .split('')
    .filter((letter) => !DEEPER.includes(letter))
    .join('');

describe.each([
  ['issues', OF_ISSUES],
  ['merge_requests', OF_MERGE_REQUESTS],
] as const)('Lists of %s', (kind, orders) => {
  const list = async (who: TestUser, at: string, query: string) => {
    const { status, headers, body } = await world.api(who).get(`${at}/${kind}?scope=all&${query}`);
    expect([query, status]).toEqual([query, 200]);
    return { found: letters(body), total: headers['x-total'] };
  };

  it.each(orders.map(([by, asc, desc]) => [by, asc, desc] as const))(
    'are ordered by %s on all levels',
    async (by, asc, desc) => {
      for (const [sort, order] of [
        ['asc', asc],
        ['desc', desc],
      ] as const) {
        const query = `order_by=${by}&sort=${sort}`;
        expect(await list(ann, '', query)).toEqual({ found: order, total: '6' });
        expect(await list(ann, `/groups/${group.id}`, query)).toEqual({ found: order, total: '6' });
        expect(await list(ann, `/projects/${open.id}`, query)).toEqual({ found: within(order), total: '4' });
        expect(await list(ann, '', `${query}&not[labels]=plain`)).toMatchObject({ found: order.replace(/[cd]/g, '') });
        expect(await list(ann, '', `${query}&author_username=ann&search=b`)).toMatchObject({ found: 'b' });
        expect(await list(ann, '', `${query}&per_page=2&page=2`)).toEqual({ found: order.slice(2, 4), total: '6' });
        expect(await list(ann, `/projects/${open.id}`, `${query}&per_page=3&page=2`)).toMatchObject({
          found: within(order).slice(3),
        });
      }
    },
  );

  itEveryNth(
    4,
    orders.map(([by, asc, desc]) => [by, asc, desc] as const),
  )('are read by cursors in both directions, ordered by %s', async (by, asc, desc) => {
    const field = kind === 'issues' ? 'issues' : 'mergeRequests';
    const places = [
      ['', ''],
      [`group(ref: ${group.id}) {`, '}'],
      [`project(ref: ${open.id}) {`, '}'],
    ];
    for (const [sort, order] of [
      ['ASC', asc],
      ['DESC', desc],
    ] as const) {
      for (const [before, after] of places) {
        const wanted = before?.startsWith('project') ? within(order) : order;
        const read = async (args: string) => {
          const query = `{ ${before} list: ${field}(orderBy: ${by.toUpperCase()}, sort: ${sort}, ${args}) {
            nodes { title } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } ${after} }`;
          const { data } = (await world.graphql(query, {}, ann)).body;
          return (Object.values(data)[0] as Json).list ?? data.list;
        };
        let [forwards, backwards] = ['', ''];
        for (let cursor = ''; forwards.length < wanted.length; ) {
          const { nodes, pageInfo } = await read(`first: 1${cursor}`);
          expect(nodes).toHaveLength(1);
          forwards += letters(nodes);
          expect(pageInfo.hasNextPage).toBe(forwards.length < wanted.length);
          cursor = `, after: "${pageInfo.endCursor}"`;
        }
        for (let cursor = ''; backwards.length < wanted.length; ) {
          const { nodes, pageInfo } = await read(`last: 1${cursor}`);
          expect(nodes).toHaveLength(1);
          backwards = letters(nodes) + backwards;
          expect(pageInfo.hasPreviousPage).toBe(backwards.length < wanted.length);
          cursor = `, before: "${pageInfo.startCursor}"`;
        }
        expect([by, sort, before, forwards, backwards]).toEqual([by, sort, before, wanted, wanted]);
      }
    }
  });

  it('refuse cursors of another order', async () => {
    const field = kind === 'issues' ? 'issues' : 'mergeRequests';
    const read = (by: string, args = '') =>
      world.graphql(`{ ${field}(orderBy: ${by}, first: 1${args}) { pageInfo { endCursor } } }`, {}, ann);
    const cursorOf = async (by: string) => (await read(by)).body.data[field].pageInfo.endCursor;
    for (const [one, two] of [
      ['POPULARITY', 'TITLE'],
      ['CREATED_AT', 'PRIORITY'],
    ] as const) {
      for (const [by, wrong] of [
        [one, two],
        [two, one],
      ] as const) {
        const { body } = await read(by, `, after: "${await cursorOf(wrong)}"`);
        expect(body.errors[0].extensions).toMatchObject({
          code: 'VALIDATION_FAILED',
          fields: { after: ['is not a cursor of this list'] },
        });
      }
    }
  });

  it('are read by as many statements in each order', async () => {
    const read = (by: string) => () => world.api(ann).get(`/${kind}?scope=all&order_by=${by}`);
    await read('created_at')();
    const counts: number[] = [];
    for (const [by] of orders) counts.push((await world.statements(read(by))).length);
    expect(new Set(counts).size).toBe(1);
  });
});
