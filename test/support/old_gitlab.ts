import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { git } from './git_program.ts';
import { type Interference, sendJson } from './github_server.ts';
import { type HelloCommits, helloRepositories, serveFetch } from './hello_repositories.ts';
import type { Json } from './http.ts';

export const OLD_TOKEN = 'oldtoken_0123456789';
/** The secret of the attached file. */
export const SECRET = '0123456789abcdef0123456789abcdef';
const PATH = 'group/sub/hello';

/** A server that answers as GitLab 9.0 did: what came later is not there. */
export class OldGitlab {
  readonly requests: string[] = [];
  /** The lists of the project by their addresses below it. */
  readonly lists: Record<string, Json[]>;
  interfere: Interference = () => false;
  host = '';
  pageSize = 100;
  /** How many issues are counted; beyond them there are no pages. */
  mostCounted = Number.POSITIVE_INFINITY;
  readonly #server: Server;
  readonly #repositories: Record<string, string>;

  private constructor(commits: HelloCommits, repositories: Record<string, string>) {
    this.lists = content(commits);
    this.#repositories = repositories;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<OldGitlab> {
    const { bare, wiki, ...commits } = await helloRepositories();
    git(bare, ['update-ref', 'refs/merge-requests/1/head', commits.head]);
    const repositories = { [`/${PATH}.git`]: bare, [`/${PATH}.wiki.git`]: wiki };
    const server = new OldGitlab(commits, repositories);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    server.host = `127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    return server;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    this.requests.push(url);
    if (await this.interfere(request, response)) return;
    const { pathname, searchParams } = new URL(url, `http://${this.host}`);
    const [, repository = '', service] = /^(\/.+\.git)\/(info\/refs|git-upload-pack)$/.exec(pathname) ?? [];
    const directory = this.#repositories[repository];
    const isKnown = headers['private-token'] === OLD_TOKEN;
    if (directory !== undefined) {
      const wanted = `Basic ${Buffer.from(`oauth2:${OLD_TOKEN}`).toString('base64')}`;
      if (headers.authorization === wanted) serveFetch(directory, service ?? '', request, response);
      else response.writeHead(401).end();
    } else if (pathname === `/${PATH}/uploads/${SECRET}/shot.png`) response.writeHead(200).end('png');
    else if (pathname.startsWith(`/${PATH}/uploads/`)) response.writeHead(302, { Location: '/users/sign_in' }).end();
    else if (pathname === '/users/sign_in') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    else if (!isKnown) sendJson(response, 401, { message: '401 Unauthorized' });
    else this.#api(pathname.replace('/api/v4', ''), searchParams, response);
  }

  #api(pathname: string, query: URLSearchParams, response: ServerResponse): void {
    const at = pathname.replace(`/projects/${encodeURIComponent(PATH)}`, '/projects/7');
    const list = this.lists[at.replace('/projects/7', '')];
    const user = Object.values(USERS).find(({ id }) => at === `/users/${id}`);
    if (at === '/projects/7') sendJson(response, 200, PROJECT);
    else if (at === '/groups/group%2Fsub/projects') this.#list([PROJECT, FORK], query, pathname, response);
    else if (user) sendJson(response, 200, user);
    else if (at.startsWith('/projects/7/') && list) this.#list(list, query, pathname, response);
    else sendJson(response, 404, { error: '404 Not Found' });
  }

  #list(list: Json[], query: URLSearchParams, pathname: string, response: ServerResponse): void {
    const [size, page] = [this.pageSize, Number(query.get('page') ?? 1)];
    if ((page - 1) * size >= this.mostCounted && pathname.endsWith('/issues')) {
      sendJson(response, 405, { error: 'Offset pagination has a maximum allowed offset' });
      return;
    }
    const after = query.get('created_after');
    const known = after === null ? list : list.filter(({ created_at: at }) => Date.parse(at) >= Date.parse(after));
    if (page * size < known.length) {
      query.set('page', String(page + 1));
      // As it calls itself, which is not how it is reached.
      response.setHeader('Link', `<http://gitlab.internal.example${pathname}?${query}>; rel="next"`);
    }
    sendJson(response, 200, known.slice((page - 1) * size, page * size));
  }
}

const USERS = {
  ada: { id: 11, username: 'ada', name: 'Ada', public_email: 'ada@example.com' },
  bob: { id: 12, username: 'bob', name: 'Bob', public_email: '' },
};

const PROJECT = {
  id: 7,
  name: 'Hello old',
  path_with_namespace: PATH,
  description: 'From long ago',
  default_branch: 'main',
  visibility: 'private',
  tag_list: ['old'],
  archived: false,
  issues_enabled: true,
  merge_requests_enabled: true,
  wiki_enabled: true,
  only_allow_merge_if_all_discussions_are_resolved: true,
};
const FORK = { ...PROJECT, id: 8, path_with_namespace: 'group/sub/fork', forked_from_project: { id: 7 } };

const at = (minute: number) => `2017-04-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const times = (minute: number) => ({ created_at: at(minute), updated_at: at(minute + 1) });

function content({ head, first }: HelloCommits): Record<string, Json[]> {
  const { ada, bob } = USERS;
  const milestone = { id: 31, iid: 1, project_id: 7, title: 'v1', description: '', state: 'active', ...times(0) };
  const note = (id: number, minute: number, more: object) => ({
    id,
    author: bob,
    system: false,
    ...times(minute),
    ...more,
  });
  return {
    '/labels': [{ id: 21, name: 'bug', color: '#ff0000', description: 'It is wrong', priority: 3 }],
    '/milestones': [{ ...milestone, due_date: '2017-05-01' }],
    '/issues': [
      {
        ...{ id: 101, iid: 1, title: 'Found', state: 'opened', labels: ['bug'], milestone, author: ada, assignee: bob },
        ...times(1),
        confidential: true,
        description: `See !1, ${PATH}#2 and ${PATH}!1 @bob\n\n![shot](/uploads/${SECRET}/shot.png)\n\n\`/uploads/${SECRET}/shot.png\`\n\n[gone](/uploads/${SECRET}/gone.txt)`,
      },
      {
        ...{
          id: 102,
          iid: 2,
          title: 'Done',
          state: 'closed',
          labels: [],
          milestone: null,
          author: bob,
          assignee: null,
        },
        ...{ description: null, due_date: '2017-04-20', ...times(2) },
      },
    ],
    '/issues/1/notes': [
      note(201, 3, { body: 'Me too, see #2' }),
      note(202, 4, { body: 'changed milestone to %1', system: true }),
    ],
    '/issues/1/award_emoji': [{ id: 1, name: 'thumbsup', user: bob, ...times(5) }],
    '/issues/1/notes/201/award_emoji': [{ id: 2, name: 'heart', user: ada, ...times(5) }],
    '/issues/2/notes': [],
    '/merge_requests': [
      {
        ...{ id: 301, iid: 1, title: 'Shout', description: 'Closes #1', state: 'opened', labels: ['bug'], milestone },
        ...{ source_branch: 'topic', target_branch: 'main', source_project_id: 7, target_project_id: 7 },
        ...{ author: ada, assignee: null, sha: head, merge_commit_sha: null, ...times(6) },
      },
    ],
    '/merge_requests/1/versions': [
      { id: 1, head_commit_sha: head, base_commit_sha: first, start_commit_sha: first, created_at: at(6) },
    ],
    '/merge_requests/1/notes': [note(203, 7, { body: 'Why?' })],
    '/repository/tags': [
      {
        name: 'v1.0',
        commit: { committed_date: at(0) },
        release: { tag_name: 'v1.0', description: `The first, with /uploads/${SECRET}/shot.png` },
      },
    ],
    '/repository/branches': [
      { name: 'main', protected: true, developers_can_push: false, developers_can_merge: true },
      { name: 'topic', protected: false },
    ],
    '/members': [{ ...ada, access_level: 50, state: 'active' }],
    '/snippets': [],
    '/hooks': [{ id: 1, url: 'https://ci.example/secret' }],
    '/variables': [{ key: 'PASSWORD', value: 'hush' }],
  };
}
