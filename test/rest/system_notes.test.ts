// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { markedTitles, titleWords } from '#src/domain/tracking/activity/title_change.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const ann = await world.user({ username: 'ann' });
const api = world.api(owner);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/issues`;
  await world.member(project, ann, 'reporter');
});

/** The texts of the system notes that a change leaves. */
async function notesAfter(iid: number, changes: object): Promise<string[]> {
  const notes = async () => (await api.get(`${at}/${iid}/notes?per_page=100`)).body;
  const before = (await notes()).length;
  expect((await api.put(`${at}/${iid}`, changes)).status).toBe(200);
  return (await notes()).slice(before).map(({ body, system, author }: Record<string, unknown>) => {
    expect([system, author]).toMatchObject([true, { username: owner.username }]);
    return body;
  });
}

describe('A change of an issue leaves a system note', () => {
  it('of its state, its title, its description and its secrecy', LONG, async () => {
    const { iid } = await world.issue(project, owner, { title: 'Old title' });
    expect(await notesAfter(iid, { state_event: 'close' })).toEqual(['closed']);
    expect(await notesAfter(iid, { state_event: 'close' })).toEqual([]);
    expect(await notesAfter(iid, { state_event: 'reopen' })).toEqual(['reopened']);
    expect(await notesAfter(iid, { title: 'New title' })).toEqual([
      'changed title from **{-Old-} title** to **{+New+} title**',
    ]);
    expect(await notesAfter(iid, { description: 'more' })).toEqual(['changed the description']);
    expect(await notesAfter(iid, { description: 'more', title: 'New title' })).toEqual([]);
    expect(await notesAfter(iid, { confidential: true })).toEqual(['made the issue confidential']);
    expect(await notesAfter(iid, { confidential: false })).toEqual(['made the issue visible to everyone']);
  });

  it('of its labels, its milestone and its assignee', LONG, async () => {
    const { iid } = await world.issue(project, owner);
    const [a, b] = [await world.label(project, owner, 'a'), await world.label(project, owner, 'b')];
    const milestone = await world.milestone(project, owner, { title: 'v1' });
    expect(await notesAfter(iid, { labels: 'a' })).toEqual([`added ~${a.id} label`]);
    expect(await notesAfter(iid, { labels: 'b' })).toEqual([`added ~${b.id} and removed ~${a.id} labels`]);
    expect(await notesAfter(iid, { labels: '' })).toEqual([`removed ~${b.id} label`]);
    expect(await notesAfter(iid, { milestone_id: milestone.id })).toEqual(['changed milestone to %"v1"']);
    expect(await notesAfter(iid, { milestone_id: 0 })).toEqual(['removed milestone']);
    expect(await notesAfter(iid, { assignee_id: ann.id })).toEqual(['assigned to @ann']);
    expect(await notesAfter(iid, { assignee_id: 0 })).toEqual(['removed assignee']);
  });

  it('but not of what it was opened with', async () => {
    const label = await world.label(project, owner);
    const { iid } = await world.issue(project, owner, { labels: [label.title], assigneeId: ann.id });
    expect((await api.get(`${at}/${iid}/notes`)).body).toEqual([]);
  });
});

describe('The note of a changed title', () => {
  it('marks what differs, by characters', () => {
    expect(markedTitles('Fix it', 'Fix that')).toBe('changed title from **Fix {-i-}t** to **Fix {+tha+}t**');
    expect(markedTitles('a', 'ab')).toBe('changed title from **a** to **a{+b+}**');
    expect(markedTitles('aa', 'a')).toBe('changed title from **a{-a-}** to **a**');
    expect(markedTitles('😀 x', '😁 x')).toBe('changed title from **{-😀-} x** to **{+😁+} x**');
  });
});

describe('The title of a merge request', () => {
  it('tells whether it is a draft, beside what is changed of it else', () => {
    const [draft, ready] = ['draft', 'ready'].map((word) => `marked this merge request as **${word}**`);
    expect(titleWords('MergeRequest', 'A', 'WIP: A')).toEqual([draft]);
    expect(titleWords('MergeRequest', 'A', 'Draft: B')).toEqual([
      draft,
      'changed title from **{-A-}** to **{+Draft: B+}**',
    ]);
    expect(titleWords('MergeRequest', '[WIP] A', 'A')).toEqual([ready]);
    expect(titleWords('MergeRequest', '(draft) A', 'A')).toEqual([ready]);
    expect(titleWords('MergeRequest', 'WIP: A', 'Draft: A')).toEqual([]);
    expect(titleWords('MergeRequest', 'WIP A', 'WIP: B')).toEqual([
      'changed title from **WIP{- A-}** to **WIP{+: B+}**',
    ]);
    expect(titleWords('Issue', 'A', 'WIP: A')).toHaveLength(1);
  });
});
