import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/* Fields that lead from a number to its record (schema/beside.ts) lead nobody to a record that is hidden from them. */

const world = await startWorld();
const [owner, stranger] = [await world.user(), await world.user()];
const admin = await world.user({ admin: true });
const everybody: (TestUser | undefined)[] = [owner, admin, stranger, undefined];
let open: ProjectRow;
let hidden: ProjectRow;
let moved: { id: number; iid: number };

beforeAll(async () => {
  open = await world.project({ owner, visibility: 'public' });
  hidden = await world.project({ owner, visibility: 'private' });
  const api = world.api(owner);
  moved = (await api.post(`/projects/${open.id}/issues`, { title: 'goes away' })).body;
  const { status } = await api.post(`/projects/${open.id}/issues/${moved.iid}/move`, { to_project_id: hidden.id });
  expect(status).toBe(201);
});

/** What each caller gets of a query: the owner, an administrator, another user and a visitor. */
async function seen(
  query: string,
  variables: Record<string, unknown>,
  pick: (data: never) => unknown,
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const who of everybody) {
    const { body } = await world.graphql(query, variables, who);
    found.push(body.data === null || body.data === undefined ? null : (pick(body.data as never) ?? null));
    expect(JSON.stringify(body)).not.toContain('INTERNAL_SERVER_ERROR');
  }
  return found;
}

describe('Nobody is led', () => {
  it('from an issue to the hidden project that it was moved to', async () => {
    const query = `query($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) { title movedTo { project { fullPath } } } } }`;
    type Data = { project: { issue: { title: string; movedTo: { project: { fullPath: string } } | null } } };
    const variables = { ref: open.fullPath, iid: moved.iid };
    expect(await seen(query, variables, ({ project }: Data) => project.issue.title)).toEqual(
      everybody.map(() => 'goes away'),
    );
    const { fullPath } = hidden;
    const paths = await seen(query, variables, ({ project }: Data) => project.issue.movedTo?.project.fullPath);
    expect(paths).toEqual([fullPath, fullPath, null, null]);
  });

  it('from an event of closing to the merge request of a hidden project', async () => {
    const issue = await world.issue(open, owner);
    const mergeRequest = await world.db.mergeRequest.create({
      data: {
        ...{ iid: 1, title: 'hidden', authorId: owner.id, sourceProjectId: hidden.id, targetProjectId: hidden.id },
        ...{ sourceBranch: 'topic', targetBranch: 'main' },
      } as never,
    });
    await world.db.stateEvent.create({
      data: { issueId: issue.id, userId: owner.id, state: 'closed', sourceMergeRequestId: mergeRequest.id },
    });
    const query = `query($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) {
      stateEvents { nodes { state subject { id } sourceMergeRequest { title } } } } } }`;
    type Data = { project: { issue: { stateEvents: { nodes: { sourceMergeRequest: { title: string } | null }[] } } } };
    const titles = await seen(query, { ref: open.fullPath, iid: issue.iid }, ({ project }: Data) =>
      project.issue.stateEvents.nodes.map(({ sourceMergeRequest: of }) => of?.title ?? null),
    );
    expect(titles).toEqual([['hidden'], ['hidden'], [null], [null]]);
  });

  it('from notes and awards of a confidential issue to the issue', LONG, async () => {
    const api = world.api(owner);
    const { body: issue } = await api.post(`/projects/${open.id}/issues`, { title: 'secret', confidential: true });
    const { body: note } = await api.post(`/projects/${open.id}/issues/${issue.iid}/notes`, { body: 'between us' });
    const { body: award } = await api.post(`/projects/${open.id}/issues/${issue.iid}/award_emoji`, { name: 'tada' });
    const query = `query($note: ID!, $award: ID!) {
      note: node(id: $note) { ... on Note { subject { ... on Issue { title } } discussion { id } webUrl } }
      award: node(id: $award) { ... on AwardEmoji { awardable { ... on Issue { title } } } } }`;
    const ids = { note: toGlobalId('Note', note.id), award: toGlobalId('AwardEmoji', award.id) };
    type Data = { note: { subject: { title: string } } | null; award: { awardable: { title: string } } | null };
    const titles = await seen(query, ids, (data: Data) => [data.note?.subject.title, data.award?.awardable.title]);
    expect(titles).toEqual([
      ['secret', 'secret'],
      ['secret', 'secret'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('from a user to a personal namespace, nor from a membership to a hidden place', async () => {
    const namespace = `query($name: String!) { user(username: $name) { namespace { fullPath } } }`;
    type Data = { user: { namespace: { fullPath: string } | null } };
    const paths = await seen(namespace, { name: owner.username }, ({ user }: Data) => user?.namespace?.fullPath);
    expect(paths).toEqual([owner.username, owner.username, null, null]);
    const someone = await world.user();
    await world.member(hidden, someone, 'developer');
    const member = await world.db.member.findFirstOrThrow({ where: { userId: someone.id, projectId: hidden.id } });
    const source = `query($id: ID!) { node(id: $id) { ... on Member { source { fullPath } } } }`;
    const shown = await seen(
      source,
      { id: toGlobalId('Member', member.id) },
      ({ node }: { node: { source: { fullPath: string } } | null }) => node?.source.fullPath,
    );
    expect(shown).toEqual([hidden.fullPath, hidden.fullPath, null, null]);
  });

  it('from a webhook to its project, as nobody but masters sees the webhook', async () => {
    const { body: hook } = await world
      .api(owner)
      .post(`/projects/${open.id}/hooks`, { url: 'https://example.com/hook' });
    const query = `query($id: ID!) { node(id: $id) { ... on Webhook { project { fullPath } } } }`;
    const paths = await seen(
      query,
      { id: toGlobalId('Webhook', hook.id) },
      ({ node }: { node: { project: { fullPath: string } } | null }) => node?.project.fullPath,
    );
    expect(paths).toEqual([open.fullPath, open.fullPath, null, null]);
  });
});
