import { describe, expect, it } from 'vitest';
import { compatOf } from '../support/compat.ts';
import { startWorld } from '../support/world.ts';

const MANY = 10;
const world = await startWorld();
const ask = compatOf(world);
const owner = await world.user();
const people = await Promise.all(Array.from({ length: 4 }, () => world.user()));
const project = await world.project({ owner, visibility: 'public' });

for (let iid = 1; iid <= MANY; iid++) {
  const { id } = await world.mergeRequest(project, people[iid % 4] ?? owner, { iid });
  for (let n = 0; n < MANY; n++) {
    const note = { subjectType: 'MergeRequest', subjectId: id, authorId: (people[n % 4] ?? owner).id } as const;
    const first = await world.db.note.create({ data: { ...note, body: `Note ${n}` } });
    await world.db.note.create({ data: { ...note, body: `Answer ${n}`, discussionId: first.id } });
  }
}

const LIST = `query ($path: ID!) { project(fullPath: $path) { mergeRequests(first: 10, state: opened, sort: UPDATED_DESC) { count pageInfo { endCursor hasNextPage }
  nodes { id iid title draft state webUrl createdAt author { id username avatarUrl } labels { nodes { id title color } } assignees { nodes { username } }
    discussions { nodes { id resolved notes { nodes { id body createdAt system author { id username webUrl } position { filePath newLine } userPermissions { adminNote } } } } } } } } }`;

describe('Ten merge requests with their threads and notes', () => {
  it('take eight statements at most, however many threads there are', async () => {
    const { body } = await ask(LIST, { path: project.fullPath }, owner);
    expect(body.errors).toBeUndefined();
    const { count, nodes } = body.data.project.mergeRequests;
    expect([count, nodes.length]).toEqual([MANY, MANY]);
    expect(nodes[0].discussions.nodes).toHaveLength(MANY);
    expect(nodes[0].discussions.nodes[0].notes.nodes).toHaveLength(2);
    const statements = await world.statements(async () => {
      await ask(LIST, { path: project.fullPath }, owner);
    });
    expect(statements.length, statements.map((one) => one.slice(0, 90)).join('\n')).toBeLessThanOrEqual(8);
  });
});
