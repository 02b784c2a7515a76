// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();

/** A project with the labels `bug`, `needs work` and `ui`, and the milestone `v1`. */
async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const at = `/projects/${project.id}`;
  for (const name of ['bug', 'needs work', 'ui'])
    await world.api(owner).post(`${at}/labels`, { name, color: '#ffffff' });
  const milestone = (await world.api(owner).post(`${at}/milestones`, { title: 'v1' })).body;
  const open = async (who: TestUser, description: string, more: object = {}) =>
    (await world.api(who).post(`${at}/issues`, { title: 'One', description, ...more })).body;
  return { project, at, milestone, open };
}

const ALL = [
  'It fails.',
  '/label ~bug ~"needs work" ~unknown',
  '/milestone %v1',
  '/assign me',
  '/due 2027-02-03',
  '/title Another title',
].join('\n');

describe('Quick actions in descriptions', () => {
  it('set what a new issue has, and are taken out of its text', LONG, async () => {
    const { open, milestone } = await stage();
    expect(await open(reporter, ALL, { labels: 'ui' })).toMatchObject({
      title: 'Another title',
      description: 'It fails.\n/label ~unknown',
      labels: ['bug', 'needs work', 'ui'],
      milestone: { id: milestone.id },
      assignee: { id: reporter.id },
      due_date: '2027-02-03',
      state: 'opened',
    });
  });

  it('count once where several set the same thing: the last; what means nothing stays in the text', async () => {
    const { open, milestone } = await stage();
    const text = [
      '/due 2027-01-01',
      '/assign me',
      '/milestone %v1',
      '/due 2027-02-03',
      '/label ~bug',
      '/assign @nobody-knows',
    ];
    expect(await open(reporter, [...text, '/label ~ui'].join('\n'))).toMatchObject({
      description: '/assign @nobody-knows',
      due_date: '2027-02-03',
      assignee: { id: reporter.id },
      milestone: { id: milestone.id },
      labels: ['bug', 'ui'],
    });
  });

  it('do only what the writer may do', async () => {
    const { open } = await stage();
    expect(await open(guest, ALL)).toMatchObject({
      title: 'Another title',
      description: ALL.replace('\n/title Another title', ''),
      labels: [],
      milestone: null,
      assignee: null,
      due_date: null,
    });
  });

  it('change an issue when its description changes, and nothing when it does not', LONG, async () => {
    const { at, open } = await stage();
    const { iid } = await open(reporter, 'Text\n/label ~bug\n/due tomorrow');
    const change = async (who: TestUser, body: object) => (await world.api(who).put(`${at}/issues/${iid}`, body)).body;
    const changed = await change(reporter, {
      description: 'New text\n/unlabel ~bug\n/label ~ui\n/remove_due_date\n/close',
    });
    expect(changed).toMatchObject({ description: 'New text', labels: ['ui'], due_date: null, state: 'closed' });
    expect(await change(reporter, { title: '/reopen' })).toMatchObject({ state: 'closed', title: '/reopen' });
    expect(await change(reporter, { description: '/reopen\n/relabel ~bug' })).toMatchObject({
      description: '',
      state: 'opened',
      labels: ['bug'],
    });
  });

  it('are refused with what is wrong with them, and nothing is written', async () => {
    const { at, open } = await stage();
    const { iid } = await open(reporter, 'Text');
    const refused = await world.api(reporter).put(`${at}/issues/${iid}`, { description: `/title ${'x'.repeat(300)}` });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      { title: ['is too long (maximum is 255 characters)'] },
    ]);
    expect((await world.api(reporter).get(`${at}/issues/${iid}`)).body.description).toBe('Text');
  });

  it('assign nobody who cannot read the project', async () => {
    const { open } = await stage();
    const outsider = await world.user();
    expect((await open(reporter, `/assign @${outsider.username}`)).assignee).toBeNull();
  });

  it('subscribe the writer, or not', async () => {
    const { at, open } = await stage();
    const { iid } = await open(reporter, 'Text\n/unsubscribe');
    const subscribed = async () => (await world.api(reporter).get(`${at}/issues/${iid}`)).body.subscribed;
    expect(await subscribed()).toBe(false);
    await world.api(reporter).put(`${at}/issues/${iid}`, { description: 'Text\n/subscribe' });
    expect(await subscribed()).toBe(true);
  });

  it('track time, add todos and give emoji', LONG, async () => {
    const { at, open } = await stage();
    const { iid } = await open(
      reporter,
      'Text\n/estimate 3h\n/spend 1h\n/spend soon\n/todo\n/award :tada:\n/award :+1:',
    );
    expect((await world.api(reporter).get(`${at}/issues/${iid}/time_stats`)).body).toMatchObject({
      time_estimate: 3 * 3600,
      total_time_spent: 3600,
    });
    const todos = async () =>
      (await world.api(reporter).get('/todos')).body.filter(({ target }: Json) => target.iid === iid);
    expect((await todos()).map(({ action_name }: Json) => action_name)).toEqual(['marked']);
    const given = async () => (await world.api(reporter).get(`${at}/issues/${iid}/award_emoji`)).body;
    expect((await given()).map(({ name }: Json) => name)).toEqual(['tada']);
    // One is no time, and one a vote on one's own issue.
    const { description } = (await world.api(reporter).get(`${at}/issues/${iid}`)).body;
    expect(description).toBe('Text\n/spend soon\n/award :+1:');
    const change = (description: string) => world.api(reporter).put(`${at}/issues/${iid}`, { description });
    await change('/remove_estimate\n/remove_time_spent\n/done\n/react :bug:');
    expect((await world.api(reporter).get(`${at}/issues/${iid}/time_stats`)).body).toMatchObject({
      time_estimate: 0,
      total_time_spent: 0,
    });
    expect(await todos()).toEqual([]);
    expect((await given()).map(({ name }: Json) => name)).toEqual(['tada', 'bug']);
    const refused = await change('New\n/spend -1h');
    expect([refused.status, refused.body.message]).toEqual([
      400,
      { time_spent: ['Time to subtract exceeds the total time spent'] },
    ]);
    expect((await world.api(reporter).get(`${at}/issues/${iid}`)).body.description).toBe('');
  });

  it('work for merge requests', LONG, async () => {
    const { project, at } = await stage();
    await withTopic(world, project, owner);
    const values = {
      title: 'Merge it',
      source_branch: 'topic',
      target_branch: 'master',
      description: 'Why\n/wip\n/label ~bug',
    };
    const { body } = await world.api(owner).post(`${at}/merge_requests`, values);
    expect(body).toMatchObject({
      title: 'Draft: Merge it',
      draft: true,
      work_in_progress: true,
      description: 'Why',
      labels: ['bug'],
    });
    const changed = (description: string): Promise<{ body: Json }> =>
      world.api(owner).put(`${at}/merge_requests/${body.iid}`, { description });
    expect((await changed('/wip\n/milestone %v1')).body).toMatchObject({
      title: 'Merge it',
      milestone: { title: 'v1' },
    });
    const drafts = [];
    for (const text of ['/draft', '/draft', '/ready', '/ready', '/title [draft] Wait', '/ready']) {
      const { title, draft, work_in_progress } = (await changed(text)).body;
      drafts.push(title);
      expect([draft, work_in_progress]).toEqual(Array(2).fill(title !== 'Merge it' && title !== 'Wait'));
    }
    expect(drafts).toEqual(['Draft: Merge it', 'Draft: Merge it', 'Merge it', 'Merge it', '[draft] Wait', 'Wait']);
    expect((await changed('/close')).body).toMatchObject({ state: 'closed', description: '' });
  });
});

describe('Quick actions in notes', () => {
  const noted = async (who: TestUser, body: string) => {
    const { at, open } = await stage();
    const { iid } = await open(owner, 'Text', { labels: 'ui' });
    const answer = await world.api(who).post(`${at}/issues/${iid}/notes`, { body });
    const issue = (await world.api(owner).get(`${at}/issues/${iid}`)).body;
    const notes = (await world.api(owner).get(`${at}/issues/${iid}/notes`)).body;
    return { answer, issue, notes: notes.filter(({ system }: Json) => !system).map(({ body }: Json) => body) };
  };

  it('change what the note is on, and are taken out of it', async () => {
    const { answer, issue, notes } = await noted(reporter, 'Done.\n/close\n/label ~bug\n/spend 2h');
    expect([answer.status, answer.body.body]).toEqual([201, 'Done.']);
    expect(issue).toMatchObject({ state: 'closed', labels: ['bug', 'ui'] });
    expect(notes).toEqual(['Done.']);
  });

  it('are applied without a note where there is nothing else', LONG, async () => {
    const { answer, issue, notes } = await noted(reporter, '/close\n/todo');
    expect([answer.status, answer.body]).toEqual([202, { message: 'Commands applied' }]);
    expect(issue.state).toBe('closed');
    expect(notes).toEqual([]);
  });

  it('do only what the writer may do', async () => {
    const { answer, issue } = await noted(guest, 'I want it closed.\n/close\n/label ~bug\n/title Mine');
    expect([answer.status, answer.body.body]).toEqual([201, 'I want it closed.\n/close\n/label ~bug\n/title Mine']);
    expect(issue).toMatchObject({ state: 'opened', labels: ['ui'], title: 'One' });
  });

  it('are refused with the reason where they are all that there is, and none does anything', async () => {
    const { answer, notes } = await noted(guest, '/close\n/frobnicate\n/spend soon\n/label');
    expect([answer.status, answer.body.message, notes]).toEqual([
      400,
      `Failed to save note {:commands_only=>["/close is not allowed to you here","/frobnicate is no quick action","/spend is not allowed to you here","/label needs a parameter, such as ~label"]}`,
      [],
    ]);
  });

  it('say which of them did nothing where others did, and why', async () => {
    const { answer, issue, notes } = await noted(reporter, '/close\n/spend soon\n/label ~bug ~nothing\n/approve');
    expect([answer.status, answer.body, notes]).toEqual([
      202,
      {
        message: 'Commands applied',
        commands_only: [
          '/approve is for merge requests',
          '/spend needs a time, such as 1h 30m',
          '/label names what is not there: ~nothing',
        ],
      },
      [],
    ]);
    expect(issue).toMatchObject({ state: 'closed', labels: ['bug', 'ui'] });
  });

  it('are refused where the one that counts does nothing', async () => {
    const { answer, notes } = await noted(reporter, '/due soon\n/due at some time');
    expect([answer.status, answer.body.message, notes]).toEqual([
      400,
      'Failed to save note {:commands_only=>["/due needs a date"]}',
      [],
    ]);
  });

  it('record time for the day that they name', async () => {
    const { answer } = await noted(reporter, '/spend 1h 30m 2026-11-01\n/Spent 15m');
    expect(answer.status).toBe(202);
    const logs = await world.db.timelog.findMany({ where: { userId: reporter.id }, orderBy: { id: 'desc' }, take: 2 });
    expect(logs.map(({ seconds }) => seconds)).toEqual([900, 5400]);
    expect(logs[1]?.createdAt.toISOString().slice(0, 10)).toBe('2026-11-01');
    expect((await noted(reporter, '/spend 1h 2999-01-01')).answer.status).toBe(400);
  });

  it('link issues, take links away, and close duplicates', async () => {
    const { project, at, open } = await stage();
    const [one, two, three] = [await open(owner, 'a'), await open(owner, 'b'), await open(owner, 'c')];
    const say = (body: string, who = reporter) => world.api(who).post(`${at}/issues/${one.iid}/notes`, { body });
    const linked = async () =>
      (await world.api(owner).get(`${at}/issues/${one.iid}/links`)).body.map(({ iid }: Json) => iid);
    expect((await say(`/relate #${two.iid} ${project.fullPath}#${three.iid}`)).status).toBe(202);
    expect(await linked()).toEqual([two.iid, three.iid]);
    expect((await say(`/unrelate #${two.iid}`)).status).toBe(202);
    expect(await linked()).toEqual([three.iid]);
    expect((await say(`/relate #${two.iid}`, guest)).status).toBe(400);
    expect((await say('/relate #99999')).body.message).toContain('No matching issue found');
    expect((await say(`/duplicate ${`#${two.iid} `.repeat(21)}`)).body.message).toContain('more than 20 issues');
    expect((await world.api(owner).get(`${at}/issues/${one.iid}`)).body.state).toBe('opened');
    expect((await say(`The same.\n/duplicate #${two.iid}`)).body.body).toBe('The same.');
    expect(await linked()).toEqual([three.iid, two.iid]);
    expect((await world.api(owner).get(`${at}/issues/${one.iid}`)).body.state).toBe('closed');
  });

  it('move issues with the note, for those who may', async () => {
    const { at, open } = await stage();
    const elsewhere = await world.project({ owner, visibility: 'private' });
    const { iid } = await open(owner, 'Text');
    const say = (who: TestUser) =>
      world.api(who).post(`${at}/issues/${iid}/notes`, { body: `Off it goes\n/move ${elsewhere.fullPath}` });
    expect((await say(reporter)).body.body).toBe(`Off it goes\n/move ${elsewhere.fullPath}`);
    expect((await say(owner)).body.body).toBe('Off it goes');
    const [moved] = (await world.api(owner).get(`/projects/${elsewhere.id}/issues`)).body;
    const notes = (await world.api(owner).get(`/projects/${elsewhere.id}/issues/${moved.iid}/notes`)).body;
    expect(notes.map(({ body }: Json) => body)).toContain('Off it goes');
  });

  it('move issues once: to the last of several projects', async () => {
    const { at, open } = await stage();
    const places = [await world.project({ owner }), await world.project({ owner })] as const;
    const { iid } = await open(owner, 'Text');
    const body = `Off it goes\n${places.map(({ fullPath }) => `/move ${fullPath}`).join('\n')}`;
    expect((await world.api(owner).post(`${at}/issues/${iid}/notes`, { body })).status).toBe(201);
    const moved = places.map(async ({ id }) => (await world.api(owner).get(`/projects/${id}/issues`)).body.length);
    expect(await Promise.all(moved)).toEqual([0, 1]);
  });

  it('merge, for those who may', LONG, async () => {
    const { project, at } = await stage();
    await withTopic(world, project, owner);
    const values = { title: 'Merge it', source_branch: 'topic', target_branch: 'master' };
    const { iid } = (await world.api(owner).post(`${at}/merge_requests`, values)).body;
    const say = (who: TestUser) => world.api(who).post(`${at}/merge_requests/${iid}/notes`, { body: '/merge' });
    const state = async () => (await world.api(owner).get(`${at}/merge_requests/${iid}`)).body.state;
    expect([(await say(reporter)).status, await state()]).toEqual([400, 'opened']);
    expect([(await say(owner)).status, await state()]).toEqual([202, 'merged']);
  });

  it('copy labels and milestone, and hide issues from others', async () => {
    const { at, open, milestone } = await stage();
    const from = await open(owner, '/label ~bug\n/milestone %v1');
    const to = await open(owner, 'Text', { labels: 'ui' });
    const body = `/copy_metadata #${from.iid}\n/confidential`;
    expect((await world.api(reporter).post(`${at}/issues/${to.iid}/notes`, { body })).status).toBe(202);
    expect((await world.api(owner).get(`${at}/issues/${to.iid}`)).body).toMatchObject({
      labels: ['bug', 'ui'],
      milestone: { id: milestone.id },
      confidential: true,
    });
  });

  it('copy labels and milestone besides those that others name', async () => {
    const { at, open, milestone } = await stage();
    const [one, other] = [await open(owner, '/label ~bug\n/milestone %v1'), await open(owner, '/label ~"needs work"')];
    const to = await open(owner, 'Text');
    const body = `/copy_metadata #${one.iid}\n/copy_metadata #${other.iid}\n/label ~ui`;
    expect((await world.api(reporter).post(`${at}/issues/${to.iid}/notes`, { body })).status).toBe(202);
    expect((await world.api(owner).get(`${at}/issues/${to.iid}`)).body).toMatchObject({
      labels: ['bug', 'needs work', 'ui'],
      milestone: { id: milestone.id },
    });
  });

  it('leave nothing where one of them is refused', async () => {
    const { answer, issue, notes } = await noted(reporter, 'Text\n/close\n/spend -1h');
    expect([answer.status, notes, issue.state]).toEqual([400, [], 'opened']);
  });

  it('change merge requests, and give the note that is written', LONG, async () => {
    const { project, at } = await stage();
    await withTopic(world, project, owner);
    const values = { title: 'Merge it', source_branch: 'topic', target_branch: 'master' };
    const { iid } = (await world.api(owner).post(`${at}/merge_requests`, values)).body;
    const { body } = await world.api(owner).post(`${at}/merge_requests/${iid}/notes`, { body: 'Not yet\n/wip' });
    expect(body.body).toBe('Not yet');
    expect((await world.api(owner).get(`${at}/merge_requests/${iid}`)).body.title).toBe('Draft: Merge it');
    const text = `/wip`;
    const query = `mutation ($input: CreateNoteInput!) { createNote(input: $input) { note { body } } }`;
    const input = { on: { mergeRequest: { project: String(project.id), iid } }, body: text };
    expect((await world.graphql(query, { input }, owner)).body).toEqual({ data: { createNote: { note: null } } });
  });
});
