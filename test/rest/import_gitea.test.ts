// One part in depth, which the long run has.
// @module-tag long
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { giteaHelloWorld } from '../support/gitea_hello.ts';
import { GITEA_TOKEN, type GiteaServer } from '../support/gitea_server.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { expectHelloWorld } from '../support/moved_project.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const octocat = await world.user();

let gitea: GiteaServer;

beforeAll(async () => {
  gitea = await giteaHelloWorld();
  const data = { email: 'octocat@example.com', confirmedAt: new Date() };
  await world.db.user.update({ where: { id: octocat.id }, data });
});
afterAll(() => {
  gitea.stop();
  expect(gitea.wrong).toEqual([]);
});
beforeEach(() => {
  gitea.interfere = () => false;
  gitea.pageSize = 50;
  gitea.tellsPageSize = true;
  gitea.requests.length = 0;
  Object.assign(world.imports, importSettings({ hosts: [gitea.host], timeout: 60_000 }));
});

const given = (more: object = {}) => ({
  personal_access_token: GITEA_TOKEN,
  repo_id: 1_296_269,
  target_namespace: admin.username,
  gitea_host_url: `http://${gitea.host}`,
  new_name: world.unique('hello'),
  ...more,
});

const api = () => world.api(admin);

/** Another administrator for each import: a user has six at once. */
const importer = () => world.user({ admin: true });

/** The import when it has ended. */
async function ended({ id }: { id: number }): Promise<Json> {
  let body: Json;
  await world.until(async () => {
    body = (await api().get(`/projects/${id}/import`)).body;
    return ['finished', 'failed', 'canceled'].includes(body.import_status);
  }, 200_000);
  return body;
}

/** That a project is the one of the source. */
async function expectMoved(id: number): Promise<void> {
  const attached = [
    { filename: 'build.log', size: 4 },
    { filename: 'shot.png', size: 3 },
  ];
  const lacks = ['ranges', 'code owners', 'commit comments'] as const;
  await expectHelloWorld({ api: api(), id, author: octocat.username, lacks, attached });
  expect((await api().get(`/projects/${id}`)).body.avatar_url).toMatch(/\.png$/);
}

async function leftOut(id: number): Promise<Json> {
  const query = `query ($ref: ProjectRef!) { project(ref: $ref) { import { status remote { counts { kind fetched total }
    leftOut { kind name message } } } } }`;
  const { body } = await world.graphql(query, { ref: String(id) }, admin);
  return body.data.project.import.remote.leftOut;
}

const WEBHOOK = { kind: 'webhooks', name: 'ci.example', message: expect.stringContaining('Set it up anew') };
const LFS = { kind: 'lfs', name: null, message: expect.stringContaining('git lfs push --all') };

describe('POST /import/gitea', () => {
  it('moves a project in, with all that it has, and says what stayed behind', LONG, async () => {
    const { status, body: project } = await world.api(await importer()).post('/import/gitea', given());
    expect([status, project]).toEqual([
      201,
      expect.objectContaining({
        import_status: expect.stringMatching(/^(scheduled|started)$/),
        import_source: 'octo-org/hello-world',
        provider_link: `http://${gitea.host}/octo-org/hello-world`,
      }),
    ]);
    expect(await ended(project)).toMatchObject({ import_status: 'finished', import_type: 'gitea', import_error: null });
    await expectMoved(project.id);
    expect(await leftOut(project.id)).toEqual([WEBHOOK, LFS]);
    const at = `/projects/${project.id}`;
    // Files have the names that they have there, also those that no text shows.
    expect((await api().get(`${at}/issues/1`)).body.description).toMatch(
      /!\[shot\]\(\/uploads\/[\da-f]{32}\/shot\.png\)$/,
    );
    const notes = (await api().get(`${at}/merge_requests/3/notes?sort=asc`)).body;
    expect(notes.map(({ body }: Json) => body)).toContainEqual(
      expect.stringMatching(/Ready\?\n\n\[build\.log\]\(\/uploads\/[\da-f]{32}\/build\.log\)$/),
    );
    const { body: threads } = await api().get(`${at}/merge_requests/3/discussions`);
    const resolved = threads.flatMap(({ notes: some }: Json) => some).filter((one: Json) => one.resolved === true);
    expect(resolved).toMatchObject([{ body: 'Gone', resolved_by: { username: octocat.username } }]);
    const row = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: project.id } });
    expect(row.source).toBeNull();
  });

  it.each([
    ['tells how many records a page has', true],
    ['does not', false],
  ])('takes many pages as it takes one, where the server %s', LONG, async (_name, tells) => {
    gitea.pageSize = 1;
    gitea.tellsPageSize = tells;
    const { body: project } = await world.api(await importer()).post('/import/gitea', given());
    expect((await ended(project)).import_status).toBe('finished');
    await expectMoved(project.id);
  });

  it('does without what older servers do not have, and says so', LONG, async () => {
    gitea.interfere = ({ url = '' }, response) => {
      const isNew = /\/(timeline|reviews|topics|branch_protections|settings\/api)\b/.test(url);
      if (isNew) response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
      return isNew;
    };
    const { body: project } = await world.api(await importer()).post('/import/gitea', given());
    expect((await ended(project)).import_status).toBe('finished');
    expect(await leftOut(project.id)).toEqual([
      { kind: 'reviews', name: null, message: expect.stringContaining('has no reviews') },
      { kind: 'events', name: null, message: expect.stringContaining('older than 1.17') },
      { kind: 'protected_branches', name: null, message: expect.any(String) },
      WEBHOOK,
      LFS,
    ]);
    const { body } = await api().get(`/projects/${project.id}/merge_requests/4`);
    expect(body).toMatchObject({ state: 'merged', merge_user: { username: octocat.username } });
    const issue = (await api().get(`/projects/${project.id}/issues/2`)).body;
    expect(issue).toMatchObject({ state: 'closed', closed_at: '2024-03-01T10:30:00.000Z' });
  });

  it('refuses what is missing or wrong, and names it', LONG, async () => {
    const refused = async (more: object) => {
      const { status, body } = await world.api(await importer()).post('/import/gitea', given(more));
      return [status, body.message ?? body.error];
    };
    expect(await refused({ gitea_host_url: undefined })).toEqual([400, 'gitea_host_url is missing']);
    expect(await refused({ target_namespace: undefined })).toEqual([400, 'target_namespace is missing']);
    const wrong = await refused({ personal_access_token: 'wrong' });
    expect(wrong).toEqual([400, { personal_access_token: ['is wrong, or may not read the project'] }]);
    expect(await refused({ repo_id: 7 })).toEqual([400, { repo_id: ['is of no project that the token may read'] }]);
    await api().put('/application/settings', { import_sources: ['git', 'gitlab_project', 'github'] });
    try {
      expect(await refused({})).toEqual([403, '403 Forbidden  - Projects cannot be imported from Gitea']);
    } finally {
      await api().put('/application/settings', { import_sources: ['git', 'gitlab_project', 'github', 'gitea'] });
    }
  });
});

describe('importProjectFromServer from Gitea', () => {
  const importOf = (input: object) => {
    const query = `mutation ($input: ImportProjectFromServerInput!) {
      importProjectFromServer(input: $input) { project { databaseId fullPath } } }`;
    const whole = { provider: 'GITEA', path: 'octo-org/hello-world', token: GITEA_TOKEN, ...input };
    return world.graphql(query, { input: whole }, admin);
  };

  it('needs the address of the server', LONG, async () => {
    const { body } = await importOf({});
    expect(body.errors[0].extensions.fields).toEqual({ 'input.url': [expect.any(String)] });
  });

  it('shows a line that is gone as it was', LONG, async () => {
    const comments = gitea.content.lists['/pulls/3/reviews/2/comments'] ?? [];
    const [last] = comments;
    const gone = { ...last, id: 29, body: 'Old', diff_hunk: '@@ -1,2 +1,2 @@\n one\n+earlier', position: 2 };
    gitea.content.lists['/pulls/3/reviews/2/comments'] = [...comments, gone];
    try {
      const url = `http://${gitea.host}/api/v1`;
      const { body } = await importOf({ url, name: world.unique('gone'), parts: ['MERGE_REQUESTS'] });
      const { databaseId: id } = body.data.importProjectFromServer.project;
      expect((await ended({ id })).import_status).toBe('finished');
      const rows = await world.db.discussion.findMany({
        where: { mergeRequest: { targetProjectId: id } },
        orderBy: { id: 'asc' },
      });
      const isCurrent = rows.filter((row) => row.originalPosition !== null).map((row) => row.position !== null);
      expect(isCurrent).toEqual([true, true, true, false]);
      expect((await api().get(`/projects/${id}/issues`)).body).toEqual([]);
    } finally {
      gitea.content.lists['/pulls/3/reviews/2/comments'] = comments;
    }
  });
});

describe('An import from Gitea that is interrupted', () => {
  it('goes on behind the last page, with nothing twice and nothing lost', LONG, async () => {
    gitea.pageSize = 1;
    const enqueue: JobQueue['enqueue'] = async () => undefined;
    const context = {
      ...world.as(await importer()),
      address: async () => ({ baseUrl: world.url, ssh: null }),
      jobs: { enqueue },
    };
    const wanted = { url: `http://${gitea.host}`, path: 'octo-org/hello-world', token: GITEA_TOKEN };
    const name = world.unique('hand');
    const project = await importFromServer(context, { ...wanted, provider: 'gitea', name });
    for (const nth of [3, 6, 9, 12, 5]) {
      const stop = new AbortController();
      let count = 0;
      gitea.interfere = () => {
        count += 1;
        if (count === nth) stop.abort(new Error('The server stops'));
        return false;
      };
      await expect(continueImport(context, project.id, { stopping: stop.signal })).rejects.toThrow();
    }
    gitea.interfere = () => false;
    await continueImport(context, project.id, {});
    await expectMoved(project.id);
    const issues = gitea.requests.filter((url) => /\/issues\?/.test(url));
    // Two pages and an empty one, as the last one is full: each once, and one more time where the answer came too late.
    expect(new Set(issues).size).toBe(3);
    expect(issues.length).toBeLessThanOrEqual(5);
  });
});
