// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { subscribe } from '../support/live.ts';
import { commitTo, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const guest = await world.user();

async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  await world.member(project, developer, 'developer');
  await world.member(project, guest, 'guest');
  const head = await withTopic(world, project, owner);
  return { project, head, ref: project.fullPath };
}

const CREATE = `mutation ($input: CreateMergeRequestInput!) { createMergeRequest(input: $input) { mergeRequest {
  id iid state sha mergeStatus draft workInProgress viewerSubscribed viewerCanUpdate labelTitles author { username } } } }`;
const UPDATE = `mutation ($input: UpdateMergeRequestInput!) { updateMergeRequest(input: $input) { mergeRequest {
  title state targetBranch assignee { username } } } }`;

const run = async (query: string, variables: object, who: TestUser | undefined = developer) =>
  (await world.graphql(query, { ...variables }, who)).body;

const branches = { sourceBranch: 'topic', targetBranch: 'master' };

describe('Merge requests over GraphQL', () => {
  it('are created, found, changed, closed, followed and deleted', async () => {
    const { project, head, ref } = await stage();
    const input = { project: ref, ...branches, title: 'WIP: Topic', labels: ['bug'] };
    const created = (await run(CREATE, { input })).data.createMergeRequest.mergeRequest;
    expect(created).toMatchObject({
      iid: 1,
      state: 'OPENED',
      sha: head,
      draft: true,
      workInProgress: true,
      viewerSubscribed: true,
      viewerCanUpdate: true,
      labelTitles: ['bug'],
      author: { username: developer.username },
    });
    const found = await run(
      `query ($id: ID!, $ref: ProjectRef!) {
        node(id: $id) { ... on MergeRequest { title versions(first: 1) { totalCount nodes { id realSize diffs { newPath } commits { sha } } } } }
        project(ref: $ref) { mergeRequests(first: 1, filter: { state: OPENED, labels: ["bug"], search: "topic", targetBranch: "master" }) {
          totalCount nodes { iid changes { newPath } changesOverflow commits { totalCount } } } } }`,
      { id: created.id, ref },
    );
    const [version] = found.data.node.versions.nodes;
    expect(version).toMatchObject({ realSize: '1', diffs: [{ newPath: 'b.txt' }], commits: [{ sha: head }] });
    expect(found.data.project.mergeRequests).toEqual({
      totalCount: 1,
      nodes: [{ iid: 1, changes: [{ newPath: 'b.txt' }], changesOverflow: false, commits: { totalCount: 1 } }],
    });
    const again = await run('query ($id: ID!) { node(id: $id) { ... on MergeRequestVersion { realSize } } }', {
      id: version.id,
    });
    expect(again.data.node).toEqual({ realSize: '1' });
    const which = { project: ref, iid: 1 };
    const changed = await run(UPDATE, { input: { ...which, title: 'Topic', stateEvent: 'CLOSE' } });
    expect(changed.data.updateMergeRequest.mergeRequest).toMatchObject({ title: 'Topic', state: 'CLOSED' });
    const follow = `mutation ($input: SubscribeToMergeRequestInput!) { subscribeToMergeRequest(input: $input) {
      changed mergeRequest { viewerSubscribed } } }`;
    expect((await run(follow, { input: which })).data.subscribeToMergeRequest.changed).toBe(false);
    const deletion = `mutation ($input: DeleteMergeRequestInput!) { deleteMergeRequest(input: $input) { deletedMergeRequestId } }`;
    expect((await run(deletion, { input: which })).errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await run(deletion, { input: which }, owner)).data.deleteMergeRequest.deletedMergeRequestId).toBe(
      created.id,
    );
    expect(await world.db.mergeRequest.count({ where: { targetProjectId: project.id } })).toBe(0);
  });

  it('are refused with codes, and nothing is written', async () => {
    const { project, ref } = await stage();
    const input = { project: ref, ...branches, title: 'Topic' };
    const code = async (given: object, who = developer) =>
      (await run(CREATE, { input: given }, who)).errors[0].extensions;
    expect(await code(input, guest)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await code(input, await world.user())).toMatchObject({ code: 'NOT_FOUND' });
    expect(await code({ ...input, sourceBranch: 'master' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: { 'input.sourceBranch': ['You can not use same project/branch for source and target'] },
    });
    expect(await code({ ...input, sourceBranch: 'none' })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.sourceBranch': ['does not exist'] },
    });
    expect(await code({ ...input, title: '' })).toMatchObject({ code: 'VALIDATION_FAILED' });
    const stranger = await world.user();
    expect(await code({ ...input, assigneeId: String(stranger.id) })).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await world.db.mergeRequest.count({ where: { targetProjectId: project.id } })).toBe(0);
    await run(CREATE, { input });
    expect(await code(input)).toMatchObject({ code: 'CONFLICT' });
    const read = `query ($ref: ProjectRef!) { project(ref: $ref) { mergeRequests { totalCount } mergeRequest(iid: 1) { title } } }`;
    const { errors } = await run(read, { ref }, guest);
    expect(errors.map(({ extensions }: { extensions: object }) => extensions)).toEqual([
      { code: 'FORBIDDEN' },
      { code: 'FORBIDDEN' },
    ]);
  });

  it('are reported to subscribers who may read them, as they change and are checked', async () => {
    const { project, ref } = await stage();
    const query = `subscription ($in: SubscriptionScope!) { mergeRequestChanged(in: $in) { iid title sha mergeStatus } }`;
    const variables = { in: { project: project.id } };
    const live = await subscribe('Server-Sent Events', world.url, query, { variables, token: developer.token });
    await run(CREATE, { input: { project: ref, ...branches, title: 'Topic' } });
    const next = async () => (await live.next()).data.mergeRequestChanged;
    const until = async (wanted: object) => {
      for (let told = await next(); ; told = await next()) {
        if (Object.entries(wanted).every(([name, value]) => told[name] === value)) return;
      }
    };
    await until({ title: 'Topic', mergeStatus: 'can_be_merged' });
    const sha = await commitTo(world, project, owner, 'topic', 'c.txt');
    await until({ sha, mergeStatus: 'can_be_merged' });
    await live.close();
    const refused = await world.send(
      'GET',
      `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`,
      {
        headers: { 'PRIVATE-TOKEN': guest.token, Accept: 'text/event-stream' },
      },
    );
    expect(JSON.stringify(refused)).toContain('FORBIDDEN');
  });
});
