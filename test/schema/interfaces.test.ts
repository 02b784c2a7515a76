import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { turnsOf } from '#schema/search/queries.ts';
import { KNOWN_SECRETS } from '#src/entrances/seed/secrets.ts';
import { executing, startSample } from '../support/sample.ts';

const { world, whoIs } = await startSample();
const execute = executing(world);
const root = await whoIs('root');
const { post, put } = world.api(KNOWN_SECRETS.privateToken('root'));
const ISSUE = '/projects/1/issues/4';

async function ask(text: string, who: Parameters<typeof execute>[1] = root) {
  const { data, errors } = await execute(parse(text), who);
  expect(errors ?? []).toEqual([]);
  return data as never;
}

interface Entry {
  __typename: string;
  body?: string;
}

const timeline = (args = '') => `{ project(ref: "orchard/apples") { issue(iid: 4) { timeline(first: 100${args}) {
  totalCount nodes { __typename ... on Note { body } } pageInfo { endCursor hasNextPage } } } } }`;

interface Answer {
  project: {
    issue: { timeline: { totalCount: number; nodes: Entry[]; pageInfo: { endCursor: string; hasNextPage: boolean } } };
  };
}

it('The timeline has comments and events once, and internal notes for those who may see them', async () => {
  await post(`${ISSUE}/notes`, { body: 'seen by all' });
  await post(`${ISSUE}/notes`, { body: 'between us', internal: true });
  await put(ISSUE, { state_event: 'reopen' });
  await put(ISSUE, { state_event: 'close' });
  const { nodes, totalCount } = ((await ask(timeline())) as Answer).project.issue.timeline;
  expect(totalCount).toBe(nodes.length);
  expect(nodes.at(-1)).toEqual({ __typename: 'StateEvent' });
  expect(nodes.map(({ body }) => body)).toContain('between us');
  expect(nodes.map(({ body }) => body)).not.toContain('closed');
  const visitor = ((await ask(timeline(), { actor: null })) as Answer).project.issue.timeline;
  expect(visitor.nodes.map(({ body }) => body)).toContain('seen by all');
  expect(visitor.nodes.map(({ body }) => body)).not.toContain('between us');
});

it('A comment that reads like what the server writes stands in the timeline', async () => {
  await post(`${ISSUE}/notes`, { body: 'closed' });
  await put(ISSUE, { title: 'Apples fall' });
  const { nodes } = ((await ask(timeline())) as Answer).project.issue.timeline;
  expect(nodes.map(({ body }) => body)).toEqual(
    expect.arrayContaining(['closed', expect.stringMatching(/^changed title/)]),
  );
});

it('A walk by cursors finds each entry of a timeline once, in both directions', async () => {
  const all = ((await ask(timeline())) as Answer).project.issue.timeline.nodes;
  for (const [sort, whole] of [
    ['ASC', all],
    ['DESC', all.toReversed()],
  ] as const) {
    const found: Entry[] = [];
    for (let after = ''; found.length <= all.length; ) {
      const page = timeline(`, sort: ${sort}${after}`).replace('first: 100', 'first: 2');
      const { nodes, pageInfo } = ((await ask(page)) as Answer).project.issue.timeline;
      found.push(...nodes);
      if (!pageInfo.hasNextPage) break;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    expect(found).toEqual(whole);
  }
  const events = ((await ask(timeline(', filter: { types: [STATE_EVENT] }'))) as Answer).project.issue.timeline.nodes;
  expect(new Set(events.map(({ __typename }) => __typename))).toEqual(new Set(['StateEvent']));
});

it('A note leads to what it is on, through an interface', async () => {
  const text = `{ project(ref: "orchard/apples") { webUrl ... on ProjectOrGroup { fullPath webPath } issue(iid: 4) { id
    notes(first: 1) { nodes { webUrl project { fullPath } discussion { id }
      subject { __typename title ... on Issuable { id state: viewerCanUpdate } ... on WebPage { webPath } } } } } } }`;
  const { project } = (await ask(text)) as { project: { fullPath: string; webPath: string; issue: never } };
  expect(project).toMatchObject({ fullPath: 'orchard/apples', webPath: '/orchard/apples' });
  const { id, notes } = project.issue as { id: string; notes: { nodes: object[] } };
  expect(notes.nodes[0]).toMatchObject({
    project: { fullPath: 'orchard/apples' },
    subject: { __typename: 'Issue', id, webPath: '/orchard/apples/-/issues/4' },
  });
});

it('A search of several types has hits of each on one page', async () => {
  const text =
    '{ search(query: "apple", types: [PROJECT, ISSUE, GROUP], first: 6) { totalCount nodes { __typename } } }';
  const { search } = (await ask(text)) as { search: { totalCount: number; nodes: { __typename: string }[] } };
  expect(new Set(search.nodes.slice(0, 2).map(({ __typename }) => __typename)).size).toBe(2);
  expect(search.totalCount).toBeGreaterThanOrEqual(search.nodes.length);
  expect(
    (await execute(parse('{ search(query: "apple", type: ISSUE, types: [ISSUE]) { totalCount } }'), root)).errors,
  ).toHaveLength(1);
});

it('Types take turns until they have no more hits', () => {
  const turns = turnsOf([1, 3, 0, 2], 0, 6).map(({ at, rank }) => `${at}:${rank}`);
  expect(turns).toEqual(['0:0', '1:0', '3:0', '1:1', '3:1', '1:2']);
  expect(turnsOf([1, 3, 0, 2], 2, 4).map(({ at, rank }) => `${at}:${rank}`)).toEqual(turns.slice(2, 4));
});
