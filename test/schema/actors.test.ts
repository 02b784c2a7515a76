import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ContainerClient } from '../support/container_client.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, developer] = [await world.user(), await world.user()];
const admin = await world.user({ admin: true });
let project: ProjectRow;
let token: { id: number; username: string; token: string };

const QUERY = `query($project: ProjectRef!) { project(ref: $project) {
  packages { nodes { version publisher { __typename databaseId name username } } }
  containerRepositories { nodes { tags { nodes { name pushedBy { __typename databaseId } } } } } } }`;

interface Named {
  __typename: string;
  databaseId: number;
}

interface Answer {
  packages: { nodes: { version: string; publisher: Named | null }[] };
  containerRepositories: { nodes: { tags: { nodes: { name: string; pushedBy: Named | null }[] } }[] };
}

async function ask(who: TestUser | undefined): Promise<Answer> {
  const { body } = await world.graphql(QUERY, { project: project.fullPath }, who);
  expect(body.errors).toBeUndefined();
  return body.data.project;
}

async function publish(version: string, headers: Record<string, string>): Promise<void> {
  const path = `/api/v4/projects/${project.id}/packages/generic/app/${version}/app.txt`;
  const type = { 'Content-Type': 'application/octet-stream' };
  const { status } = await world.send('PUT', path, { headers: { ...type, ...headers }, body: Buffer.from(version) });
  expect(status).toBe(201);
}

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  await world.member(project, developer, 'developer');
  const scopes = ['read_registry', 'write_registry', 'read_package_registry', 'write_package_registry'];
  token = (await world.api(owner).post(`/projects/${project.id}/deploy_tokens`, { name: 'shipping', scopes })).body;
  await publish('1.0', { 'PRIVATE-TOKEN': developer.token });
  await publish('2.0', { 'Deploy-Token': token.token });
  // A further file leaves who published the package first.
  await publish('2.0', { 'PRIVATE-TOKEN': developer.token });
  const name = project.fullPath.toLowerCase();
  expect(await new ContainerClient(world.url, developer).pushImage(name, 'by-user')).toBe(201);
  expect(await new ContainerClient(world.url, developer).pushImage(name, 'by-token')).toBe(201);
  expect(await new ContainerClient(world.url, { ...owner, ...token }).pushImage(name, 'by-token')).toBe(201);
});

describe('Who published', () => {
  it('a package or an image is a user, or a deploy token for those who administer it', async () => {
    for (const who of [owner, admin]) {
      const { packages, containerRepositories } = await ask(who);
      const byVersion = new Map(packages.nodes.map(({ version, publisher }) => [version, publisher]));
      expect(byVersion.get('1.0')).toMatchObject({ __typename: 'User', username: developer.username });
      expect(byVersion.get('2.0')).toEqual({
        ...{ __typename: 'DeployToken', databaseId: token.id, name: 'shipping', username: token.username },
      });
      const tags = containerRepositories.nodes.flatMap((repository) => repository.tags.nodes);
      expect(Object.fromEntries(tags.map(({ name, pushedBy }) => [name, pushedBy]))).toEqual({
        'by-user': { __typename: 'User', databaseId: developer.id },
        'by-token': { __typename: 'DeployToken', databaseId: token.id },
      });
    }
  });

  it('is null for others where it is a deploy token, and where nobody is known', async () => {
    for (const who of [developer, undefined]) {
      const { packages, containerRepositories } = await ask(who);
      expect(packages.nodes.map(({ publisher }) => publisher?.__typename ?? null).sort()).toEqual(['User', null]);
      const tags = containerRepositories.nodes.flatMap((repository) => repository.tags.nodes);
      expect(tags.map(({ pushedBy }) => pushedBy?.__typename ?? null).sort()).toEqual(['User', null]);
    }
    const { id } = await world.db.package.findFirstOrThrow({ where: { projectId: project.id, version: '1.0' } });
    await world.db.package.update({ where: { id }, data: { creatorId: null } });
    const { packages } = await ask(owner);
    expect(packages.nodes.find(({ version }) => version === '1.0')?.publisher).toBeNull();
  });

  it('is found by `node` as a deploy token by those who administer it alone', async () => {
    const id = Buffer.from(`DeployToken:${token.id}`).toString('base64url');
    const find = async (who: TestUser) =>
      (await world.graphql('query($id: ID!) { node(id: $id) { ... on DeployToken { name } } }', { id }, who)).body.data;
    expect(await find(owner)).toEqual({ node: { name: 'shipping' } });
    expect(await find(developer)).toEqual({ node: null });
  });
});
