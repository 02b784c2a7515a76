// One part in depth, which the long run has.
// @module-tag long
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importSettings } from '#src/platform/outbound/options.ts';
import { type GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { expectHelloWorld } from '../support/moved_project.ts';
import { startWorld, type TestUser, type World } from '../support/world.ts';

/** The server that projects are moved from, and the one that they are moved to. */
const source = await startWorld();
const world = await startWorld();
const owner = await source.user({ admin: true, username: 'monalisa' });
const admin = await world.user({ admin: true });
const octocat = await world.user();

let github: GithubServer;
let hello: Json;
let token: string;

beforeAll(async () => {
  github = await helloWorld();
  const data = { email: 'octocat@example.com', confirmedAt: new Date() };
  await world.db.user.update({ where: { id: octocat.id }, data });
  const there = await source.user({ username: 'octocat' });
  await source.db.user.update({ where: { id: there.id }, data });
  Object.assign(source.imports, importSettings({ hosts: [github.host], timeout: 60_000 }));
  token = await source.token(owner);
  const given = { personal_access_token: TOKEN, repo_id: 1_296_269, target_namespace: owner.username };
  const { body } = await source
    .api(owner)
    .post('/import/github', { ...given, github_hostname: `http://${github.host}` });
  hello = await ended(source, owner, body);
  expect(hello.import_error).toBeNull();
});
afterAll(() => github.stop());
beforeEach(() => {
  Object.assign(world.imports, importSettings({ hosts: [new URL(source.url).host], timeout: 60_000 }));
});

/** The import when it has ended. */
async function ended(on: World, who: TestUser, { id }: { id: number }): Promise<Json> {
  let body: Json;
  await on.until(async () => {
    body = (await on.api(who).get(`/projects/${id}/import`)).body;
    return ['finished', 'failed', 'canceled'].includes(body.import_status);
  }, 200_000);
  return body;
}

const MOVE = `mutation ($input: ImportProjectFromServerInput!) {
  importProjectFromServer(input: $input) { project { databaseId fullPath } } }`;

function asked(input: object, who: TestUser = admin): Promise<Json> {
  const whole = {
    provider: 'GITLAB',
    url: source.url,
    path: hello.path_with_namespace,
    token,
    name: world.unique('hello'),
    ...input,
  };
  return world.graphql(MOVE, { input: whole }, who);
}

/** The ID of a project that was moved in. */
async function moved(input: object = {}, who: TestUser = admin): Promise<number> {
  const { body } = await asked(input, who);
  expect(body.errors).toBeUndefined();
  const { databaseId: id } = body.data.importProjectFromServer.project;
  expect(await ended(world, who, { id })).toMatchObject({ import_status: 'finished', import_error: null });
  return id;
}

async function leftOut(id: number): Promise<Json> {
  const query = `query ($ref: ProjectRef!) { project(ref: $ref) { import { remote { leftOut { kind name message } } } } }`;
  const { body } = await world.graphql(query, { ref: String(id) }, admin);
  return body.data.project.import.remote.leftOut;
}

describe('importProjectFromServer from GitLab', () => {
  it('moves a project in from another Gantry, with all that it has', LONG, async () => {
    const id = await moved();
    await expectHelloWorld({ api: world.api(admin), id, author: octocat.username });
    expect(await leftOut(id)).toEqual([
      { kind: 'lfs', name: null, message: expect.stringContaining('git lfs push --all') },
    ]);
  });
});
