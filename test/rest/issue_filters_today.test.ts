// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user({ username: 'ann' });
const ben = await world.user({ username: 'ben' });
const other = await world.user();
let group: GroupRow;
let open: ProjectRow;

const DAY = 86_400_000;
const today = new Date(Math.floor(Date.now() / DAY) * DAY);
const inDays = (days: number) => new Date(today.getTime() + days * DAY);

/** Days until each issue is due by first letter; null for those that are never. */
const DUE: Record<string, number | null> = {
  a: -60,
  b: -14,
  c: -15,
  d: -1,
  e: 0,
  f: 1,
  g: 7,
  h: 28,
  i: 100,
  j: null,
  k: null,
};
const LETTERS = Object.keys(DUE).join('');
/** Those in a project of the group below, those in an archived one, and those that only ann sees; the others are in `open`. */
const [DEEPER, ARCHIVED, SECRET] = ['cfi', 'k', 'g'];

/** Beside them there are issues that nobody but their owner sees, in a private project, and such in a project without issues. */
beforeAll(async () => {
  group = await world.group({ owner: ann, visibility: 'public' });
  const inner = await world.group({ owner: ann, visibility: 'public', parentId: group.id });
  const made = (namespaceId: number) => world.project({ owner: ann, namespaceId, visibility: 'public' });
  open = await made(group.id);
  const [deeper, archived, off] = [await made(inner.id), await made(group.id), await made(group.id)];
  const hidden = await world.project({ owner: other, visibility: 'private' });
  const at = async (
    groupId: number | null,
    projectId: number | null,
    title: string,
    start: number,
    due: number | null,
  ) =>
    (
      await world.db.milestone.create({
        data: {
          iid: start + 100,
          title,
          groupId,
          projectId,
          startDate: inDays(start),
          dueDate: due === null ? null : inDays(due),
        },
      })
    ).id;
  const milestones: Record<string, number> = {
    a: await at(group.id, null, 'past', -50, -20),
    b: await at(null, open.id, 'without end', -3, null),
    c: await at(group.id, null, 'now', -10, 10),
    d: await at(null, open.id, 'today', -4, 0),
    e: await at(null, open.id, 'later', 5, 20),
    f: await at(group.id, null, 'tomorrow', 1, 2),
  };
  const closed = await at(null, open.id, 'closed', -7, 30);
  await world.db.milestone.update({ where: { id: closed }, data: { state: 'closed' } });
  milestones.h = closed;
  let n = 0;
  for (const [letter, days] of Object.entries(DUE)) {
    const project = DEEPER.includes(letter) ? deeper : ARCHIVED.includes(letter) ? archived : open;
    n += 1;
    const values = {
      title: letter,
      dueDate: days === null ? null : inDays(days),
      milestoneId: milestones[letter] ?? null,
    };
    const times = { createdAt: new Date(Date.UTC(2030, 0, n)), confidential: SECRET.includes(letter) };
    await world.db.issue.create({ data: { projectId: project.id, iid: n, authorId: ann.id, ...values, ...times } });
  }
  for (const project of [off, hidden]) {
    for (const [m, days] of [...new Set(Object.values(DUE))].entries()) {
      const dueDate = days === null ? null : inDays(days);
      const values = {
        title: 'x',
        dueDate,
        milestoneId: Object.values(milestones)[m] ?? null,
        state: 'closed',
      } as const;
      const { id } = await world.db.issue.create({
        data: { projectId: project.id, iid: m + 1, authorId: ann.id, ...values },
      });
      await world.db.stateEvent.create({ data: { issueId: id, userId: ben.id, state: 'closed' } });
    }
  }
  // Closed by ben; by him, but again by ann; reopened since; by ben while confidential.
  for (const [letter, events] of Object.entries({ b: 'b', c: 'ba', d: 'abr', f: 'ab', g: 'b' })) {
    const { id } = await world.db.issue.findFirstOrThrow({
      where: { title: letter, projectId: { notIn: [off.id, hidden.id] } },
    });
    for (const who of events) {
      const state = who === 'r' ? ('reopened' as const) : ('closed' as const);
      await world.db.stateEvent.create({ data: { issueId: id, userId: who === 'a' ? ann.id : ben.id, state } });
    }
    if (!events.endsWith('r')) await world.db.issue.update({ where: { id }, data: { state: 'closed' } });
  }
  await world.db.project.update({ where: { id: archived.id }, data: { archived: true } });
  await world.db.project.update({ where: { id: off.id }, data: { issuesEnabled: false } });
});

/** First letters of the issues in a list, the oldest first; its total says the same, and so do the statistics. */
async function listed(who: TestUser, at: string, query: string): Promise<string> {
  const { status, headers, body } = await world.api(who).get(`${at}/issues?scope=all&sort=asc&per_page=50&${query}`);
  expect([query, status]).toEqual([query, 200]);
  expect(headers['x-total']).toBe(String(body.length));
  if (query.includes('state=')) return letters(body);
  const { body: counted } = await world.api(who).get(`${at}/issues_statistics?scope=all&${query}`);
  expect(counted.statistics.counts.all).toBe(body.length);
  return letters(body);
}

const letters = (records: Json[]) => records.map(({ title }) => title).join('');

/** The letters of the issues due on days that meet a condition. */
const due = (isDue: (date: Date, days: number) => boolean) =>
  LETTERS.split('')
    .filter((letter) => {
      const days = DUE[letter];
      return days != null && isDue(inDays(days), days);
    })
    .join('');

const sameMonth = (date: Date, months: number) =>
  date.getUTCFullYear() * 12 + date.getUTCMonth() === today.getUTCFullYear() * 12 + today.getUTCMonth() + months;
/** Days since the last Monday. */
const weekday = (today.getUTCDay() + 6) % 7;

const CASES: [query: string, found: string][] = [
  ['due_date=0', 'jk'],
  ['due_date=any', due(() => true)],
  ['due_date=today', 'e'],
  ['due_date=tomorrow', 'f'],
  ['due_date=overdue', 'abcd'],
  ['due_date=week', due((_, days) => days >= -weekday && days <= 6 - weekday)],
  ['due_date=month', due((date) => sameMonth(date, 0))],
  [
    'due_date=next_month_and_previous_two_weeks',
    due((date, days) => days >= -14 && (days <= 0 || sameMonth(date, 0) || sameMonth(date, 1))),
  ],
  ['due_date=', LETTERS],
  ['due_date=overdue&state=closed', 'bc'],
  ['milestone_id=None', 'gijk'],
  ['milestone_id=Any', 'abcdefh'],
  ['milestone_id=Upcoming', 'cef'],
  ['milestone_id=Started', 'bcd'],
  ['milestone_id=Started&due_date=overdue', 'bcd'],
  ['issue_type=issue', LETTERS],
  ['issue_type=incident', ''],
  ['issue_type=task', ''],
  ['issue_type=test_case&due_date=any', ''],
  [`closed_by_id=${ben.id}`, 'bfg'],
  [`closed_by_id=${ann.id}`, 'c'],
  [`closed_by_id=${other.id}`, ''],
  ['closed_by_id=2147483000', ''],
  [`closed_by_id=${ben.id}&state=opened`, ''],
  ['iids[]=1&iids[]=3&iids[]=11', 'ack'],
  ['not[iids]=1,2,3', 'defghijk'],
  ['not[iids][]=11&not[iids][]=99', 'abcdefghij'],
  ['iids=1,2&not[iids]=2', 'a'],
  ['not[iids]=', LETTERS],
  ['non_archived=true', 'abcdefghij'],
  ['non_archived=false', LETTERS],
  ['non_archived=true&due_date=0', 'j'],
  ['non_archived=true&iids=11', ''],
];

const without = (letters: string, hidden: string) =>
  letters
    .split('')
    .filter((one) => !hidden.includes(one))
    .join('');

describe('GET /issues, /groups/:id/issues and /projects/:id/issues, and their statistics,', () => {
  it.each(CASES)('with %s', async (query, found) => {
    const places = ['', `/groups/${group.id}`, `/projects/${open.id}`];
    const all: string[] = [];
    for (const at of places) all.push(await listed(ann, at, query));
    expect(all).toEqual([found, found, without(found, DEEPER + ARCHIVED)]);
    // Confidential issues of others are not there, whatever is said of them.
    expect(await listed(ben, '', query)).toBe(without(found, SECRET));
    expect(await listed(ben, `/projects/${open.id}`, query)).toBe(without(found, DEEPER + ARCHIVED + SECRET));
  });

  it.each([
    ['due_date=soon', 'due_date does not have a valid value'],
    ['milestone_id=7', 'milestone_id does not have a valid value'],
    ['milestone_id=Any&milestone=1.0', 'milestone, milestone_id are mutually exclusive'],
    ['issue_type=epic', 'issue_type does not have a valid value'],
    ['closed_by_id=ben', 'closed_by_id is invalid'],
    ['not[iids]=x', 'not[iids] is invalid'],
    ['non_archived=perhaps', 'non_archived is invalid'],
    ['with_labels_details=perhaps', 'with_labels_details is invalid'],
    ['order_by=weight', 'order_by does not have a valid value'],
    ['assignee_username[]=ann&assignee_username[]=ben', 'assignee_username allows one value, but found 2: ann, ben'],
  ])('refuse %s', async (query, error) => {
    for (const at of ['', `/groups/${group.id}`, `/projects/${open.id}`]) {
      expect(await world.api(ann).get(`${at}/issues?${query}`)).toMatchObject({ status: 400, body: { error } });
      if (/order_by|with_/.test(query)) continue;
      expect(await world.api(ann).get(`${at}/issues_statistics?${query}`)).toMatchObject({
        status: 400,
        body: { error },
      });
    }
  });

  it('have labels in place of their names with with_labels_details, by title', async () => {
    const project = await world.project({ owner: ann, namespaceId: group.id });
    const labels = [await world.label(project, ann, 'ui'), await world.label(project, ann, 'bug')];
    await world.issue(project, ann, { labels: ['ui', 'bug'] });
    await world.issue(project, ann, {});
    const { id } = await world.mergeRequest(project, ann, { iid: 1 });
    await world.db.mergeRequestLabel.createMany({
      data: labels.map((label) => ({ mergeRequestId: id, labelId: label.id })),
    });
    const of = (index: number) => {
      const { id, title: name, color } = labels[index] ?? {};
      return { id, name, color, description: null, description_html: '', text_color: '#1F1E24', archived: false };
    };
    const places = ['', `/groups/${group.id}`, `/projects/${project.id}`];
    for (const at of places.flatMap((place) => [`${place}/issues`, `${place}/merge_requests`])) {
      const read = async (query: string) =>
        (await world.api(ann).get(`${at}?created_before=2029-01-01&per_page=2&${query}`)).body;
      const shown = (await read('with_labels_details=true')).map((one: Json) => one.labels);
      const plain = (await read('with_labels_details=false')).map((one: Json) => one.labels);
      expect(shown).toContainEqual([of(1), of(0)]);
      expect(plain).toContainEqual(['bug', 'ui']);
      expect(await read('')).toEqual(await read('with_labels_details=false'));
      expect((await read('with_labels_details=true'))[0]).not.toHaveProperty('label_details');
    }
  });
});

describe('Project.issues', () => {
  const query = `query ($ref: ProjectRef!, $filter: IssueFilter) { project(ref: $ref) {
    issues(filter: $filter, sort: ASC) { totalCount nodes { title startDate } } } }`;

  it.each([
    [{ dueDate: 'TODAY' }, 'e'],
    [{ dueDate: 'NONE' }, 'j'],
    [{ milestoneIs: 'STARTED' }, 'bd'],
    [{ type: 'INCIDENT' }, ''],
    [{ closedById: `${ben.id}` }, 'bg'],
    [{ not: { iids: [1, 2] }, dueDate: 'OVERDUE' }, 'd'],
    [{ nonArchived: true, dueDate: 'OVERDUE' }, 'abd'],
  ])('with %j', async (filter, expected) => {
    const { body } = await world.graphql(query, { ref: open.id, filter }, ann);
    expect(body.data.project.issues).toEqual({
      totalCount: expected.length,
      nodes: expected.split('').map((title) => ({ title, startDate: null })),
    });
  });
});
