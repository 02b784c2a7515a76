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
      description: 'It fails.',
      labels: ['bug', 'needs work', 'ui'],
      milestone: { id: milestone.id },
      assignee: { id: reporter.id },
      due_date: '2027-02-03',
      state: 'opened',
    });
  });

  it('count once where several set the same thing: the last, even if it means nothing', async () => {
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
      due_date: '2027-02-03',
      assignee: null,
      milestone: { id: milestone.id },
      labels: ['bug', 'ui'],
    });
  });

  it('do only what the writer may do', async () => {
    const { open } = await stage();
    expect(await open(guest, ALL)).toMatchObject({
      title: 'Another title',
      description: 'It fails.',
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
    // The last award is a vote on one's own issue.
    expect((await world.api(reporter).get(`${at}/issues/${iid}/award_emoji`)).body).toEqual([]);
    const change = (description: string) => world.api(reporter).put(`${at}/issues/${iid}`, { description });
    await change('/remove_estimate\n/remove_time_spent\n/done\n/award :tada:');
    expect((await world.api(reporter).get(`${at}/issues/${iid}/time_stats`)).body).toMatchObject({
      time_estimate: 0,
      total_time_spent: 0,
    });
    expect(await todos()).toEqual([]);
    const awards = (await world.api(reporter).get(`${at}/issues/${iid}/award_emoji`)).body;
    expect(awards.map(({ name }: Json) => name)).toEqual(['tada']);
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
    expect([answer.status, answer.body.body]).toEqual([201, 'I want it closed.']);
    expect(issue).toMatchObject({ state: 'opened', labels: ['ui'], title: 'One' });
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
