// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const guest = await world.user();
const api = world.api(developer);
let project: ProjectRow;
let group: number;
let stranger: ProjectRow;

beforeAll(async () => {
  const top = await world.group({ owner, visibility: 'public' });
  group = top.id;
  project = await world.project({ owner, namespaceId: top.id, visibility: 'public' });
  stranger = await world.project({ owner });
  await world.member(project, developer, 'developer');
  await world.member(project, guest, 'guest');
});

const labelsMade = (title: string) => world.db.label.count({ where: { title } });

/** Where a new issue or merge request of the project is, with these labels, by the guest unless someone else is named. */
async function make(kind: 'issues' | 'merge_requests', labels = '', author = guest): Promise<string> {
  if (kind === 'issues') {
    const { iid } = await world.issue(project, author, {});
    await world.api(owner).put(`/projects/${project.id}/issues/${iid}`, { labels });
    return `/projects/${project.id}/issues/${iid}`;
  }
  const iid = Number(world.unique('').replace(/\D/g, '')) + 100;
  await world.mergeRequest(project, author, { iid });
  await world.api(owner).put(`/projects/${project.id}/merge_requests/${iid}`, { labels });
  return `/projects/${project.id}/merge_requests/${iid}`;
}

describe.each(['issues', 'merge_requests'] as const)('The labels of %s', (kind) => {
  it('are added to and taken from, after all are replaced, and what is both goes', LONG, async () => {
    const at = await make(kind, 'a,b');
    const changed = async (given: Json) => (await api.put(at, given)).body.labels;
    expect(await changed({ add_labels: 'c' })).toEqual(['a', 'b', 'c']);
    expect(await changed({ remove_labels: ['a', ' b ,unheard of'] })).toEqual(['c']);
    expect(await changed({ add_labels: ['d', 'e,f'], remove_labels: 'd, c' })).toEqual(['e', 'f']);
    expect(await changed({ labels: ['x,y', 'z'], add_labels: 'w', remove_labels: 'y,e' })).toEqual(['w', 'x', 'z']);
    expect(await changed({ labels: '', add_labels: 'only' })).toEqual(['only']);
    expect(await changed({ add_labels: '' })).toEqual(['only']);
    expect(await labelsMade('unheard of')).toBe(0);
  });

  it('may be named in the query, and are told as one change', async () => {
    const at = await make(kind, 'a,b');
    const { status, body } = await api.put(`${at}?add_labels=told&remove_labels=a`);
    expect([status, body.labels]).toEqual([200, ['b', 'told']]);
    const { body: events } = await api.get(`${at}/resource_label_events`);
    expect(events.slice(-2).map((event: Json) => [event.action, event.label.name])).toEqual(
      expect.arrayContaining([
        ['add', 'told'],
        ['remove', 'a'],
      ]),
    );
    const { body: notes } = await api.get(`${at}/notes?activity_filter=only_activity`);
    expect(notes.filter(({ body }: Json) => /^added ~\d+ and removed ~\d+ labels$/.test(body))).toHaveLength(1);
  });

  it('may be those of groups, of which none is made in the project', async () => {
    const name = world.unique('of the group');
    await world.api(owner).post(`/groups/${group}/labels`, { name, color: '#ffffff' });
    const at = await make(kind, 'a');
    expect((await api.put(at, { add_labels: name })).body.labels).toEqual(['a', name]);
    expect(await labelsMade(name)).toBe(1);
    expect((await api.put(at, { remove_labels: name })).body.labels).toEqual(['a']);
  });

  it('stay as they are for guests, even their own record, and none are made', async () => {
    const at = await make(kind, 'a');
    const given = { title: 'Mine', add_labels: world.unique('smuggled'), remove_labels: 'a', milestone: 'v1' };
    expect((await world.api(guest).put(at, given)).body).toMatchObject({ title: 'Mine', labels: ['a'] });
    expect(await labelsMade(given.add_labels)).toBe(0);
  });

  it('are at most a hundred, however they are named', LONG, async () => {
    const at = await make(kind, Array.from({ length: 99 }, (_, index) => `n${index}`).join(','));
    const labels = ['has too many names (maximum is 100)'];
    const refused = { status: 400, body: { message: { labels } } };
    expect(await api.put(at, { add_labels: 'n99,n100' })).toMatchObject(refused);
    const many = Array.from({ length: 101 }, (_, index) => `m${index}`);
    expect(await api.put(at, { add_labels: many })).toMatchObject(refused);
    expect(await api.put(at, { remove_labels: many })).toMatchObject({
      status: 400,
      body: { message: { remove_labels: labels } },
    });
    expect((await api.put(at, { add_labels: 'n99' })).body.labels).toHaveLength(100);
    expect((await api.put(at, { add_labels: 'swapped', remove_labels: 'n99' })).body.labels).toHaveLength(100);
  });
});

describe.each(['issues', 'merge_requests'] as const)('The milestone of %s', (kind) => {
  it('is named by title, of the project or a group around it; other titles change nothing', LONG, async () => {
    const [own, ofGroup, foreign] = [world.unique('own'), world.unique('group'), world.unique('foreign')];
    await world.milestone(project, owner, { title: own });
    await world.milestone(stranger, owner, { title: foreign });
    await world.api(owner).post(`/groups/${group}/milestones`, { title: ofGroup });
    const at = await make(kind);
    const after = async (given: Json) => (await api.put(at, given)).body.milestone?.title ?? null;
    expect(await after({ milestone: own })).toBe(own);
    expect(await after({ milestone: ofGroup })).toBe(ofGroup);
    expect(await after({ milestone: foreign })).toBe(ofGroup);
    expect(await after({ milestone: own.toUpperCase() })).toBe(ofGroup);
    expect(await after({ milestone: '' })).toBe(null);
  });

  it('is named in one way', async () => {
    const at = await make(kind);
    const { id, title } = await world.milestone(project, owner);
    expect(await api.put(at, { milestone: title, milestone_id: id })).toMatchObject({
      status: 400,
      body: { error: 'milestone, milestone_id are mutually exclusive' },
    });
    expect((await api.put(at, { milestone: title, milestone_id: '' })).body.milestone).toMatchObject({ id });
  });
});

describe('A new issue', () => {
  it('has the labels to add, without those to remove, and the milestone of that title', async () => {
    const { title } = await world.milestone(project, owner);
    const given = { title: 'New', labels: ['a', 'b'], add_labels: 'c', remove_labels: 'b', milestone: title };
    const { status, body } = await api.post(`/projects/${project.id}/issues`, given);
    expect([status, body.labels, body.milestone.title]).toEqual([201, ['a', 'c'], title]);
  });
});

describe('updateIssue', () => {
  it('adds and removes labels, and refuses unknown titles of milestones and those who may not', async () => {
    const at = await make('issues', 'a');
    const iid = Number(at.split('/').at(-1));
    const change = async (values: string, who = developer) => {
      const input = `project: "${project.id}", iid: ${iid}, ${values}`;
      const { body } = await world.graphql(
        `mutation { updateIssue(input: { ${input} }) {
        issue { labels { nodes { title } } milestone { title } } } }`,
        {},
        who,
      );
      return body;
    };
    const done = await change('addLabels: ["b"], removeLabels: ["a"]');
    expect(done.data.updateIssue.issue.labels.nodes).toEqual([{ title: 'b' }]);
    const unknown = await change('milestone: "nowhere"');
    expect(unknown.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.milestone': ['is not the title of a milestone of the project'] },
    });
    const refused = await change('addLabels: ["c"]', guest);
    expect(refused.errors[0]).toMatchObject({
      message: 'Only reporters of the project can set addLabels',
      extensions: { code: 'FORBIDDEN' },
    });
  });
});
