// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('says who can manage and rebase a merge request, and counts those that match by state', async () => {
  const owner = await world.user();
  const [reporter, stranger] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, reporter, 'reporter');
  await withTopic(world, project, owner);
  await opened(world, project, owner, { title: 'Wanted' });
  const decoy = await world.mergeRequest(project, owner, { iid: 2, title: 'Decoy' });
  await world.db.mergeRequest.update({ where: { id: decoy.id }, data: { state: 'merged' } });
  const query = `query ($project: ProjectRef!, $search: String) {
    project(ref: $project) {
      viewerCanManageMergeRequests
      mergeRequestCounts(filter: { search: $search }) { all opened merged closed }
      mergeRequest(iid: 1) { viewerCanManage viewerCanRebase }
      merged: mergeRequest(iid: 2) { viewerCanRebase }
    }
  }`;
  const seen = async (who: typeof owner, search?: string) =>
    (await world.graphql(query, { project: project.fullPath, search }, who)).body.data.project;
  const counts = { all: 2, opened: 1, merged: 1, closed: 0 };
  expect(await seen(owner)).toEqual({
    viewerCanManageMergeRequests: true,
    mergeRequestCounts: counts,
    mergeRequest: { viewerCanManage: true, viewerCanRebase: true },
    merged: { viewerCanRebase: false },
  });
  expect((await seen(owner, 'want')).mergeRequestCounts).toEqual({ all: 1, opened: 1, merged: 0, closed: 0 });
  expect((await seen(reporter)).mergeRequest).toEqual({ viewerCanManage: true, viewerCanRebase: false });
  expect(await seen(stranger)).toMatchObject({
    viewerCanManageMergeRequests: false,
    mergeRequestCounts: counts,
    mergeRequest: { viewerCanManage: false, viewerCanRebase: false },
  });
});

it('previews a merge request for those who can open it, and refuses branches that do not exist', async () => {
  const [owner, stranger] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'public' });
  await withTopic(world, project, owner);
  const query = `query ($project: ProjectRef!, $from: String!) {
    project(ref: $project) {
      mergeRequestPreview(sourceBranch: $from) {
        sourceBranch targetBranch title description changesCount targetProject { fullPath }
        commits { totalCount nodes { title } }
      }
    }
  }`;
  const preview = (who: typeof owner, from = 'topic') => world.graphql(query, { project: project.fullPath, from }, who);
  expect((await preview(owner)).body.data.project.mergeRequestPreview).toEqual({
    sourceBranch: 'topic',
    targetBranch: 'master',
    title: 'Change b.txt',
    description: null,
    changesCount: '1',
    targetProject: { fullPath: project.fullPath },
    commits: { totalCount: 1, nodes: [{ title: 'Change b.txt' }] },
  });
  expect((await preview(owner, 'missing')).body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
  expect((await preview(owner, 'master')).body.errors[0].extensions.code).toBe('BAD_REQUEST');
  expect((await preview(stranger)).body.errors[0].extensions.code).toBe('FORBIDDEN');
});

it('marks a merge request as a draft and as ready, whatever its title', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  await withTopic(world, project, owner);
  await opened(world, project, owner, { title: 'Work', draft: true });
  const mutation = `mutation ($project: ProjectRef!, $draft: Boolean, $title: String) {
    updateMergeRequest(input: { project: $project, iid: 1, draft: $draft, title: $title }) { mergeRequest { title draft } }
  }`;
  const update = async (given: { draft?: boolean; title?: string }) =>
    (await world.graphql(mutation, { project: project.fullPath, ...given }, owner)).body.data.updateMergeRequest
      .mergeRequest;
  expect(await update({})).toEqual({ title: 'Draft: Work', draft: true });
  expect(await update({ draft: false })).toEqual({ title: 'Work', draft: false });
  expect(await update({ draft: true, title: 'More work' })).toEqual({ title: 'Draft: More work', draft: true });
});

it('counts the merge requests of groups with their subgroups by state, those that the caller can see', async () => {
  const [owner, guest, stranger] = [await world.user(), await world.user(), await world.user()];
  const group = await world.group({ owner, visibility: 'public' });
  const below = await world.group({ owner, parentId: group.fullPath, visibility: 'public' });
  const beside = await world.group({ owner, visibility: 'public' });
  const open = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
  const hidden = await world.project({ owner, namespaceId: below.id, visibility: 'private' });
  const elsewhere = await world.project({ owner, namespaceId: beside.id, visibility: 'public' });
  await world.member(hidden, guest, 'guest');
  const states = ['opened', 'opened', 'merged', 'closed'] as const;
  for (const [at, state] of states.entries()) {
    for (const project of [open, hidden]) {
      const { id } = await world.mergeRequest(project, owner, { iid: at + 1, title: at === 0 ? 'Wanted' : 'Other' });
      await world.db.mergeRequest.update({ where: { id }, data: { state } });
    }
  }
  await world.mergeRequest(elsewhere, owner, { iid: 1, title: 'Wanted' });
  const fields = 'all opened merged closed';
  const query = `query ($group: GroupRef!, $author: String) {
    group(ref: $group) {
      mergeRequestCounts { ${fields} }
      wanted: mergeRequestCounts(filter: { search: "want" }) { ${fields} }
      written: mergeRequestCounts(filter: { authorUsername: $author }) { ${fields} }
    }
  }`;
  const seen = async (who: typeof owner, author = owner.username) =>
    (await world.graphql(query, { group: group.fullPath, author }, who)).body.data.group;
  const [both, one] = [
    { all: 8, opened: 4, merged: 2, closed: 2 },
    { all: 4, opened: 2, merged: 1, closed: 1 },
  ];
  expect(await seen(owner)).toEqual({
    mergeRequestCounts: both,
    wanted: { all: 2, opened: 2, merged: 0, closed: 0 },
    written: both,
  });
  for (const who of [guest, stranger]) expect((await seen(who)).mergeRequestCounts).toEqual(one);
  expect((await seen(owner, stranger.username)).written).toEqual({ all: 0, opened: 0, merged: 0, closed: 0 });
  const every = `{ groups(first: 100) { nodes { fullPath mergeRequestCounts { ${fields} } } } }`;
  const { body } = await world.graphql(every, {}, owner);
  const of = (path: string) =>
    body.data.groups.nodes.find(({ fullPath }: { fullPath: string }) => fullPath === path).mergeRequestCounts;
  expect([of(group.fullPath), of(below.fullPath), of(beside.fullPath)]).toEqual([
    both,
    one,
    { all: 1, opened: 1, merged: 0, closed: 0 },
  ]);
  const ofVisitor = (await world.graphql(query, { group: group.fullPath, author: owner.username })).body;
  expect(ofVisitor.data.group.mergeRequestCounts).toEqual(one);
});
