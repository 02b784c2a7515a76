// One part in depth, which the long run has.
// @module-tag long
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
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
afterAll(() => {
  github.stop();
  expect(github.wrong).toEqual([]);
});
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

/** Another administrator for each import: a user has six at once. */
const importer = () => world.user({ admin: true });

async function begun(more: object = {}, who?: TestUser): Promise<Json> {
  const importing = world.api(who ?? (await importer()));
  const { status, body } = await importing.post('/import/github', given(who ?? admin, more));
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ import_status: expect.stringMatching(/^(scheduled|started)$/) }),
  ]);
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
      human_import_status_name: expect.stringMatching(/^(scheduled|started)$/),
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
      { kind: 'lfs', name: null, message: expect.stringContaining('git lfs push --all') },
    ]);
    const row = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: project.id } });
    expect(row.source).toBeNull();
    const staging = world.repositories.staging({ id: project.id, repositoryStorage: 'default' });
    expect(existsSync(staging)).toBe(false);
    // Nobody is told of what happened elsewhere, years ago.
    expect(await world.db.todo.count({ where: { userId: octocat.id } })).toBe(0);
  });

  it('leaves out the parts that are not wanted, over GraphQL too', LONG, async () => {
    const input = {
      provider: 'GITHUB',
      url: github.host,
      path: 'octo-org/hello-world.git',
      token: TOKEN,
      name: 'Only issues',
      parts: ['ISSUES'],
    };
    const query = `mutation ($input: ImportProjectFromServerInput!) {
      importProjectFromServer(input: $input) { project { databaseId name fullPath } } }`;
    const secure = await world.graphql(query, { input }, admin);
    // A host alone is asked over HTTPS.
    expect(secure.body.errors[0].extensions.fields).toEqual({ 'input.url': [expect.any(String)] });
    const { body } = await world.graphql(query, { input: { ...input, url: `http://${github.host}/` } }, admin);
    const { project } = body.data.importProjectFromServer;
    expect(project).toMatchObject({ name: 'Only issues', fullPath: `${admin.username}/only-issues` });
    const at = `/projects/${project.databaseId}`;
    expect((await ended({ id: project.databaseId })).import_status).toBe('finished');
    const counted = async (rest: string) => (await world.api(admin).get(`${at}${rest}`)).body.length;
    expect(await counted('/issues')).toBe(2);
    expect(await counted('/repository/branches')).toBe(2);
    for (const rest of ['/merge_requests?state=all', '/releases', '/wikis', '/uploads'])
      expect(await counted(rest)).toBe(0);
    // A reference to what did not come along stays as it was.
    expect((await world.api(admin).get(`${at}/issues/1`)).body.description).toContain('broke it in #3');
    expect(github.requests.filter((one) => /^\/(pulls|releases|collaborators|branches)/.test(below(one)))).toEqual([]);
  });

  it('takes many pages as it takes one', LONG, async () => {
    github.pageSize = 1;
    const project = await begun();
    expect((await ended(project)).import_status).toBe('finished');
    await expectHelloWorld({ api: world.api(admin), id: project.id, author: octocat.username });
  });
});

/** What a request asks for below the repository. */
const below = ({ url = '' }: { url?: string | undefined }) => url.replace(/^.*?(?:hello-world|1296269)(?=\/|$)/, '');

/** An import that nobody works on but the test, which says when the job runs. */
async function byHand(more: object = {}, who?: TestUser) {
  const jobs: { name: string; after: number }[] = [];
  const enqueue: JobQueue['enqueue'] = async (_tx, name, _data, how) => {
    jobs.push({ name, after: how?.after ?? 0 });
  };
  const context = {
    ...world.as(who ?? (await importer())),
    address: async () => ({ baseUrl: world.url, ssh: null }),
    jobs: { enqueue },
  };
  const wanted = {
    provider: 'github',
    url: `http://${github.host}`,
    path: 'octo-org/hello-world',
    token: TOKEN,
  } as const;
  const project = await importFromServer(context, { ...wanted, name: world.unique('hand'), ...more });
  const staging = world.repositories.staging({ id: project.id, repositoryStorage: 'default' });
  return {
    project,
    jobs,
    staging,
    run: (stopping?: AbortSignal) => continueImport(context, project.id, { stopping }),
  };
}

describe('An import that is interrupted', () => {
  it('goes on behind the last page, with nothing twice and nothing lost', LONG, async () => {
    github.pageSize = 1;
    const { run, project, staging } = await byHand();
    for (const nth of [2, 4, 9, 8, Number.POSITIVE_INFINITY]) {
      const stop = new AbortController();
      let count = 0;
      github.interfere = ({ url }) => {
        count += 1;
        if (count === nth || (nth === Number.POSITIVE_INFINITY && url?.endsWith('.git/git-upload-pack')))
          stop.abort(new Error('The server stops'));
        return false;
      };
      await expect(run(stop.signal)).rejects.toThrow();
      // A page that was being written.
      writeFileSync(path.join(staging, 'pages', '00009999.ndjson.new'), '{"phase":"la');
    }
    github.interfere = () => false;
    await run();
    await expectHelloWorld({ api: world.api(admin), id: project.id, author: octocat.username });
    const asked = github.requests.map(below).filter((one) => one.startsWith('/issues?'));
    // Each of the four pages once, and one more time where the answer came too late.
    expect(new Set(asked).size).toBe(4);
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  it('begins anew where what was fetched is lost', LONG, async () => {
    const { run, project, staging } = await byHand();
    const stop = new AbortController();
    github.interfere = (asked) => {
      if (below(asked).startsWith('/pulls?')) stop.abort(new Error('The server stops'));
      return false;
    };
    await expect(run(stop.signal)).rejects.toThrow();
    rmSync(staging, { recursive: true });
    github.interfere = () => false;
    await run();
    await expectHelloWorld({ api: world.api(admin), id: project.id, author: octocat.username });
  });
});

describe('An importer who loses the right to create projects meanwhile', () => {
  it('gets none', LONG, async () => {
    const mover = await world.user();
    const group = await world.group({ owner: admin });
    await world.api(admin).post(`/groups/${group.id}/members`, { user_id: mover.id, access_level: 40 });
    const { run, project, staging } = await byHand({ namespace: group.id }, mover);
    github.interfere = async (asked) => {
      if (below(asked).startsWith('/pulls?')) await world.api(admin).delete(`/groups/${group.id}/members/${mover.id}`);
      return false;
    };
    await run();
    const api = world.api(admin);
    const message = 'The user who imported the project may not create projects there any more.';
    const { body } = await api.get(`/projects/${project.id}/import`);
    expect(body).toMatchObject({ import_status: 'failed', import_error: message });
    expect((await api.get(`/projects/${project.id}/issues`)).body).toEqual([]);
    expect(existsSync(staging)).toBe(false);
  });
});

describe('A source that asks to wait', () => {
  it.each([
    ['Retry-After', 429, { 'Retry-After': '90' }, '', 90],
    ['a limit that is used up', 403, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': 'in 120' }, '', 120],
    ['a secondary limit', 403, {}, '{"message":"You have exceeded a secondary rate limit."}', 60],
  ])('is left alone as long as it says, by %s', LONG, async (_name, status, headers, body, seconds) => {
    const { run, project, jobs } = await byHand();
    const reset = (value: string) =>
      value.startsWith('in ') ? String(Math.ceil(Date.now() / 1_000) + Number(value.slice(3))) : value;
    github.interfere = (asked, response) => {
      if (!below(asked).startsWith('/issues/comments')) return false;
      const sent = Object.entries(headers).map(([key, value]) => [key, reset(value)]);
      response.writeHead(status, Object.fromEntries(sent)).end(body);
      return true;
    };
    await run();
    expect(jobs).toHaveLength(2);
    expect(Math.abs((jobs[1]?.after ?? 0) - seconds)).toBeLessThan(5);
    const told = await remoteOf(project);
    expect(told).toMatchObject({ status: 'STARTED', remote: { phase: 'comments' } });
    expect(Date.parse(told.remote.continuesAt)).toBeGreaterThan(Date.now() + (seconds - 20) * 1_000);
    const asked = github.requests.length;
    github.interfere = () => false;
    // A job that comes too soon asks for nothing.
    await run();
    expect(github.requests).toHaveLength(asked);
    await world.db.remoteImport.update({ where: { projectId: project.id }, data: { continuesAt: new Date() } });
    await run();
    expect((await remoteOf(project)).status).toBe('FINISHED');
  });

  it('is asked again when it failed, and given up in the end', LONG, async () => {
    const { run, project, jobs } = await byHand();
    github.interfere = (asked, response) => {
      if (!below(asked).startsWith('/pulls')) return false;
      response.writeHead(502).end();
      return true;
    };
    for (let attempt = 0; attempt < 10 && (await remoteOf(project)).status !== 'FAILED'; attempt++) {
      await world.db.remoteImport.update({ where: { projectId: project.id }, data: { continuesAt: null } });
      await run();
    }
    const { body } = await world.api(admin).get(`/projects/${project.id}/import`);
    expect(body).toMatchObject({ import_status: 'failed', import_error: 'The source answered with status 502.' });
    expect(jobs.length).toBeGreaterThan(3);
    const delays = jobs.slice(1).map(({ after }) => after);
    expect(delays).toEqual([...delays].sort((one, other) => one - other));
  });
});

describe('A hostile source', () => {
  /** The error of an import whose requests below an address are answered so. */
  async function failsWith(
    at: string,
    answer: (response: ServerResponse, asked: IncomingMessage) => void,
  ): Promise<string> {
    const { run, project, staging } = await byHand();
    github.interfere = (asked, response) => {
      if (!below(asked).startsWith(at)) return false;
      answer(response, asked);
      return true;
    };
    await run();
    const { body } = await world.api(admin).get(`/projects/${project.id}/import`);
    expect(body.import_status).toBe('failed');
    expect(existsSync(staging)).toBe(false);
    expect((await world.api(admin).get(`/projects/${project.id}/issues`)).body).toEqual([]);
    return body.import_error;
  }
  const json = (response: ServerResponse, body: string, headers: Record<string, string> = {}) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);

  it('gets no further with pages that are too large, too deep, no lists, or no JSON', LONG, async () => {
    const endless = (response: ServerResponse) => {
      response.on('error', () => undefined);
      const chunk = `"${'x'.repeat(1 << 20)}",`;
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      response.write('[');
      more();
    };
    expect(await failsWith('/labels', endless)).toMatch(/^A page of the source has more than \d+ bytes\.$/);
    const deep = await failsWith('/labels', (response) => json(response, '['.repeat(200_000)));
    expect(deep).toBe('The source answered with something else than JSON.');
    expect(await failsWith('/issues?', (response) => json(response, '{"a":1}'))).toMatch(
      /something else than a list of issues/,
    );
    expect(await failsWith('/pulls?', (response) => json(response, '[1]'))).toMatch(
      /something else than a list of pull/,
    );
  });

  it('leads nowhere else by redirects and next pages', LONG, async () => {
    const to = (Location: string) => (response: ServerResponse) => void response.writeHead(302, { Location }).end();
    const blocked = 'The source is blocked: its address is not a public one.';
    expect(await failsWith('/labels', to('http://127.0.0.1:1/labels'))).toBe(blocked);
    expect(await failsWith('/labels', to('http://169.254.169.254/latest'))).toBe(blocked);
    expect(await failsWith('/labels', to('file:///etc/passwd'))).toMatch(/not one of HTTP/);
    expect(await failsWith('/labels', to(`http://${github.host}/api/v3/repos/octo-org/hello-world/labels`))).toMatch(
      /redirects too often/,
    );
    const next = (url: string) => (response: ServerResponse) =>
      void json(response, '[]', { Link: `<${url}>; rel="next"` });
    expect(await failsWith('/labels', next('http://127.0.0.1:1/x'))).toMatch(/next page that is elsewhere/);
    const same = next(`http://${github.host}/api/v3/repos/octo-org/hello-world/labels?page=7`);
    expect(await failsWith('/labels', same)).toMatch(/the same page again and again/);
  });

  it('loses single records that are of wrong types, and no others', LONG, async () => {
    const { run, project } = await byHand();
    const bad = [{ id: 'x', number: 9, title: 'Bad' }, { id: 5, number: 10, title: ['a'], user: null }, { number: -1 }];
    github.interfere = (asked, response) => {
      if (!below(asked).startsWith('/issues?')) return false;
      json(response, JSON.stringify([...bad, ...(github.content.lists['/issues'] ?? [])]));
      return true;
    };
    await run();
    const told = await remoteOf(project);
    expect(told.status).toBe('FINISHED');
    expect(told.remote.leftOut.filter(({ kind }: Json) => kind === 'issues')).toMatchObject([
      { name: '9', message: expect.any(String) },
      { name: '10', message: expect.any(String) },
      { name: '-1', message: expect.any(String) },
    ]);
    const { body } = await world.api(admin).get(`/projects/${project.id}/issues?sort=asc`);
    expect(body.map(({ iid }: Json) => iid)).toEqual([1, 2]);
  });

  it('takes a release without notes along', LONG, async () => {
    const { run, project } = await byHand();
    const [release] = github.content.lists['/releases'] ?? [];
    github.interfere = (asked, response) => {
      if (!below(asked).startsWith('/releases?')) return false;
      json(response, JSON.stringify([{ ...release, body: null, assets: [] }]));
      return true;
    };
    await run();
    expect((await remoteOf(project)).status).toBe('FINISHED');
    const { body } = await world.api(admin).get(`/projects/${project.id}/releases`);
    expect(body).toMatchObject([{ tag_name: 'v1.0', description: '' }]);
  });

  it('does not get the token where files and redirects lead', LONG, async () => {
    const elsewhere = await GithubServer.start(() => ({
      repository: {},
      lists: {},
      records: {},
      files: { '/asset': Buffer.from('elsewhere') },
    }));
    try {
      Object.assign(world.imports, importSettings({ hosts: [github.host, elsewhere.host], timeout: 60_000 }));
      github.interfere = (asked, response) => {
        if (!below(asked).startsWith('/releases/assets/')) return false;
        response.writeHead(302, { Location: `http://${elsewhere.host}/asset` }).end();
        return true;
      };
      const { run, project } = await byHand();
      await run();
      expect((await remoteOf(project)).status).toBe('FINISHED');
      expect(elsewhere.requests).toHaveLength(1);
      expect(JSON.stringify(elsewhere.requests)).not.toContain(TOKEN);
      const { body } = await world.api(admin).get(`/projects/${project.id}/uploads`);
      expect(body).toMatchObject([{ size: 'elsewhere'.length }]);
    } finally {
      elsewhere.stop();
    }
  });
});

describe('POST /import/github refuses', () => {
  const refused = async (more: object, who?: TestUser) => {
    const count = await world.db.project.count();
    const importing = world.api(who ?? (await importer()));
    const { status, body } = await importing.post('/import/github', given(who ?? admin, more));
    expect(await world.db.project.count()).toBe(count);
    expect(JSON.stringify(body)).not.toContain('ghp_');
    return [status, body.message ?? body.error];
  };

  it('what is missing or wrong, and names it', LONG, async () => {
    expect(await refused({ personal_access_token: undefined })).toEqual([400, 'personal_access_token is missing']);
    expect(await refused({ repo_id: undefined })).toEqual([400, 'repo_id is missing']);
    expect(await refused({ target_namespace: undefined })).toEqual([400, 'target_namespace is missing']);
    const wrong = await refused({ personal_access_token: 'ghp_wrong' });
    expect(wrong).toEqual([400, { personal_access_token: ['is wrong, or may not read the project'] }]);
    expect(await refused({ repo_id: 7 })).toEqual([400, { repo_id: ['is of no project that the token may read'] }]);
    expect((await refused({ target_namespace: 'nowhere' }))[0]).toBe(404);
    expect((await refused({ github_hostname: 'http://127.0.0.1:1' }))[0]).toBe(400);
    expect((await refused({ github_hostname: 'http://u:p@h.example' }))[0]).toBe(400);
  });

  it('more than six at once of one user, before it asks the source', LONG, async () => {
    const hasty = await world.user();
    for (let at = 0; at < 6; at += 1) expect((await refused({ repo_id: 7 }, hasty))[0]).toBe(400);
    const asked = github.requests.length;
    const answer = await world.api(hasty).post('/import/github', given(hasty, { repo_id: 7 }));
    expect([answer.status, github.requests.length]).toEqual([429, asked]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await refused({ repo_id: 7 }, await world.user()))[0]).toBe(400);
  });

  it('what the settings do not allow', LONG, async () => {
    await world.api(admin).put('/application/settings', { import_sources: ['git'] });
    try {
      expect(await refused({})).toEqual([403, '403 Forbidden  - Projects cannot be imported from GitHub']);
    } finally {
      await world
        .api(admin)
        .put('/application/settings', { import_sources: ['git', 'gitlab_project', 'github', 'gitea'] });
    }
  });
});

describe('POST /import/github/cancel', () => {
  it('ends an import, and leaves nothing of it but an empty project', LONG, async () => {
    const { run, project, staging } = await byHand();
    const cancel = (who: TestUser) => world.api(who).post('/import/github/cancel', { project_id: project.id });
    let answer: Json = null;
    github.interfere = async (asked) => {
      if (below(asked).startsWith('/pulls?')) answer ??= await cancel(admin);
      return false;
    };
    expect((await cancel(octocat)).status).toBe(404);
    await run();
    expect([answer.status, answer.body.import_status]).toEqual([200, 'canceled']);
    expect((await world.api(admin).get(`/projects/${project.id}/import`)).body.import_status).toBe('canceled');
    expect(existsSync(staging)).toBe(false);
    expect((await cancel(admin)).status).toBe(400);
    await run();
    expect((await world.api(admin).get(`/projects/${project.id}/issues`)).body).toEqual([]);
  });

  it('knows no projects that came in another way', LONG, async () => {
    const project = await world.project({ owner: admin });
    expect((await world.api(admin).post('/import/github/cancel', { project_id: project.id })).status).toBe(404);
  });
});
