import path from 'node:path';
import { Gitlab } from '@gitbeaker/rest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClientPackage } from '../support/client_package.ts';
import { printed, run, type ServerProcess, startServer } from '../support/server_process.ts';

const clients = new ClientPackage('backstage');
let server: ServerProcess;
let token: string;
let api: InstanceType<typeof Gitlab>;

beforeAll(async () => {
  await clients.install();
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  token = printed(server.output(), 'Private token') ?? '';
  api = new Gitlab({ host: server.url, token });
}, 480_000);

afterAll(() => server?.end('SIGTERM'));

const user = async (username: string) => {
  const values = { name: `${username} of Backstage`, email: `${username}@example.com`, password: 'ripe tomatoes, 12' };
  return (await api.Users.create({ username, ...values, skipConfirmation: true })).id;
};

/** What the plugin found: the groups of each user, and the parent of each group. */
async function discover(relation: string, group: string[]) {
  const program = path.join(clients.directory, 'discover.js');
  const { status, stdout, stderr } = await run(process.execPath, [program, server.url, token, relation, ...group], {
    env: { PATH: process.env.PATH ?? '' },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const found = JSON.parse(stdout) as {
    kind: string;
    name: string;
    spec: { memberOf?: string[]; parent?: string };
  }[];
  const of = (kind: string) => found.filter((entity) => entity.kind === kind);
  return {
    users: Object.fromEntries(of('User').map(({ name, spec }) => [name, spec.memberOf?.toSorted()])),
    groups: Object.fromEntries(of('Group').map(({ name, spec }) => [name, spec.parent])),
  };
}

it('Backstage’s plugin finds groups with their parents, and their members', async () => {
  const group = async (name: string, parentId?: number) =>
    (await api.Groups.create(name, name, { ...(parentId !== undefined && { parentId }) })).id;
  const top = await group('platform');
  const middle = await group('payments', top);
  const deep = await group('fraud', middle);
  const beside = await group('beside');
  await api.GroupMembers.add(top, 10, { userId: await user('gail') });
  await api.GroupMembers.add(deep, 30, { userId: await user('dora') });
  await api.GroupMembers.add(beside, 30, { userId: await user('stan') });

  // Those of one group, and what they inherit below it.
  const below = ['payments', 'payments-fraud', 'platform'];
  expect(await discover('INHERITED', ['platform'])).toEqual({
    users: { gail: below, root: below },
    groups: { platform: undefined, payments: 'platform', 'payments-fraud': 'payments' },
  });
  // Those of the server, where they are members themselves.
  expect(await discover('DIRECT', [])).toEqual({
    users: { gail: ['platform'], dora: ['platform-payments-fraud'], stan: ['beside'], root: expect.any(Array) },
    groups: expect.objectContaining({
      platform: undefined,
      'platform-payments': 'platform',
      'platform-payments-fraud': 'platform-payments',
      beside: undefined,
    }),
  });
}, 300_000);
