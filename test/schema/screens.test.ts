import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { pipelineOf } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/* The screens of examples/screens, each one document within the limits and a few statements, however much there is to show. */

const MOST_STATEMENTS = 30;

const world = await startWorld();
let owner: TestUser;
let variables: Record<string, unknown>;
let counts: { discussions: number; cards: number };

/** A board of 10 lists of 100 cards, a review of 30 threads of 10 notes, three levels of groups, and a person with to-dos. */
beforeAll(async () => {
  owner = await world.user();
  const { db } = world;
  let group = await world.group({ owner });
  const top = group;
  for (let level = 0; level < 3; level++) {
    await world.group({ owner, parentId: group.id });
    group = await world.group({ owner, parentId: group.id });
  }
  const project = await world.project({ owner, namespaceId: top.id, name: world.unique('screens') });
  const api = world.api(owner);
  const at = `/projects/${project.id}`;
  const content = (name: string) => ({ action: 'create', file_path: `${name}.txt`, content: `${name}\n` });
  const commit = (branch: string, start: string | undefined, names: string[]) =>
    api.post(`${at}/repository/commits`, {
      branch,
      ...(start && { start_branch: start }),
      commit_message: 'Add files',
      actions: names.map(content),
    });
  await commit('main', undefined, ['first']);
  await commit(
    'topic',
    'main',
    Array.from({ length: 20 }, (_, n) => `file-${n}`),
  );
  const { body: mergeRequest } = await api.post(`${at}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Review',
  });
  for (let thread = 0; thread < 30; thread++) {
    const { body } = await api.post(`${at}/merge_requests/${mergeRequest.iid}/discussions`, {
      body: `Thread ${thread}`,
    });
    const answer = { subjectType: 'MergeRequest', subjectId: mergeRequest.id, discussionId: body.notes[0].id };
    await db.note.createMany({
      data: Array.from({ length: 9 }, (_, n) => ({ ...answer, authorId: owner.id, body: `Answer ${n}` })),
    });
  }
  const { body: board } = await api.post(`${at}/boards`, { name: 'Work' });
  await db.issue.createMany({
    data: Array.from({ length: 1_000 }, (_, n) => ({
      iid: n + 1_000,
      projectId: project.id,
      authorId: owner.id,
      title: `Card ${n}`,
    })),
  });
  const issues = await db.issue.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });
  for (let list = 0; list < 10; list++) {
    const label = await world.label(project, owner, `list-${list}`);
    await api.post(`${at}/boards/${board.id}/lists`, { label_id: label.id });
    await db.issueLabel.createMany({
      data: issues.slice(list * 100, list * 100 + 100).map(({ id }) => ({ issueId: id, labelId: label.id })),
    });
  }
  await db.todo.createMany({
    data: issues.slice(0, 30).map(({ id }) => ({
      userId: owner.id,
      authorId: owner.id,
      projectId: project.id,
      issueId: id,
      action: 'assigned' as const,
    })),
  });
  await api.post(`${at}/releases`, { tag_name: 'v1', ref: 'main', name: 'One' });
  variables = {
    project: project.fullPath,
    group: top.fullPath,
    iid: mergeRequest.iid,
    board: String(board.id),
    id: String((await pipelineOf(world, owner, project, 'unit')).id),
    query: project.name,
  };
  counts = { discussions: 30, cards: 1_000 };
  await world.idle();
}, 120_000);

function screen(name: string): string {
  return readFileSync(packagePath(`examples/screens/${name}.graphql`), 'utf8');
}

async function show(name: string) {
  let answer: Awaited<ReturnType<typeof world.graphql>> | undefined;
  const statements = await world.statements(async () => {
    answer = await world.graphql(screen(name), variables, owner);
  });
  expect(answer?.body.errors).toBeUndefined();
  expect(statements.length).toBeLessThanOrEqual(MOST_STATEMENTS);
  return answer?.body.data;
}

describe('One document of at most thirty statements shows', () => {
  it.each(['dashboard', 'project', 'releases', 'members', 'search', 'inbox'])('the screen %s', async (name) => {
    const data = await show(name);
    expect(Object.values(data as object).every((value) => value !== null)).toBe(true);
  });

  it('a review of 30 threads of 10 notes, and 20 files', LONG, async () => {
    const { mergeRequest } = (await show('review')).project;
    expect(mergeRequest.discussions.edges.length).toBe(counts.discussions);
    expect(mergeRequest.discussions.edges[7].node.notes.edges.length).toBe(10);
    expect(mergeRequest.fileDiffs.nodes.length).toBe(20);
  });

  it('a board of 10 lists of 100 cards', LONG, async () => {
    const { lists } = (await show('board')).project.board;
    expect(lists.nodes.flatMap((list: { issues: { nodes: object[] } }) => list.issues.nodes).length).toBe(counts.cards);
  });

  it('a tree of groups of three levels', async () => {
    const { group } = await show('group_tree');
    const below = ({ subgroups }: { subgroups: { nodes: { subgroups: never }[] } }) => subgroups.nodes;
    const second = below(group).flatMap(below);
    expect(second.flatMap(below).length).toBeGreaterThan(0);
  });

  it('a pipeline with its jobs', async () => {
    expect((await show('pipeline')).project.pipeline.jobs.nodes).toMatchObject([{ name: 'unit' }]);
  });
});

it('docs/graphql.md lists the screens that there are', () => {
  const files = globSync('examples/screens/*.graphql', { cwd: packagePath('.') }).map((file) => path.basename(file));
  const listed = readFileSync(packagePath('docs/graphql.md'), 'utf8').matchAll(/`(\w+\.graphql)` \|/g);
  expect([...listed].map(([, file]) => file).sort()).toEqual(files.sort());
});
