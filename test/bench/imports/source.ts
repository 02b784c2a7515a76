import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { initRepository } from '#src/git/init.ts';
import { git } from '../../support/git_program.ts';
import { serveFetch } from '../../support/hello_repositories.ts';

/*
 * A server that answers as GitHub does, with a project of many issues and comments: `node source.ts DIRECTORY ISSUES COMMENTS` prints
 * its port. A process of its own, so that its time and memory are not those of the import.
 */

const [directory = '', issues = '10000', comments = '100000'] = process.argv.slice(2);
const counts = { issues: Number(issues), comments: Number(comments) };
/** Users who have written something. */
const USERS = 500;
const WORDS =
  'the importer takes what it finds and names what it leaves so that nobody has to look for it twice '.repeat(6);

const bare = path.join(directory, 'large.git');
await initRepository(bare, 'main');
const blob = git(bare, ['hash-object', '-w', '-t', 'tree', '/dev/null']).trim();
const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
git(bare, ['update-ref', 'refs/heads/main', git(bare, [...identity, 'commit-tree', '-m', 'First', blob]).trim()]);

const at = (seconds: number) => new Date(Date.UTC(2014, 0, 1) + seconds * 1_000).toISOString().replace('.000', '');
const user = (number: number) => ({ id: number + 1, login: `user-${number}`, type: 'User', avatar_url: '', url: '' });
const label = (number: number) => ({ id: number + 1, name: `label ${number}`, color: 'ff0000', description: null });

const makers: Record<string, { count: number; make(number: number): object }> = {
  '/labels': { count: 20, make: label },
  '/issues': {
    count: counts.issues,
    make: (number) => ({
      ...{
        id: number + 1,
        number: number + 1,
        title: `Issue ${number + 1}`,
        body: `${WORDS} See #${(number % 100) + 1}.`,
      },
      ...{ state: number % 3 === 0 ? 'open' : 'closed', locked: false, milestone: null },
      ...{ user: user(number % USERS), assignees: [user((number + 1) % USERS)], labels: [label(number % 20)] },
      ...{ created_at: at(number * 100), updated_at: at(number * 100 + 50), closed_at: at(number * 100 + 50) },
    }),
  },
  '/issues/comments': {
    count: counts.comments,
    make: (number) => ({
      ...{ id: number + 1, body: `${WORDS} Comment ${number}, @user-${number % USERS}`, user: user(number % USERS) },
      issue_url: `http://source/issues/${(number % counts.issues) + 1}`,
      ...{ created_at: at(number * 10), updated_at: at(number * 10) },
    }),
  },
};

const repository = {
  ...{ id: 1, full_name: 'octo-org/large', private: true, default_branch: 'main', description: 'Large' },
  ...{ has_issues: true, has_wiki: false, archived: false, topics: [] },
};

const server = createServer((request, response) => answer(request, response));

function answer(request: IncomingMessage, response: ServerResponse): unknown {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://source');
  const [, service] = /^\/octo-org\/large\.git\/(info\/refs|git-upload-pack)$/.exec(pathname) ?? [];
  if (service !== undefined) return serveFetch(bare, service, request, response);
  const below = pathname.replace(/^\/api\/v3\/(?:repositories\/1|repos\/octo-org\/large)/, '');
  if (below === '') return send(response, repository);
  const [, login] = /^\/api\/v3\/users\/user-(\d+)$/.exec(pathname) ?? [];
  if (login !== undefined) return send(response, { ...user(Number(login)), name: `User ${login}`, email: null });
  const { count, make } = makers[below] ?? { count: 0, make: () => ({}) };
  const size = Number(searchParams.get('per_page') ?? 30);
  const page = Number(searchParams.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(count / size));
  const link = (number: number, relation: string) => {
    searchParams.set('page', String(number));
    return `<http://${request.headers.host}/api/v3/repositories/1${below}?${searchParams}>; rel="${relation}"`;
  };
  if (page < last) response.setHeader('Link', `${link(page + 1, 'next')}, ${link(last, 'last')}`);
  const from = (page - 1) * size;
  return send(
    response,
    Array.from({ length: Math.max(0, Math.min(size, count - from)) }, (_, number) => make(from + number)),
  );
}

function send(response: ServerResponse, body: unknown): unknown {
  return response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
