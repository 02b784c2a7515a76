import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, developer, reporter] = [await world.user(), await world.user(), await world.user()];
let project: ProjectRow;

const LIST = `query ($ref: ProjectRef!, $filter: TerraformStateFilter) { project(ref: $ref) {
  terraformStates(filter: $filter) { totalCount nodes { id name serial size versionsCount lockedAt lockedBy { username } } } } }`;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const other = await world.project({ owner, visibility: 'public' });
  await write(other, 'decoy', 1);
  await write(project, 'staging', 3);
  await write(project, 'production', 1);
  await write(project, 'production', 2);
});

async function write(at: ProjectRow, name: string, serial: number) {
  const body = JSON.stringify({ version: 4, serial });
  const headers = { 'PRIVATE-TOKEN': owner.token, 'Content-Type': 'application/json' };
  const { status } = await world.send('POST', `/api/v4/projects/${at.id}/terraform/state/${name}`, { headers, body });
  expect(status).toBe(200);
}

async function states(user: TestUser | undefined, filter?: object) {
  const { body } = await world.graphql(LIST, { ref: project.fullPath, filter }, user);
  return body.errors ? body.errors[0].extensions.code : body.data.project.terraformStates;
}

async function change(user: TestUser | undefined, mutation: 'lock' | 'unlock' | 'delete', name: string) {
  const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}TerraformStateInput`;
  const answer =
    mutation === 'delete' ? 'deletedTerraformStateId' : 'terraformState { lockedAt lockedBy { username } }';
  const document = `mutation ($input: ${type}!) { done: ${mutation}TerraformState(input: $input) { ${answer} } }`;
  const { body } = await world.graphql(document, { input: { project: project.fullPath, name } }, user);
  return body.errors ? body.errors[0].extensions.code : body.data.done;
}

describe('States of Terraform', () => {
  it('are listed by name for developers, each with its newest version', async () => {
    const { totalCount, nodes } = await states(developer);
    expect(totalCount).toBe(2);
    const open = { lockedAt: null, lockedBy: null };
    expect(nodes).toMatchObject([
      { name: 'production', serial: 2, versionsCount: 2, size: 24, ...open },
      { name: 'staging', serial: 3, versionsCount: 1, ...open },
    ]);
    expect((await states(developer, { search: 'STAG' })).nodes.map(({ name }: { name: string }) => name)).toEqual([
      'staging',
    ]);
    expect([await states(reporter), await states(undefined)]).toEqual(['FORBIDDEN', 'UNAUTHENTICATED']);
    const query = `query ($id: ID!) { node(id: $id) { ... on TerraformState { name project { fullPath } } } }`;
    const { body } = await world.graphql(query, { id: nodes[0].id }, developer);
    expect(body.data.node).toEqual({ name: 'production', project: { fullPath: project.fullPath } });
    expect((await world.graphql(query, { id: nodes[0].id }, reporter)).body.data.node).toBeNull();
  });

  it('are locked, unlocked and deleted by maintainers, and by nobody else', async () => {
    for (const mutation of ['lock', 'unlock', 'delete'] as const) {
      expect(await change(developer, mutation, 'staging')).toBe('FORBIDDEN');
      expect(await change(reporter, mutation, 'staging')).toBe('FORBIDDEN');
      expect(await change(undefined, mutation, 'staging')).toBe('UNAUTHENTICATED');
      expect(await change(owner, mutation, 'nothing')).toBe('NOT_FOUND');
    }
    expect(await change(owner, 'lock', 'staging')).toMatchObject({
      terraformState: { lockedAt: expect.any(String), lockedBy: { username: owner.username } },
    });
    expect(await change(owner, 'lock', 'staging')).toBe('CONFLICT');
    expect(await change(owner, 'delete', 'staging')).toBe('CONFLICT');
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const at = `/api/v4/projects/${project.id}/terraform/state/staging`;
    expect((await world.send('POST', at, { headers, body: { version: 4, serial: 4 } })).status).toBe(409);
    expect(await change(owner, 'unlock', 'staging')).toEqual({ terraformState: { lockedAt: null, lockedBy: null } });
    expect(await change(owner, 'delete', 'staging')).toEqual({ deletedTerraformStateId: expect.any(String) });
    expect((await states(owner)).nodes.map(({ name }: { name: string }) => name)).toEqual(['production']);
  });

  it('have a page with the same', async () => {
    const at = `/${project.fullPath}/-/terraform`;
    const browser = await signedIn(world, owner);
    await browser.get(at);
    expect(browser.page).toContain('production');
    expect(browser.page).not.toContain('decoy');
    await browser.submit(`${at}/production/lock`);
    await browser.get(at);
    expect(browser.page).toContain('Locked by');
    await browser.confirm(`${at}/production/unlock`);
    await browser.get(at);
    expect(browser.page).not.toContain('Locked by');
    const others = await signedIn(world, developer);
    await others.get(at);
    expect(others.page).toContain('production');
    expect(others.page).not.toContain('production/lock');
    const strangers = await signedIn(world, reporter);
    await strangers.get(at);
    expect(strangers.answer.status).toBe(403);
  });
});
