import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
});

const ask = async (query: string, variables: object = {}, user: TestUser | null = owner) => {
  const headers = user ? { Authorization: `Bearer ${user.token}` } : {};
  return world.send('POST', '/api/graphql', { body: { query, variables }, headers: headers as never });
};

describe('Documents of clients', () => {
  it('tell who is signed in', async () => {
    const { status, body } = await ask(
      '{ currentUser { __typename id username webPath } metadata { version kas { enabled } } }',
    );
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    const id = `gid://gitlab/User/${owner.id}`;
    expect(body.data.currentUser).toMatchObject({ __typename: 'CurrentUser', id, webPath: `/${owner.username}` });
    expect(body.data.metadata.kas).toEqual({ enabled: false });
  });

  it('tell nobody without an error where no one is', async () => {
    expect((await ask('{ currentUser { id } }', {}, null)).body).toEqual({ data: { currentUser: null } });
  });

  it('find a project by its path, and nothing without an error', async () => {
    const query = 'query ($a: ID!) { a: project(fullPath: $a) { id name } b: project(fullPath: "no/where") { id } }';
    const { body } = await ask(query, { a: project.fullPath.toUpperCase() });
    expect(body).toEqual({ data: { a: { id: `gid://gitlab/Project/${project.id}`, name: project.name }, b: null } });
  });
});
