import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const other = await world.user();

const ask = async (query: string, variables: Record<string, unknown> = {}, who = owner) => {
  const { data, errors } = (await world.graphql(query, variables, who)).body;
  expect(errors).toBeUndefined();
  return data;
};

describe('Projects', () => {
  const query = 'query ($filter: ProjectFilter!) { projects(filter: $filter) { totalCount nodes { fullPath } } }';

  it('are found by several full paths or IDs, in any case, as far as the caller can see them', async () => {
    const seen = await world.project({ owner, visibility: 'public' });
    const hidden = await world.project({ owner, visibility: 'private' });
    await world.project({ owner, visibility: 'public' });
    const paths = [seen.fullPath.toUpperCase(), hidden.fullPath, 'nobody/nothing', 'nothing'];
    const both = [seen.fullPath, hidden.fullPath].sort();
    const found = async (filter: object, who = owner) =>
      (await ask(query, { filter }, who)).projects.nodes.map(({ fullPath }: { fullPath: string }) => fullPath).sort();
    expect(await found({ fullPaths: paths })).toEqual(both);
    expect(await found({ fullPaths: paths }, other)).toEqual([seen.fullPath]);
    expect(await found({ ids: [seen.id, hidden.id] })).toEqual(both);
    expect(await found({ ids: [seen.id, hidden.id] }, other)).toEqual([seen.fullPath]);
    expect(await found({ ids: [seen.id], fullPaths: [hidden.fullPath] })).toEqual([]);
    expect(await found({ fullPaths: [] })).toEqual([]);
  });

  it('refuse more than 100 names', async () => {
    const filter = { fullPaths: Array.from({ length: 101 }, (_, index) => `a/b${index}`) };
    const { errors } = (await world.graphql(query, { filter }, owner)).body;
    expect(errors[0].message).toContain('fullPaths has too many entries (maximum is 100)');
  });
});

describe('Users', () => {
  it('are found by several usernames, in any case', async () => {
    await world.user();
    const query = 'query ($names: [String!]) { users(usernames: $names) { nodes { username } } }';
    const { users } = await ask(query, { names: [owner.username.toUpperCase(), other.username, 'nobody'] });
    expect(users.nodes.map(({ username }: { username: string }) => username).sort()).toEqual(
      [owner.username, other.username].sort(),
    );
  });
});

describe('A pipeline', () => {
  it('is found by its number in the project, and among those of its commit', LONG, async () => {
    const { project, pipeline } = await pipelineWithCommit();
    const query = `query ($ref: ProjectRef!, $iid: Int!, $sha: String!) { project(ref: $ref) {
      pipeline(iid: $iid) { databaseId iid } repository { commit(ref: $sha) { pipelines { totalCount nodes { iid } } } } } }`;
    const variables = { ref: project.id, iid: pipeline.iid, sha: pipeline.sha };
    expect((await ask(query, variables)).project).toEqual({
      pipeline: { databaseId: pipeline.id, iid: pipeline.iid },
      repository: { commit: { pipelines: { totalCount: 1, nodes: [{ iid: pipeline.iid }] } } },
    });
    const neither = await world.graphql(
      'query ($ref: ProjectRef!) { project(ref: $ref) { pipeline { iid } } }',
      { ref: project.id },
      owner,
    );
    expect(neither.body.errors[0].message).toContain('Give one of id and iid');
  });

  async function pipelineWithCommit() {
    const project = await world.project({ owner, visibility: 'public', initializeWithReadme: true });
    const { body } = await world.api(owner).get(`/projects/${project.id}/repository/commits`);
    const of = { projectId: project.id, userId: owner.id, ref: 'main', source: 'api' } as const;
    const pipeline = await world.db.pipeline.create({ data: { ...of, sha: body[0].id } });
    await world.db.pipeline.create({ data: { ...of, sha: '0'.repeat(40) } });
    return { project, pipeline: await world.db.pipeline.findUniqueOrThrow({ where: { id: pipeline.id } }) };
  }
});

describe('Merge requests', () => {
  it('are filtered by several branches and by all of their assignees', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await world.member(project, other, 'developer');
    await world.mergeRequest(project, owner, { iid: 1, sourceBranch: 'one' });
    const second = await world.mergeRequest(project, owner, { iid: 2, sourceBranch: 'two' });
    await world.mergeRequest(project, owner, { iid: 3, sourceBranch: 'three' });
    const assigneeId = other.id;
    await world.db.mergeRequest.updateMany({
      where: { iid: { in: [2, 3] }, targetProjectId: project.id },
      data: { assigneeId },
    });
    await world.db.mergeRequestAssignee.create({ data: { mergeRequestId: second.id, userId: owner.id, position: 1 } });
    const query = `query ($ref: ProjectRef!, $filter: MergeRequestFilter!) { project(ref: $ref) {
      mergeRequests(filter: $filter, sort: ASC) { nodes { iid } } } }`;
    const found = async (filter: object) =>
      (await ask(query, { ref: project.id, filter })).project.mergeRequests.nodes.map(
        ({ iid }: { iid: number }) => iid,
      );
    expect(await found({ sourceBranches: ['one', 'two', 'none'] })).toEqual([1, 2]);
    expect(await found({ targetBranches: ['nowhere'] })).toEqual([]);
    expect(await found({ assigneeUsernames: [other.username.toUpperCase()] })).toEqual([2, 3]);
    expect(await found({ assigneeUsernames: [other.username, owner.username] })).toEqual([2]);
  });

  it('are listed for the users who opened them, do them and review them', async () => {
    const [author, assignee, reviewer, outsider] = [
      await world.user(),
      await world.user(),
      await world.user(),
      await world.user(),
    ];
    const project = await world.project({ owner, visibility: 'private' });
    for (const user of [author, assignee, reviewer]) await world.member(project, user, 'developer');
    const { id } = await world.mergeRequest(project, author, { iid: 7 });
    await world.db.mergeRequest.update({ where: { id }, data: { assigneeId: assignee.id } });
    await world.mergeRequest(project, owner, { iid: 8 });
    await world.db.mergeRequestReviewer.create({ data: { mergeRequestId: id, userId: reviewer.id } });
    const query = `query ($name: String!) { user(username: $name) {
      authoredMergeRequests { totalCount nodes { iid } } assignedMergeRequests { totalCount nodes { iid } }
      reviewRequestedMergeRequests { totalCount nodes { iid squashReadOnly } } } }`;
    const none = { totalCount: 0, nodes: [] };
    const one = { totalCount: 1, nodes: [{ iid: 7 }] };
    const reviewed = { totalCount: 1, nodes: [{ iid: 7, squashReadOnly: false }] };
    const empty = { authoredMergeRequests: none, assignedMergeRequests: none, reviewRequestedMergeRequests: none };
    expect((await ask(query, { name: author.username })).user).toEqual({ ...empty, authoredMergeRequests: one });
    expect((await ask(query, { name: assignee.username })).user).toEqual({ ...empty, assignedMergeRequests: one });
    expect((await ask(query, { name: reviewer.username })).user).toEqual({
      ...empty,
      reviewRequestedMergeRequests: reviewed,
    });
    expect((await ask(query, { name: author.username }, outsider)).user).toEqual(empty);
  });
});

describe('Milestones of a group', () => {
  it(
    'come with those of its projects, and of projects of the groups inside, as far as the caller can see them',
    LONG,
    async () => {
      const group = await world.group({ owner, visibility: 'public' });
      const inner = await world.group({ owner, visibility: 'public', parentId: group.id });
      const direct = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
      const deep = await world.project({ owner, namespaceId: inner.id, visibility: 'public' });
      const hidden = await world.project({ owner, namespaceId: inner.id, visibility: 'private' });
      const decoy = await world.project({ owner, visibility: 'public' });
      for (const project of [direct, deep, hidden, decoy])
        await world.milestone(project, owner, { title: `of ${project.path}` });
      const query = `query ($ref: GroupRef!, $deep: Boolean!) { group(ref: $ref) {
      milestones(includeProjects: true, includeDescendants: $deep) { nodes { title } } } }`;
      const found = async (isDeep: boolean, who = owner) =>
        (await ask(query, { ref: group.id, deep: isDeep }, who)).group.milestones.nodes
          .map(({ title }: { title: string }) => title)
          .sort();
      const titles = (...projects: { path: string }[]) => projects.map(({ path }) => `of ${path}`).sort();
      expect(await found(false)).toEqual(titles(direct));
      expect(await found(true)).toEqual(titles(direct, deep, hidden));
      expect(await found(true, other)).toEqual(titles(direct, deep));
    },
  );
});

describe('A note', () => {
  it('tells when its text was edited, and null before', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const { iid } = await world.issue(project, owner);
    const at = `/projects/${project.id}/issues/${iid}/notes`;
    const { body: note } = await world.api(owner).post(at, { body: 'First' });
    const query = `query ($ref: ProjectRef!, $iid: Int!, $id: ID!) { project(ref: $ref) { issue(iid: $iid) { note(id: $id) { lastEditedAt } } } }`;
    const edited = async () =>
      (await ask(query, { ref: project.id, iid, id: note.id })).project.issue.note.lastEditedAt;
    expect(await edited()).toBeNull();
    await world.api(owner).put(`${at}/${note.id}`, { body: 'First' });
    expect(await edited()).toBeNull();
    await world.api(owner).put(`${at}/${note.id}`, { body: 'Second' });
    expect(await edited()).toMatch(/^\d{4}-/);
  });
});
