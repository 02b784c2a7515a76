// One part in depth, which the long run has.
// @module-tag long
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user({ username: 'ann' });
const ben = await world.user({ username: 'Ben' });
let group: GroupRow;
let open: ProjectRow;

/** Issues whose titles tell them apart, the oldest first; those at the end must appear to nobody but their owner. */
beforeAll(async () => {
  group = await world.group({ owner: ann, visibility: 'public' });
  const inner = await world.group({ owner: ann, visibility: 'public', parentId: group.id });
  open = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
  const deeper = await world.project({ owner: ann, namespaceId: inner.id, visibility: 'public' });
  const off = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
  const hidden = await world.project({ owner: await world.user(), visibility: 'private' });
  const made: [project: ProjectRow, author: TestUser, title: string, values: Json][] = [
    [open, ann, 'a', { labels: ['bug', 'ui'], description: 'about quaternions' }],
    [open, ben, 'b', { labels: ['bug'], assigneeId: ann.id }],
    [deeper, ben, 'c quaternion', { labels: ['ui'], confidential: true }],
    [deeper, ann, 'd', { assigneeId: ben.id }],
    [open, ann, 'e', { confidential: true }],
    [off, ann, 'x quaternion', { labels: ['bug'], assigneeId: ann.id }],
    [hidden, ann, 'y quaternion', { labels: ['bug'], assigneeId: ann.id }],
  ];
  for (const [n, [project, author, title, { labels = [], ...values }]] of made.entries()) {
    const at = { createdAt: new Date(`2030-01-0${n + 1}`), updatedAt: new Date(`2030-02-0${7 - n}`) };
    const data = { projectId: project.id, iid: n + 1, authorId: author.id, title, ...at, ...values };
    const { id: issueId } = await world.db.issue.create({ data });
    for (const title of labels) {
      const where = { projectId_title: { projectId: project.id, title } };
      const create = { projectId: project.id, title, color: '#ff0000' };
      const label = await world.db.label.upsert({ where, create, update: {} });
      await world.db.issueLabel.create({ data: { issueId, labelId: label.id } });
    }
  }
  await world.db.project.update({ where: { id: off.id }, data: { issuesEnabled: false } });
});

/** First letters of the issues in a list, the oldest first; its total says the same. */
async function listed(who: TestUser, path: string): Promise<string> {
  const { status, headers, body } = await world.api(who).get(path);
  expect([path, status]).toEqual([path, 200]);
  expect(headers['x-total']).toBe(String(body.length));
  return body.map(({ title }: Json) => title[0]).join('');
}

const CASES: [query: string, everywhere: string, inProject: string][] = [
  ['scope=all', 'abcde', 'abe'],
  ['scope=created_by_me', 'ade', 'ae'],
  ['scope=created-by-me', 'ade', 'ae'],
  ['scope=assigned_to_me', 'b', 'b'],
  ['scope=all&author_username=BEN', 'bc', 'b'],
  [`scope=all&author_id=${ben.id}`, 'bc', 'b'],
  ['scope=all&author_username=nobody', '', ''],
  [`scope=all&assignee_id=${ben.id}`, 'd', ''],
  ['scope=all&assignee_id=None', 'ace', 'ae'],
  ['scope=all&assignee_id=0', 'ace', 'ae'],
  ['scope=all&assignee_id=Any', 'bd', 'b'],
  ['scope=all&assignee_username[]=ann', 'b', 'b'],
  ['scope=all&labels=bug', 'ab', 'ab'],
  ['scope=all&labels=bug,ui', 'a', 'a'],
  ['scope=all&labels=None', 'de', 'e'],
  ['scope=all&labels=Any', 'abc', 'ab'],
  ['scope=all&not[labels]=bug', 'cde', 'e'],
  ['scope=all&not[author_username]=ann', 'bc', 'b'],
  ['scope=all&confidential=true', 'ce', 'e'],
  ['scope=all&confidential=false', 'abd', 'ab'],
  ['scope=all&search=quaternion', 'ac', 'a'],
  ['scope=all&search=quaternion&in=title', 'c', ''],
  ['scope=all&search=quaternion&in=description', 'a', 'a'],
  ['scope=all&search=quaternion&not[labels]=bug', 'c', ''],
  ['scope=created_by_me&search=quaternion', 'a', 'a'],
  ['scope=all&search=%20', 'abcde', 'abe'],
  ['scope=all&search=b', 'ab', 'ab'],
  ['scope=all&created_after=2030-01-02&created_before=2030-01-04', 'bcd', 'b'],
  ['scope=all&updated_after=2030-02-06', 'ab', 'ab'],
  ['scope=all&updated_before=2030-02-05', 'cde', 'e'],
  ['scope=all&milestone=Any', '', ''],
  ['scope=all&milestone=None&state=opened', 'abcde', 'abe'],
  ['scope=all&state=closed', '', ''],
  ['scope=all&iids=1,4', 'ad', 'a'],
];

describe('GET /issues, /groups/:id/issues and /projects/:id/issues', () => {
  it.each(CASES)('with %s', async (query, everywhere, inProject) => {
    const lists = ['/issues', `/groups/${group.id}/issues`, `/projects/${open.id}/issues`];
    const found: string[] = [];
    for (const list of lists) found.push(await listed(ann, `${list}?sort=asc&${query}`));
    expect(found).toEqual([everywhere, everywhere, inProject]);
  });

  it('show what the caller may see of what a filter keeps', async () => {
    for (const filter of ['', '&search=quaternion', '&labels=Any', '&author_username=ann', '&confidential=true']) {
      const [all, own] = [`/issues?scope=all${filter}`, `/issues?scope=all&sort=asc${filter}`];
      expect((await listed(ben, all)).split('').reverse().join('')).toBe(await listed(ben, own));
    }
    expect(await listed(ben, '/issues?scope=all&sort=asc')).toBe('abcd');
    expect(await listed(ben, '/issues?scope=all&confidential=true')).toBe('c');
    expect(await listed(await world.user(), '/issues?scope=all&sort=asc')).toBe('abd');
    expect(await listed(await world.user(), '/issues?scope=all&search=quaternion')).toBe('a');
  });

  it('show what the caller opened unless /issues is asked for more, and all in a project or group', async () => {
    expect(await listed(ann, '/issues?sort=asc')).toBe('ade');
    expect(await listed(ann, '/issues?sort=asc&scope=')).toBe('ade');
    expect(await listed(ann, `/groups/${group.id}/issues?sort=asc`)).toBe('abcde');
    expect(await listed(ann, `/projects/${open.id}/issues?sort=asc`)).toBe('abe');
  });

  it.each([
    ['scope=mine', 'scope does not have a valid value'],
    ['confidential=maybe', 'confidential is invalid'],
    ['author_id=1&author_username=ann', 'author_id, author_username are mutually exclusive'],
    ['assignee_id=1&assignee_username=ann', 'assignee_id, assignee_username are mutually exclusive'],
    ['assignee_username[]=ann&assignee_username[]=ben', 'assignee_username allows one value, but found 2: ann, ben'],
    ['not[assignee_id]=someone', 'not[assignee_id] is invalid'],
    ['not[labels][a]=b', 'not[labels] is invalid'],
  ])('refuse %s', async (query, error) => {
    for (const list of ['/issues', `/groups/${group.id}/issues`, `/projects/${open.id}/issues`]) {
      expect(await world.api(ann).get(`${list}?${query}`)).toMatchObject({ status: 400, body: { error } });
    }
  });

  it('are read by few statements', async () => {
    for (const query of ['scope=all', 'scope=all&search=quaternion', 'scope=assigned_to_me&not[labels]=bug']) {
      const read = () => world.api(ann).get(`/issues?${query}`);
      await read();
      await read();
      // One for the caller, one for the page, one for the merge requests that close its issues.
      expect((await world.statements(read)).length).toBeLessThanOrEqual(3);
    }
  });
});

describe('GET /issues_statistics, /groups/:id/issues_statistics and /projects/:id/issues_statistics', () => {
  const close = (title: string, state: 'closed' | 'opened') =>
    world.db.issue.updateMany({ where: { title: { in: [title] } }, data: { state } });
  beforeAll(
    async () => void (await Promise.all(['b', 'd', 'e', 'x quaternion'].map((title) => close(title, 'closed')))),
  );
  afterAll(
    async () => void (await Promise.all(['b', 'd', 'e', 'x quaternion'].map((title) => close(title, 'opened')))),
  );

  /** The issues of a list in that state, by its total. */
  const total = async (who: TestUser, path: string) => Number((await world.api(who).get(path)).headers['x-total']);

  itEveryNth(
    8,
    CASES.map(([query]) => query).filter((query) => !query.includes('state=')),
  )('count what the lists have with %s', async (query) => {
    for (const who of [ann, ben]) {
      for (const at of ['', `/groups/${group.id}`, `/projects/${open.id}`]) {
        const { status, body } = await world.api(who).get(`${at}/issues_statistics?${query}&order_by=nothing`);
        const [opened, closed] = [
          await total(who, `${at}/issues?${query}&state=opened`),
          await total(who, `${at}/issues?${query}&state=closed`),
        ];
        expect(status).toBe(200);
        expect(body).toEqual({ statistics: { counts: { all: opened + closed, closed, opened } } });
      }
    }
  });

  it('count confidential issues for those alone who can see them', async () => {
    const counts = async (who: TestUser) =>
      (await world.api(who).get(`/projects/${open.id}/issues_statistics?state=opened`)).body.statistics.counts;
    expect(await counts(ann)).toEqual({ all: 3, closed: 2, opened: 1 });
    expect(await counts(ben)).toEqual({ all: 2, closed: 1, opened: 1 });
  });

  it('refuse filters that are invalid', async () => {
    expect(await world.api(ann).get('/issues_statistics?scope=mine')).toMatchObject({ status: 400 });
    expect(await world.api().get('/issues_statistics')).toMatchObject({ status: 401 });
    expect(await world.api(ben).get('/projects/0/issues_statistics')).toMatchObject({ status: 404 });
  });

  it('are read with one statement for all projects of a list', async () => {
    const query = '{ projects { nodes { fullPath issueCounts(filter: { labels: ["bug"] }) { all opened closed } } } }';
    const { body } = await world.graphql(query, {}, ann);
    const of = ({ fullPath }: ProjectRow) => body.data.projects.nodes.find((one: Json) => one.fullPath === fullPath);
    expect(body.data.projects.nodes.length).toBeGreaterThan(2);
    expect(of(open).issueCounts).toEqual({ all: 2, opened: 1, closed: 1 });
    const statements = await world.statements(() => world.graphql(query, {}, ann));
    expect(statements.filter((statement) => /FROM "?issues/.test(statement))).toHaveLength(1);
  });
});

describe('Query.issueCounts', () => {
  const query = `query ($filter: IssueCountFilter, $upTo: Int, $project: ProjectRef!) {
    issueCounts(filter: $filter, upTo: $upTo) { opened closed }
    project(ref: $project) { issueCounts(filter: $filter, upTo: $upTo) { opened closed } } }`;
  const ask = async (upTo: number | null, filter: Json) => {
    const { body } = await world.graphql(query, { upTo, filter, project: String(open.id) }, ann);
    return body.errors?.[0].message ?? [body.data.issueCounts, body.data.project.issueCounts];
  };

  it('are exact up to the number that is asked for, and one more where there are more', async () => {
    const filter = { labels: ['bug'] };
    const [all, ofOpen] = await ask(null, filter);
    const most = Math.max(all.opened, all.closed, ofOpen.opened, ofOpen.closed);
    expect(most).toBeGreaterThan(1);
    expect(await ask(most, filter)).toEqual([all, ofOpen]);
    const atMostTwo = ({ opened, closed }: Json) => ({ opened: Math.min(opened, 2), closed: Math.min(closed, 2) });
    expect(await ask(1, filter)).toEqual([atMostTwo(all), atMostTwo(ofOpen)]);
  });

  it('are exact where counters know them', async () => {
    expect(await ask(1, {})).toEqual(await ask(null, {}));
  });

  it.each([0, -1])('refuse to count up to %i', async (upTo) => {
    expect(await ask(upTo, { labels: ['bug'] })).toMatch(/upTo must be at least 1/);
  });
});

describe('Query.issues', () => {
  const query = `query ($filter: IssueFilter, $after: String, $first: Int) {
    issues(filter: $filter, sort: ASC, first: $first, after: $after) { totalCount nodes { title } pageInfo { endCursor } } }`;
  const ask = async (variables: Json, who?: TestUser) => (await world.graphql(query, variables, who)).body;
  const letters = ({ data }: Json) => data.issues.nodes.map(({ title }: Json) => title[0]).join('');

  it('has all issues that the caller sees, and those that a filter keeps', async () => {
    expect(letters(await ask({}, ann))).toBe('abcde');
    expect(letters(await ask({ filter: { scope: 'ASSIGNED_TO_ME' } }, ann))).toBe('b');
    expect(letters(await ask({ filter: { search: 'quaternion', in: ['DESCRIPTION'] } }, ann))).toBe('a');
    expect(letters(await ask({ filter: { not: { assigneeId: 'ANY' } } }, ben))).toBe('ac');
    expect(letters(await ask({}))).toBe('abd');
  });

  it.each([{}, { search: 'quaternion' }, { authorUsername: 'ann' }, { labels: ['Any'] }])(
    'is read page by page with %j',
    async (filter) => {
      const whole = letters(await ask({ filter }, ann));
      let read = '';
      for (let after: string | null = null, n = 0; n < whole.length; n += 1) {
        const page: Json = await ask({ filter, after, first: 1 }, ann);
        expect(page.data.issues.totalCount).toBe(whole.length);
        read += letters(page);
        after = page.data.issues.pageInfo.endCursor;
      }
      expect([read, whole.length > 0]).toEqual([whole, true]);
    },
  );
});
