import path from 'node:path';
import { Gitlab } from '@gitbeaker/rest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClientPackage } from '../support/client_package.ts';
import { printed, run, type ServerProcess, scratchDirectory, startServer } from '../support/server_process.ts';

const clients = new ClientPackage('desktop_clients');
const scratch = scratchDirectory();
let server: ServerProcess;
let token: string;
let api: InstanceType<typeof Gitlab>;

beforeAll(async () => {
  await clients.install();
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  token = printed(server.output(), 'Private token') ?? '';
  api = new Gitlab({ host: server.url, token });
}, 480_000);

afterAll(async () => {
  await server?.end('SIGTERM');
  scratch.remove();
});

it('GitKraken’s library lists, changes and merges merge requests, and works on issues', async () => {
  const user = await api.Users.showCurrentUser();
  const { id, path_with_namespace: name } = await api.Projects.create({ name: 'garden', visibility: 'private' });
  const commit = (branch: string, action: 'create' | 'update', content: string) =>
    api.Commits.create(id, branch, `Write ${branch}`, [{ action, filePath: 'beds.txt', content }]);
  await commit('main', 'create', 'beans\n');
  await api.Branches.create(id, 'topic', 'main');
  await commit('topic', 'update', 'carrots\n');
  await api.ProjectLabels.create(id, 'bug', '#ff0000');
  const milestone = await api.ProjectMilestones.create(id, 'Spring');
  const issue = await api.Issues.create(id, 'Water the plants');
  const { iid } = await api.MergeRequests.create(id, 'topic', 'main', 'Carrots');
  const env = { PATH: process.env.PATH ?? '', HOME: scratch.directory };
  const program = path.join(clients.directory, 'gitkraken.js');
  const args = [program, server.url, token, String(name), String(iid), user.username];
  const client = await run(process.execPath, args, { env });
  expect(client).toEqual({ status: 0, stdout: 'walked\n', stderr: '' });
  expect(await api.MergeRequests.show(id, iid)).toMatchObject({
    state: 'merged',
    labels: ['bug'],
    milestone: { id: milestone.id },
    assignees: [{ username: user.username }],
    reviewers: [{ username: user.username }],
  });
  expect(await api.Issues.show(issue.iid, { projectId: id })).toMatchObject({
    state: 'opened',
    assignees: [{ username: user.username }],
  });
}, 300_000);

it('Decap’s backend lists and reads the files of a repository by GraphQL', async () => {
  const { id, path_with_namespace: name } = await api.Projects.create({ name: 'blog', visibility: 'private' });
  const files = ['README', 'posts/one', 'posts/two', 'posts/deep/three'];
  const actions = files.map((file) => {
    const content = `${file.replace('posts/', '')}\n`;
    return { action: 'create' as const, filePath: `${file}.md`, content };
  });
  await api.Commits.create(id, 'main', 'Write', actions);
  const env = { PATH: process.env.PATH ?? '', HOME: scratch.directory };
  const program = path.join(clients.directory, 'decap.cjs');
  const client = await run(process.execPath, [program, server.url, token, String(name)], { env });
  expect(client).toEqual({ status: 0, stdout: 'walked\n', stderr: '' });
}, 300_000);
