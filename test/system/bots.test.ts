import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Gitlab } from '@gitbeaker/rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientPackage } from '../support/client_package.ts';
import { clone, run as runGit } from '../support/git_client.ts';
import {
  type Finished,
  printed,
  run,
  type ServerProcess,
  scratchDirectory,
  startServer,
} from '../support/server_process.ts';

const bots = new ClientPackage('bots');
const scratch = scratchDirectory();
let server: ServerProcess;
let token: string;
let api: InstanceType<typeof Gitlab>;
let count = 0;

beforeAll(async () => {
  await bots.install();
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  token = printed(server.output(), 'Private token') ?? '';
  api = new Gitlab({ host: server.url, token });
}, 480_000);

afterAll(async () => {
  await server?.end('SIGTERM');
  scratch.remove();
});

/** A project of its own for each test, with `files` on its first branch; its ID and its path. */
async function project(files: Record<string, string>) {
  count += 1;
  const { id, path_with_namespace: name } = await api.Projects.create({ name: `bots${count}`, visibility: 'private' });
  await commit(id, 'main', files);
  return { id, name: String(name) };
}

/** Writes files on a branch, which starts at `from` where it is not there yet. */
async function commit(id: number, branch: string, files: Record<string, string>, from?: string): Promise<void> {
  if (from) await api.Branches.create(id, branch, from);
  const action = from ? ('update' as const) : ('create' as const);
  const actions = Object.entries(files).map(([filePath, content]) => ({ action, filePath, content }));
  await api.Commits.create(id, branch, `Write ${Object.keys(files)[0]}`, actions);
}

/** Runs a program of the package to its end, with nothing in its environment but what is given and where things are. */
function bot(program: string, args: string[], env: Record<string, string>, cwd = scratch.directory): Promise<Finished> {
  const home = path.join(scratch.directory, 'home');
  mkdirSync(home, { recursive: true });
  const file = path.join(bots.directory, 'node_modules', '.bin', program);
  return run(file, args, { cwd, env: { PATH: process.env.PATH, HOME: home, ...env } });
}

/** The comments of a merge request, without what the server says itself. */
async function comments(id: number, iid: number) {
  const notes = await api.MergeRequestNotes.all(id, iid, { sort: 'asc', orderBy: 'created_at' });
  return notes.filter(({ system }) => !system);
}

describe('danger', () => {
  const danger = (name: string, iid: number, sha: string) =>
    bot('danger', ['ci', '--failOnErrors', '--dangerfile', path.join(bots.directory, 'dangerfile.cjs')], {
      GITLAB_CI: 'true',
      CI_MERGE_REQUEST_IID: String(iid),
      CI_PROJECT_PATH: name,
      CI_COMMIT_SHA: sha,
      CI_API_V4_URL: `${server.url}/api/v4`,
      DANGER_GITLAB_HOST: server.url,
      DANGER_GITLAB_API_TOKEN: token,
    });

  it('comments on a merge request and its lines, and keeps its comments up to date', async () => {
    const { id, name } = await project({ 'a.txt': 'one\ntwo\n' });
    await commit(id, 'topic', { 'a.txt': 'one\n2\n' }, 'main');
    const { iid, sha } = await api.MergeRequests.create(id, 'topic', 'main', 'Count', { description: 'See inline' });

    expect(await danger(name, iid, String(sha))).toMatchObject({ status: 0, stderr: '' });
    const [inline, general, ...others] = await comments(id, iid);
    expect(others).toEqual([]);
    expect(inline).toMatchObject({ type: 'DiffNote', position: { new_path: 'a.txt', new_line: 2 }, resolved: false });
    expect(inline?.body).toContain('Digits are hard to read.');
    expect(general?.body).toContain('There is no test plan.');
    expect(general?.body).toContain(`!${iid} by root changes a.txt`);

    await api.MergeRequests.edit(id, iid, { description: 'Test plan: none' });
    expect(await danger(name, iid, String(sha))).toMatchObject({ status: 0, stderr: '' });
    const [kept, ...gone] = await comments(id, iid);
    expect([kept?.id, gone]).toEqual([general?.id, []]);
    expect(kept?.body).not.toContain('There is no test plan.');
    expect(kept?.body).toContain(`!${iid} by root changes a.txt`);
  });
});

describe('changesets-gitlab', () => {
  it('opens the merge request of a release, and updates this one and no other', async () => {
    const { id, name } = await project({
      'package.json': JSON.stringify({ name: 'counted', version: '1.0.0', private: true }),
      'package-lock.json': JSON.stringify({ name: 'counted', version: '1.0.0', lockfileVersion: 3, packages: {} }),
      '.changeset/config.json': JSON.stringify({ privatePackages: { version: true, tag: false } }),
      '.changeset/one.md': "---\n'counted': minor\n---\n\nCount to three.\n",
      'a.txt': 'one\n',
    });
    await commit(id, 'topic', { 'a.txt': 'two\n' }, 'main');
    const beside = await api.MergeRequests.create(id, 'topic', 'main', 'Count', { description: 'By hand' });
    const url = `${server.url.replace('//', `//root:${token}@`)}/${name}.git`;
    const cwd = await clone(url);
    const release = () =>
      bot(
        'changesets-gitlab',
        [],
        {
          CI: 'true',
          CI_PROJECT_ID: String(id),
          CI_PROJECT_PATH: name,
          CI_COMMIT_REF_NAME: 'main',
          GITLAB_HOST: server.url,
          GITLAB_TOKEN: token,
          GITLAB_CI_USER_NAME: 'root',
          INPUT_VERSION: `${path.join(bots.directory, 'node_modules/.bin/changeset')} version`,
          INPUT_LABELS: 'release,automatic',
        },
        cwd,
      );

    const first = await release();
    expect([first.status, first.stderr, first.stdout]).toEqual([0, expect.anything(), expect.anything()]);
    const [made, unrelated, ...others] = await api.MergeRequests.all({ projectId: id, state: 'opened' });
    expect(others).toEqual([]);
    expect(made).toMatchObject({
      title: 'Version Packages',
      source_branch: 'changeset-release/main',
      labels: ['automatic', 'release'],
      description: expect.stringContaining('Count to three.'),
    });
    expect(unrelated).toMatchObject({ iid: beside.iid, title: 'Count', description: 'By hand' });

    await api.RepositoryFiles.create(
      id,
      '.changeset/two.md',
      'main',
      "---\n'counted': major\n---\n\nStart at zero.\n",
      'Two',
    );
    await runGit(cwd, 'fetch', '--quiet', 'origin');
    await runGit(cwd, 'checkout', '--quiet', '--detach', 'origin/main');
    expect((await release()).status).toBe(0);
    const after = await api.MergeRequests.all({ projectId: id, state: 'opened' });
    expect(after.map(({ iid, title, description }) => [iid, title, description])).toEqual([
      [made?.iid, 'Version Packages', expect.stringContaining('Start at zero.')],
      [beside.iid, 'Count', 'By hand'],
    ]);
    const { content } = await api.RepositoryFiles.show(id, 'package.json', 'changeset-release/main');
    expect(JSON.parse(Buffer.from(content, 'base64').toString()).version).toBe('2.0.0');
  }, 300_000);
});

/** A working copy of a project, whose name and e-mail address git knows. */
async function checkout(name: string): Promise<{ cwd: string; url: string }> {
  const url = `${server.url.replace('//', `//root:${token}@`)}/${name}.git`;
  const cwd = await clone(url);
  await runGit(cwd, 'config', 'user.name', 'Releaser');
  await runGit(cwd, 'config', 'user.email', 'releaser@example.com');
  return { cwd, url };
}

describe('semantic-release', () => {
  it('publishes releases with notes and files, and tells the issues and merge requests that they close', async () => {
    const { id, name } = await project({
      'package.json': JSON.stringify({ name: 'counted', version: '0.0.0', private: true }),
      'app.txt': 'built\n',
    });
    const issue = await api.Issues.create(id, 'Count on');
    await api.Branches.create(id, 'topic', 'main');
    const change = [{ action: 'update' as const, filePath: 'app.txt', content: 'counts\n' }];
    await api.Commits.create(id, 'topic', `feat: count on\n\nCloses #${issue.iid}`, change);
    const { iid } = await api.MergeRequests.create(id, 'topic', 'main', 'feat: count on');
    await api.MergeRequests.merge(id, iid);
    const release = async () => {
      const { cwd, url } = await checkout(name);
      const options = ['--repository-url', url, '--branches', 'main', '--no-ci'];
      const plugins = ['@semantic-release/commit-analyzer', '@semantic-release/release-notes-generator'];
      const config = {
        plugins: [...plugins, ['@semantic-release/gitlab', { assets: [{ path: 'app.txt', label: 'The app' }] }]],
      };
      writeFileSync(path.join(cwd, '.releaserc.json'), JSON.stringify(config));
      return bot('semantic-release', options, { GL_URL: server.url, GL_TOKEN: token, CI: 'true' }, cwd);
    };
    const first = await release();
    expect([first.status, first.stderr, first.stdout]).toEqual([0, expect.anything(), expect.anything()]);
    const [made, ...others] = await api.ProjectReleases.all(id);
    expect(others).toEqual([]);
    expect(made).toMatchObject({ tag_name: 'v1.0.0', description: expect.stringContaining('count on') });
    const links = await api.ReleaseLinks.all(id, 'v1.0.0');
    expect(links).toMatchObject([{ name: 'The app' }]);
    const asset = await fetch(links[0]?.url ?? '', { headers: { 'private-token': token } });
    expect([asset.status, await asset.text()]).toEqual([200, 'counts\n']);
    const notes = [...(await comments(id, iid)), ...(await api.IssueNotes.all(id, issue.iid))];
    expect(notes.filter(({ body }) => body.includes('v1.0.0'))).toHaveLength(2);

    await api.Commits.create(id, 'main', 'fix: count right', [{ ...change[0], content: 'counts right\n' }] as never);
    expect((await release()).status).toBe(0);
    expect((await api.ProjectReleases.all(id)).map((one) => one.tag_name)).toEqual(['v1.0.1', 'v1.0.0']);
  }, 300_000);
});

describe('release-it', () => {
  it('publishes a release with its file, and one after another', async () => {
    const { id, name } = await project({
      'package.json': JSON.stringify({ name: 'counted', version: '1.0.0', private: true }),
      'app.txt': 'built\n',
      '.release-it.json': JSON.stringify({
        // Its checks ask for the members of groups around a project, which the server does not list yet.
        gitlab: { release: true, assets: ['app.txt'], origin: server.url, skipChecks: true },
        git: { requireUpstream: false },
        npm: false,
      }),
    });
    for (const version of ['0.1.0', '0.2.0']) {
      const { cwd } = await checkout(name);
      const done = await bot('release-it', ['minor', '--ci'], { GITLAB_TOKEN: token, CI: 'true' }, cwd);
      expect([done.status, done.stderr, done.stdout]).toEqual([0, expect.anything(), expect.anything()]);
      const release = await api.ProjectReleases.show(id, version);
      expect(release).toMatchObject({ name: `Release ${version}`, tag_name: version });
      expect(await api.ReleaseLinks.all(id, version)).toMatchObject([{ name: 'app.txt' }]);
    }
  }, 300_000);
});

describe('mcp-gitlab', () => {
  it('lets an agent list, review, comment, resolve and merge', async () => {
    const { id, name } = await project({ 'a.txt': 'one\ntwo\n' });
    await commit(id, 'topic', { 'a.txt': 'one\n2\n' }, 'main');
    const { iid } = await api.MergeRequests.create(id, 'topic', 'main', 'Count');
    await commit(id, 'other', { 'a.txt': 'one\n3\n' }, 'main');
    await api.MergeRequests.create(id, 'other', 'main', 'Count on');
    const env = { PATH: process.env.PATH ?? '', HOME: scratch.directory };
    const program = path.join(bots.directory, 'agent.js');
    const agent = await run(process.execPath, [program, server.url, token, name, String(iid)], { env });
    expect(agent).toEqual({ status: 0, stdout: 'walked\n', stderr: '' });
    expect(await api.MergeRequests.show(id, iid)).toMatchObject({ state: 'merged', draft: false });
    expect(await comments(id, iid)).toMatchObject([
      { type: 'DiffNote', resolved: true, body: 'Why a digit?' },
      { type: 'DiffNote', resolved: true, body: 'It is shorter.' },
      { type: null, body: 'Thank you.' },
    ]);
  });
});

describe('mcp-gitlab by GraphQL', () => {
  it('lets an agent plan work items with parents, links and notes', async () => {
    const { id, name } = await project({ 'a.txt': 'one\n' });
    await api.ProjectLabels.create(id, 'later', '#ff0000');
    const env = { PATH: process.env.PATH ?? '', HOME: scratch.directory };
    const program = path.join(bots.directory, 'planner.js');
    const planner = await run(process.execPath, [program, server.url, token, name], { env });
    expect(planner).toEqual({ status: 0, stdout: 'planned\n', stderr: '' });
    const issues = await api.Issues.all({ projectId: id, sort: 'asc' });
    expect(issues.map(({ title, issue_type: type, state }) => [title, type, state])).toEqual([
      ['Plan all beds', 'issue', 'opened'],
      ['Dig', 'task', 'closed'],
      ['Buy a spade', 'task', 'opened'],
    ]);
  });
});

describe('renovate', () => {
  const MANAGER = {
    customType: 'regex',
    managerFilePatterns: ['/^versions$/'],
    matchStrings: ['(?<depName>\\S+)=(?<currentValue>\\S+)'],
    datasourceTemplate: 'gitlab-tags',
  };
  /** Nothing but this machine is reached: whoever tries is refused by the port of a proxy that is not there. */
  const NOWHERE = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' };
  const renovate = (name: string) =>
    bot('renovate', [name], {
      ...NOWHERE,
      RENOVATE_PLATFORM: 'gitlab',
      RENOVATE_ENDPOINT: `${server.url}/api/v4/`,
      RENOVATE_TOKEN: token,
      RENOVATE_BASE_DIR: path.join(scratch.directory, 'renovate'),
      RENOVATE_GIT_AUTHOR: 'Renovate <renovate@example.com>',
      RENOVATE_DEPENDENCY_DASHBOARD: 'true',
      RENOVATE_X_IGNORE_RE2: 'true',
      LOG_LEVEL: 'warn',
    });

  it('asks to be configured, then opens one merge request for a new version, and keeps it', async () => {
    const dependency = await project({ 'a.txt': 'one\n' });
    for (const version of ['1.0.0', '1.1.0']) await api.Tags.create(dependency.id, version, 'main');
    const { id, name } = await project({
      versions: `${dependency.name}=1.0.0\n`,
    });
    const first = await renovate(name);
    expect([first.status, first.stdout, first.stderr]).toEqual([0, '', '']);
    const opened = () => api.MergeRequests.all({ projectId: id, state: 'opened' });
    const [onboarding, ...others] = await opened();
    expect(others).toEqual([]);
    expect(onboarding).toMatchObject({ source_branch: 'renovate/configure', title: 'Configure Renovate' });

    await api.MergeRequests.merge(id, onboarding?.iid ?? 0);
    await api.RepositoryFiles.edit(
      id,
      'renovate.json',
      'main',
      JSON.stringify({ customManagers: [{ ...MANAGER, registryUrlTemplate: server.url }], labels: ['update'] }),
      'Configure',
    );
    for (const _run of [1, 2]) {
      const { status, stdout, stderr } = await renovate(name);
      expect([status, stdout, stderr]).toEqual([0, '', '']);
      const [update, ...more] = await opened();
      expect(more).toEqual([]);
      expect(update).toMatchObject({
        title: `Update dependency ${dependency.name} to v1.1.0`,
        labels: ['update'],
      });
      const branch = String(update?.source_branch);
      expect(await api.RepositoryFiles.showRaw(id, 'versions', branch)).toBe(`${dependency.name}=1.1.0\n`);
    }
    const issues = await api.Issues.all({ projectId: id });
    expect(issues).toMatchObject([{ title: 'Dependency Dashboard', state: 'opened' }]);
  }, 300_000);
});
