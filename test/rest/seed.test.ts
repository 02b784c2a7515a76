// One part in depth, which the long run has.
// @module-tag long
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bootstrapAdministrator } from '#src/domain/users/bootstrap.ts';
import { KNOWN_SECRETS, randomSecrets } from '#src/entrances/seed/secrets.ts';
import { seed } from '#src/entrances/seed/seed.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';
import { SECRET, startWorld } from '../support/world.ts';

const world = await startWorld();
const { db, repositories, uploads, imports } = world;
const given = { db, secret: SECRET, repositories, uploads, imports };
const stores = { ...given, followers: FOLLOWERS, handlers: jobHandlers(given) };
const password = KNOWN_SECRETS.password('root');
await bootstrapAdministrator(db, SECRET, { password, privateToken: KNOWN_SECRETS.privateToken('root') });
await seed(stores, { secrets: KNOWN_SECRETS, beside: false });

/** The columns of all tables that hold a time of these days. */
async function columnsOfToday(): Promise<string[]> {
  const columns = await db.$queryRaw<{ table: string; column: string }[]>`
    SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type LIKE 'timestamp%' ORDER BY 1, 2`;
  const dated: string[] = [];
  for (const { table, column } of columns) {
    const [{ count } = { count: 0 }] = await db.$queryRawUnsafe<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM "${table}" WHERE "${column}" BETWEEN now() - interval '2 days' AND now() + interval '1 day'`,
    );
    if (count > 0) dated.push(`${table}.${column}`);
  }
  return dated;
}

// Before tests sign in and write.
const datedToday = await columnsOfToday();

const document = readFileSync(packagePath('docs/testing-clients.md'), 'utf8');

/** The cells of the rows of a table in the document, by the names of its columns. */
function table(...columns: string[]): Record<string, string>[] {
  const [, below] = document.split(`| ${columns.join(' | ')} |\n`);
  if (below === undefined) throw new Error(`There is no table of ${columns}`);
  const rows = (below.split('\n\n', 1)[0] ?? '').split('\n').slice(1);
  return rows.map((row) => {
    const cells = row.split('|').slice(1, -1);
    return Object.fromEntries(columns.map((column, i) => [column, cells[i]?.trim() ?? '']));
  });
}

async function get(path: string, token = KNOWN_SECRETS.privateToken('root')) {
  const response = await fetch(`${world.url}/api/v4${path}`, { headers: { 'private-token': token } });
  return { status: response.status, body: await response.json() };
}

describe('The sample data is as docs/testing-clients.md says', () => {
  it('people, by ID, username and token', async () => {
    const people = table('ID', 'username', 'private token', 'who');
    expect(people.length).toBe(9);
    for (const { ID, username, 'private token': token } of people) {
      const { status, body } = await get('/user', token);
      if (username === 'hugo') expect(status).toBe(401);
      else
        expect(body).toMatchObject({ id: Number(ID), username, created_at: expect.stringMatching(/^2025-01-06T08/) });
    }
    const session = { login: 'emil', password: 'seed-password' };
    expect(await world.api().post('/session', session)).toMatchObject({ status: 201, body: { username: 'emil' } });
  });

  it('tokens for programs', LONG, async () => {
    const values = new Map(table('what', 'value').map(({ what = '', value = '' }) => [what, value]));
    const api = values.get("ada's personal access token, scope `api`");
    expect(await get('/user/keys', api)).toMatchObject({ status: 200, body: [{ title: 'Laptop' }] });
    const reader = values.get("ada's personal access token, scope `read_user`");
    expect((await get('/user', reader)).status).toBe(200);
    expect((await get('/projects/7', reader)).status).toBe(403);
    expect((await get('/user', values.get("ben's personal access token, scope `api`"))).body.username).toBe('ben');
    const [trigger] = (await get('/projects/1/triggers', KNOWN_SECRETS.privateToken('ada'))).body;
    expect(trigger.token).toBe(values.get('trigger of project 1'));
    const client = `${values.get('OAuth application ID')}:${values.get('OAuth application secret')}`;
    const response = await fetch(`${world.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(client).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'ada', password: 'seed-password', scope: 'api' }),
    });
    expect(await response.json()).toMatchObject({ access_token: expect.any(String) });
  });

  it('groups', async () => {
    const groups = table('ID', 'group', 'visibility');
    expect(groups.length).toBe(4);
    for (const { ID, group: path, visibility } of groups) {
      expect((await get(`/groups/${ID}`)).body).toMatchObject({ full_path: path, visibility });
    }
  });

  it('projects and their commits', LONG, async () => {
    const projects = table('ID', 'project', 'visibility', 'default branch', 'its commit');
    expect(projects.length).toBe(9);
    for (const { ID, project, visibility, 'default branch': branch = '', 'its commit': commit } of projects) {
      const { body } = await get(`/projects/${ID}`);
      expect(body).toMatchObject({ path_with_namespace: project, visibility, default_branch: branch || null });
      if (branch) expect((await get(`/projects/${ID}/repository/branches/${branch}`)).body.commit.id).toBe(commit);
    }
    expect((await get('/projects/3')).body.archived).toBe(true);
    expect((await get('/projects/8')).body.forked_from_project.id).toBe(1);
  });

  it('branches and tags of project 1', async () => {
    const refs = table('ref', 'commit');
    const [branches, tags] = [await get('/projects/1/repository/branches'), await get('/projects/1/repository/tags')];
    const tips = [...branches.body, ...tags.body].map(({ name, commit }) => ({ ref: name, commit: commit.id }));
    const byRef = (one: { ref?: string }, other: { ref?: string }) => (`${one.ref}` < `${other.ref}` ? -1 : 1);
    expect(tips.toSorted(byRef)).toEqual(refs.toSorted(byRef));
    const isProtected = branches.body.filter((branch: { protected: boolean }) => branch.protected);
    expect(isProtected.map(({ name }: { name: string }) => name)).toEqual(['master', 'stable']);
    const sha = 'b0a288a77c62ef68de68bda0c3e91377d1b02c95';
    const comments = await get(`/projects/1/repository/commits/${sha}/comments`);
    expect(comments.body).toMatchObject([{ line: null }, { path: 'src/grade.js', line: 9 }]);
  });

  it('issues', LONG, async () => {
    const issues = table('issue', 'state', 'what is special');
    for (const { issue, state, 'what is special': what = '' } of issues) {
      const { body } = await get(`/projects/1/issues?iids[]=${issue}`);
      expect(body).toMatchObject([{ state, confidential: what === 'confidential' }]);
    }
    expect((await get('/projects/1/issues?iids[]=1')).body[0]).toMatchObject({
      assignee: { username: 'ben' },
      milestone: { id: 1, title: 'v1.0', state: 'closed' },
      labels: ['feature'],
      created_at: '2025-01-09T10:00:00.000Z',
      updated_at: '2025-01-30T15:00:00.000Z',
    });
    const guest = KNOWN_SECRETS.privateToken('emil');
    expect((await get('/projects/1/issues?iids[]=8', guest)).body).toEqual([]);
  });

  it('merge requests, with what is said of them', LONG, async () => {
    const mergeRequests = table('merge request', 'from', 'into', 'state', 'what is special');
    expect((await get('/projects/1/merge_requests')).body).toHaveLength(mergeRequests.length);
    for (const { 'merge request': iid, from = '', into, state } of mergeRequests) {
      const { body } = await get(`/projects/1/merge_requests/${iid}`);
      const branches = { source_branch: from.split(' ')[0], target_branch: into };
      expect(body).toMatchObject({ ...branches, state, source_project_id: from.includes('project 8') ? 8 : 1 });
    }
    const special = await get('/projects/1/merge_requests/2');
    expect(special.body).toMatchObject({ work_in_progress: true, merge_status: 'can_be_merged' });
    const said = (await get('/projects/1/merge_requests/5/notes')).body;
    const bodies = said.flatMap((note: { system: boolean; body: string }) => (note.system ? [] : note.body));
    expect(bodies).toEqual(['Why 2e6? It deserves a name.', 'Cubic millimetres to litres. I will say so.']);
    expect((await get('/projects/1/issues/4')).body).toMatchObject({ upvotes: 2, user_notes_count: 2 });
    const todos = (await get('/todos?type=MergeRequest', KNOWN_SECRETS.privateToken('ada'))).body;
    expect(todos).toMatchObject([{ action_name: expect.stringMatching(/mentioned|addressed/), target: { iid: 2 } }]);
  });

  it('pipelines, their jobs and traces', async () => {
    const pipelines = table('pipeline', 'ref', 'status', 'what is special');
    for (const { pipeline, ref, status } of pipelines) {
      expect((await get(`/projects/1/pipelines/${pipeline}`)).body).toMatchObject({ ref, status });
    }
    expect((await get('/projects/1/pipelines/1')).body).toMatchObject({
      duration: 126,
      coverage: '78.00',
      created_at: '2025-02-03T09:30:00.000Z',
      started_at: '2025-02-03T09:31:03.000Z',
      finished_at: '2025-02-03T09:33:18.000Z',
    });
    const trace = await fetch(`${world.url}/api/v4/projects/1/jobs/6/trace`, {
      headers: { 'private-token': KNOWN_SECRETS.privateToken('ada') },
    });
    expect(await trace.text()).toContain('AssertionError');
    expect((await get('/projects/2/pipelines')).body).toMatchObject([{ id: 7, status: 'running' }]);
    expect((await get('/projects/6/pipelines/9')).body.yaml_errors).toContain('does not exist; available stages are');
  });

  it('environments, deployments, variables, snippets', LONG, async () => {
    const token = KNOWN_SECRETS.privateToken('ada');
    const ids = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id);
    expect(ids(await get('/projects/1/environments', token))).toEqual([1, 3, 6]);
    expect((await get('/projects/1/deployments', token)).body.at(-1)).toMatchObject({
      ref: 'v1.1.0',
      deployable: { id: 57 },
    });
    const keys = (await get('/projects/1/variables', token)).body.map(({ key }: { key: string }) => key);
    expect(keys.sort()).toEqual(['DEPLOY_HOST', 'DEPLOY_KEY']);
    expect(ids(await get('/snippets', token)).sort()).toEqual([1, 3]);
    expect(ids(await get('/projects/1/snippets', token))).toEqual([4]);
  });
});

describe('The sample data', () => {
  it('is read through GraphQL as well', async () => {
    const query = `{ project(ref: "orchard/apples") {
      issues(first: 100) { totalCount } pipelines(first: 1) { totalCount } repository { branches(first: 1) { totalCount } } } }`;
    const ada = { token: KNOWN_SECRETS.privateToken('ada') } as Parameters<typeof world.graphql>[2];
    const { body } = await world.graphql(query, {}, ada);
    expect(body).toEqual({
      data: {
        project: {
          issues: { totalCount: 14 },
          pipelines: { totalCount: 13 },
          repository: { branches: { totalCount: 5 } },
        },
      },
    });
  });

  it('is of one half-year: no time is of today', LONG, async () => {
    const talk = ['/merge_requests', '/merge_requests/5/versions', '/merge_requests/5/notes', '/issues/4/award_emoji'];
    const paths = [
      ...talk,
      '',
      '/issues',
      '/events',
      '/milestones',
      '/members',
      '/repository/commits',
      '/pipelines/6',
      '/jobs',
    ];
    for (const path of paths) {
      const text = JSON.stringify((await get(`/projects/1${path}?per_page=100`)).body);
      const times = [...text.matchAll(/"(?:\w+_at|\w+ed_date)":"(\d{4}-\d\d)/g)].map(([, month]) => month);
      expect(times.length).toBeGreaterThan(0);
      expect(times.filter((month) => !/^2025-0[1-6]$/.test(month ?? ''))).toEqual([]);
    }
    expect((await get('/projects/1')).body.last_activity_at).toBe('2025-06-23T09:40:00.000Z');
  });

  it('has no record of today in any table', () => {
    // What there is of these without sample data, and what jobs read out of repositories for the search of code.
    const kept = /^(?:_prisma_migrations|application_settings|appearances|job_processes|code_blobs|code_indexes)\./;
    expect(datedToday.filter((one) => !kept.test(one))).toEqual([]);
  });

  it('is not written where its names are taken, beside others or not', async () => {
    const before = await db.event.count();
    for (const beside of [false, true]) {
      const again = seed(stores, { secrets: randomSecrets(), beside });
      await expect(again).rejects.toThrow(/names already.*: ada, .*orchard/);
    }
    expect(await db.event.count()).toBe(before);
  });

  it('is not written against the settings', async () => {
    const settings = { restricted_visibility_levels: ['public'], user_oauth_applications: false };
    const change = (values: object) =>
      fetch(`${world.url}/api/v4/application/settings`, {
        method: 'PUT',
        headers: { 'private-token': KNOWN_SECRETS.privateToken('root'), 'content-type': 'application/json' },
        body: JSON.stringify(values),
      });
    expect((await change(settings)).status).toBe(200);
    const refused = seed(stores, { secrets: randomSecrets(), beside: true });
    await expect(refused).rejects.toThrow('restricted_visibility_levels, user_oauth_applications');
    expect((await change({ restricted_visibility_levels: [], user_oauth_applications: true })).status).toBe(200);
  });

  it('has no known tokens beside others', async () => {
    await expect(seed(stores, { secrets: KNOWN_SECRETS, beside: true })).rejects.toThrow('empty servers');
  });
});
