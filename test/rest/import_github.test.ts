// One part in depth, which the long run has.
// @module-tag long
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importSettings } from '#src/platform/outbound/options.ts';
import { type GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { expectHelloWorld } from '../support/moved_project.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const octocat = await world.user();

let github: GithubServer;

beforeAll(async () => {
  github = await helloWorld();
  const data = { email: 'octocat@example.com', confirmedAt: new Date() };
  await world.db.user.update({ where: { id: octocat.id }, data });
});
afterAll(() => github.stop());
beforeEach(() => {
  github.interfere = () => false;
  github.pageSize = 100;
  github.requests.length = 0;
  Object.assign(world.imports, importSettings({ hosts: [github.host], timeout: 60_000 }));
});

const given = (who: TestUser, more: object = {}) => ({
  personal_access_token: TOKEN,
  repo_id: 1_296_269,
  target_namespace: who.username,
  github_hostname: `http://${github.host}`,
  new_name: world.unique('hello'),
  ...more,
});

async function begun(more: object = {}, who: TestUser = admin): Promise<Json> {
  const { status, body } = await world.api(who).post('/import/github', given(who, more));
  expect([status, body]).toEqual([201, expect.objectContaining({ import_status: 'scheduled' })]);
  return body;
}

/** The import when it has ended. */
async function ended({ id }: { id: number }, who: TestUser = admin): Promise<Json> {
  let body: Json;
  await world.until(async () => {
    body = (await world.api(who).get(`/projects/${id}/import`)).body;
    return ['finished', 'failed', 'canceled'].includes(body.import_status);
  }, 200_000);
  return body;
}

const REMOTE = `query ($ref: ProjectRef!) { project(ref: $ref) { import {
  status type source sourceUrl remote { provider phase counts { kind fetched total } leftOut { kind name message }
    continuesAt estimatedFinishAt startedAt finishedAt } } } }`;

async function remoteOf({ id }: { id: number }, who: TestUser = admin): Promise<Json> {
  return (await world.graphql(REMOTE, { ref: String(id) }, who)).body.data.project.import;
}

describe('POST /import/github', () => {
  it('moves a project in, with all that it has, and says what stayed behind', LONG, async () => {
    const project = await begun();
    expect(project).toMatchObject({
      full_path: `${admin.username}/${project.name}`,
      import_source: 'octo-org/hello-world',
      human_import_status_name: 'scheduled',
      provider_link: `http://${github.host}/octo-org/hello-world`,
    });
    expect(await ended(project)).toMatchObject({ import_status: 'finished', import_type: 'github' });
    await expectHelloWorld({ api: world.api(admin), id: project.id, author: octocat.username });
    const told = await remoteOf(project);
    expect(told).toMatchObject({ status: 'FINISHED', type: 'github', source: 'octo-org/hello-world' });
    expect(told.remote.counts).toContainEqual({ kind: 'line_comments', fetched: 4, total: 4 });
    expect(told.remote.leftOut).toEqual([
      { kind: 'webhooks', name: 'ci.example', message: 'Set it up anew: its secret stays at the source.' },
      {
        kind: 'uploads',
        name: 'https://user-images.githubusercontent.com/1/shot.png',
        message: expect.stringMatching(/not known|cannot be reached/),
      },
    ]);
    const row = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: project.id } });
    expect(row.source).toBeNull();
    const staging = world.repositories.staging({ id: project.id, repositoryStorage: 'default' });
    expect(existsSync(staging)).toBe(false);
    // Nobody is told of what happened elsewhere, years ago.
    expect(await world.db.todo.count({ where: { userId: octocat.id } })).toBe(0);
  });

  it('takes many pages as it takes one', LONG, async () => {
    github.pageSize = 1;
    const project = await begun();
    expect((await ended(project)).import_status).toBe('finished');
    await expectHelloWorld({ api: world.api(admin), id: project.id, author: octocat.username });
  });
});
