import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { undescribed } from './github_description.ts';
import { type HelloCommits, HUNK, helloRepositories, serveFetch } from './hello_repositories.ts';
import type { Json } from './http.ts';

/** Answers a request in place of the server; false to let that answer. */
export type Interference = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export const TOKEN = 'ghp_0123456789abcdefghij';
const PROJECT = 'octo-org/hello-world';
const TIME = '2024-03-01T10:00:00Z';
const at = (minutes: number) => new Date(Date.parse(TIME) + minutes * 60_000).toISOString().replace('.000', '');

export const PEOPLE = {
  octocat: { id: 583_231, login: 'octocat', type: 'User', name: 'The Octocat', email: 'octocat@example.com' },
  hubot: { id: 480_938, login: 'hubot', type: 'User', name: 'Hubot', email: null },
  bot: { id: 49_699_333, login: 'dependabot[bot]', type: 'Bot', name: null, email: null },
} as const;

const simple = (login: keyof typeof PEOPLE) => {
  const { id, login: name, type } = PEOPLE[login];
  return { id, login: name, type, node_id: `U_${id}`, site_admin: false, avatar_url: '', html_url: '', url: '' };
};

/** What the server has, as its API shows it: lists by their addresses below the repository. */
export interface GithubContent {
  repository: Json;
  lists: Record<string, Json[]>;
  /** Single records by their addresses below the repository. */
  records: Record<string, Json>;
  /** Contents of files by their paths on the server. */
  files: Record<string, Buffer>;
}

/**
 * A server that answers as GitHub Enterprise Server does, by its published description: the REST API below `/api/v3`, pages with
 * headers `Link`, and repositories by git over HTTP.
 */
export class GithubServer {
  readonly content: GithubContent;
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  /** The bare repositories by their paths. */
  readonly repositories: Record<string, string> = {};
  /** What it has answered that its description does not have. */
  readonly wrong: string[] = [];
  interfere: Interference = () => false;
  host = '';
  /** Records of a page at most. */
  pageSize = 100;
  readonly #server: Server;

  private constructor(content: GithubContent) {
    this.content = content;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(content: (host: string) => GithubContent | Promise<GithubContent>): Promise<GithubServer> {
    const server = new GithubServer({ repository: {}, lists: {}, records: {}, files: {} });
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    server.host = `127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    Object.assign(server.content, await content(server.host));
    return server;
  }

  /** Lets the process end before the server. */
  unref(): void {
    this.#server.unref();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, url, headers });
    if (await this.interfere(request, response)) return;
    const { pathname, searchParams } = new URL(url, `http://${this.host}`);
    const [, repository, service] = /^\/(.+\.git)\/(info\/refs|git-upload-pack)$/.exec(pathname) ?? [];
    if (repository) return this.#git(this.repositories[repository], service ?? '', request, response);
    const file = this.content.files[pathname];
    if (file) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file);
      return;
    }
    const isKnown = headers.authorization === `Bearer ${TOKEN}`;
    if (isKnown) this.#api(pathname, searchParams, response);
    else sendJson(response, 401, { message: 'Bad credentials' });
  }

  #api(pathname: string, query: URLSearchParams, response: ServerResponse): void {
    const found = this.#record(pathname);
    if (found === undefined) this.#list(pathname, query, response);
    else sendJson(response, found === null ? 404 : 200, found ?? { message: 'Not Found' });
  }

  /** A single record; null if there is none, and undefined for a list. */
  #record(pathname: string): Json | null | undefined {
    const { repository, lists, records } = this.content;
    const person = Object.values(PEOPLE).find(({ login }) => pathname === `/api/v3/users/${encodeURIComponent(login)}`);
    if (person) return { ...person };
    const below = this.#below(pathname);
    if (below === null) return null;
    const record = below === '' ? repository : records[below];
    if (record) this.wrong.push(...undescribed(below, record));
    return record ?? (lists[below] ? undefined : null);
  }

  /** An address without that of the repository; null for one elsewhere. */
  #below(pathname: string): string | null {
    const { full_name: name, id } = this.content.repository;
    const roots = [`/api/v3/repos/${name}`, `/api/v3/repositories/${id}`];
    const root = roots.find((one) => pathname === one || pathname.startsWith(`${one}/`));
    return root === undefined ? null : pathname.slice(root.length);
  }

  #list(pathname: string, query: URLSearchParams, response: ServerResponse): void {
    const { repository, lists } = this.content;
    const below = this.#below(pathname) ?? '';
    const list = lists[below] ?? [];
    this.wrong.push(...list.flatMap((one) => undescribed(below, one)));
    const size = Math.min(this.pageSize, Number(query.get('per_page') ?? 30));
    const page = Number(query.get('page') ?? 1);
    const last = Math.max(1, Math.ceil(list.length / size));
    const link = (number: number, relation: string) => {
      query.set('page', String(number));
      return `<http://${this.host}/api/v3/repositories/${repository.id}${below}?${query}>; rel="${relation}"`;
    };
    const links = page < last ? [link(page + 1, 'next'), link(last, 'last')] : [];
    response.setHeader('X-RateLimit-Remaining', '4999');
    if (links.length > 0) response.setHeader('Link', links.join(', '));
    sendJson(response, 200, list.slice((page - 1) * size, page * size));
  }

  #git(directory: string | undefined, service: string, request: IncomingMessage, response: ServerResponse): void {
    const wanted = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
    if (directory === undefined || request.headers.authorization !== wanted) {
      response.writeHead(directory === undefined ? 404 : 401).end();
      return;
    }
    serveFetch(directory, service, request, response);
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

/** A server with a project that has no more than a record; one for a test file, which does not wait for it. */
export function emptyGithub(world: { imports: { hosts: readonly string[] } }): Promise<GithubServer> {
  empty ??= GithubServer.start(() => {
    const repository = { id: 1, full_name: 'octo-org/empty', private: true, has_wiki: false, default_branch: 'main' };
    return { repository, lists: {}, records: {}, files: {} };
  }).then((server) => {
    server.unref();
    world.imports.hosts = [...world.imports.hosts, server.host];
    return server;
  });
  return empty;
}

let empty: Promise<GithubServer> | undefined;

/** A server with a small project that has something of everything. */
export async function helloWorld(): Promise<GithubServer> {
  const { bare, wiki, ...commits } = await helloRepositories();
  const server = await GithubServer.start((host) => helloContent(host, commits));
  server.repositories[`${PROJECT}.git`] = bare;
  server.repositories[`${PROJECT}.wiki.git`] = wiki;
  return server;
}

function helloContent(host: string, { first, head, fix, merge }: HelloCommits): GithubContent {
  const api = `http://${host}/api/v3/repos/${PROJECT}`;
  const repo = { id: 1_296_269, full_name: PROJECT, private: false };
  const bug = { id: 208_045_946, name: 'bug', color: 'f29513', description: 'Something is not working', default: true };
  const feature = { id: 208_045_947, name: 'feature', color: '00ff00', description: null, default: false };
  const milestone = {
    id: 1_002_604,
    number: 1,
    title: 'v1.0',
    description: 'Tracking milestone, see #3',
    state: 'open',
    due_on: '2024-10-09T07:00:00Z',
    created_at: at(0),
    updated_at: at(1),
    closed_at: null,
  };
  const subject = { locked: false, assignees: [], labels: [], milestone: null, closed_at: null, updated_at: at(50) };
  const pull = { ...subject, draft: false, requested_reviewers: [], merged_at: null, merge_commit_sha: null };
  const issues = [
    {
      ...subject,
      id: 1,
      number: 1,
      title: 'Found a bug',
      body: `@hubot broke it in #3 and ${PROJECT}#4, see http://${host}/${PROJECT}/pull/3 but not \`#3\` @octocat.\n\n\`\`\`\n#3 @hubot\n\`\`\`\n![shot](https://user-images.githubusercontent.com/1/shot.png)`,
      state: 'open',
      user: simple('octocat'),
      assignees: [simple('hubot')],
      labels: [bug, feature],
      milestone,
      created_at: at(2),
    },
    {
      ...subject,
      id: 2,
      number: 2,
      title: 'Closed one',
      body: null,
      state: 'closed',
      user: null,
      created_at: at(3),
      closed_at: at(30),
      locked: true,
    },
  ];
  const pulls = [
    {
      ...pull,
      id: 3,
      number: 3,
      title: 'Shout',
      body: 'Fixes #1',
      state: 'open',
      draft: true,
      user: simple('octocat'),
      labels: [feature],
      requested_reviewers: [simple('octocat')],
      head: { ref: 'topic', sha: head, repo },
      base: { ref: 'main', sha: first, repo },
      created_at: at(4),
    },
    {
      ...pull,
      id: 4,
      number: 4,
      title: 'Fix it',
      body: 'From a fork',
      state: 'closed',
      user: simple('hubot'),
      merged_at: at(40),
      closed_at: at(40),
      merge_commit_sha: merge,
      head: { ref: 'fix', sha: fix, repo: null },
      base: { ref: 'main', sha: first, repo },
      created_at: at(5),
    },
  ];
  const comment = (id: number, on: number, login: keyof typeof PEOPLE, body: string) => ({
    id,
    body,
    user: simple(login),
    issue_url: `${api}/issues/${on}`,
    created_at: at(10 + id),
    updated_at: at(10 + id),
  });
  const lineComment = (id: number, more: object) => ({
    id,
    pull_request_url: `${api}/pulls/3`,
    path: 'a.txt',
    diff_hunk: HUNK,
    commit_id: head,
    original_commit_id: head,
    side: 'RIGHT',
    line: 3,
    original_line: 3,
    start_line: null,
    original_start_line: null,
    subject_type: 'line',
    user: simple('hubot'),
    created_at: at(20 + id),
    updated_at: at(20 + id),
    ...more,
  });
  return {
    repository: {
      ...repo,
      name: 'hello-world',
      description: 'My first repository',
      homepage: 'https://hello.example',
      topics: ['octocat', 'api'],
      default_branch: 'main',
      has_issues: true,
      has_wiki: true,
      archived: false,
      delete_branch_on_merge: true,
    },
    lists: {
      '/labels': [bug, feature],
      '/milestones': [milestone],
      '/issues': [...issues, ...pulls.map((one) => ({ ...one, pull_request: { url: `${api}/pulls/${one.number}` } }))],
      '/pulls': pulls,
      '/issues/comments': [comment(1, 1, 'hubot', 'Me too, as in #4'), comment(2, 3, 'octocat', 'Ready?')],
      '/pulls/comments': [
        lineComment(1, {
          body: 'Quieter\n\n```suggestion\nTwo\nThree\n```',
          start_line: 2,
          original_start_line: 2,
          start_side: 'RIGHT',
        }),
        lineComment(2, { body: 'Why?', in_reply_to_id: 1, user: simple('octocat') }),
        lineComment(3, { body: 'Gone', line: null, original_commit_id: first, original_line: 2, side: 'LEFT' }),
        lineComment(4, { body: 'All of it', subject_type: 'file', line: null, original_line: null, diff_hunk: '' }),
      ],
      '/comments': [
        {
          ...{ id: 1, commit_id: first, body: 'A start, see #1', user: simple('hubot'), path: null, line: null },
          ...{ position: null, created_at: at(34), updated_at: at(34) },
        },
      ],
      '/pulls/3/reviews': [
        { id: 1, state: 'APPROVED', body: '', user: simple('hubot'), submitted_at: at(35), commit_id: head },
        { id: 2, state: 'COMMENTED', body: '', user: simple('hubot'), submitted_at: at(36), commit_id: head },
      ],
      '/pulls/4/reviews': [
        {
          id: 3,
          state: 'CHANGES_REQUESTED',
          body: 'Not like this, see #1',
          user: simple('octocat'),
          submitted_at: at(37),
          commit_id: fix,
        },
      ],
      '/issues/events': [
        { id: 5, event: 'merged', actor: simple('octocat'), created_at: at(40), issue: { number: 4 } },
        { id: 4, event: 'closed', actor: simple('hubot'), created_at: at(30), issue: { number: 2 } },
        { id: 3, event: 'subscribed', actor: simple('hubot'), created_at: at(29), issue: { number: 2 } },
        {
          id: 2,
          event: 'labeled',
          actor: simple('octocat'),
          label: { name: 'bug', color: 'f29513' },
          created_at: at(6),
          issue: { number: 1 },
        },
      ],
      '/releases': [
        {
          id: 1,
          tag_name: 'v1.0',
          name: 'The first',
          body: `Notes, see #4 and http://${host}/${PROJECT}/releases/download/v1.0/hello.zip`,
          draft: false,
          prerelease: false,
          author: simple('octocat'),
          created_at: at(45),
          published_at: at(46),
          assets: [
            {
              id: 77,
              name: 'hello.zip',
              url: `${api}/releases/assets/77`,
              browser_download_url: `http://${host}/${PROJECT}/releases/download/v1.0/hello.zip`,
              size: 9,
              created_at: at(45),
            },
          ],
        },
      ],
      '/branches': [{ name: 'main', commit: { sha: merge }, protected: true }],
      '/collaborators': [{ ...simple('hubot'), permissions: { admin: false, push: true, pull: true } }],
      '/hooks': [{ id: 1, name: 'web', active: true, config: { url: 'https://ci.example/secret-path' } }],
    },
    records: {
      '/branches/main/protection': {
        allow_force_pushes: { enabled: false },
        required_pull_request_reviews: { require_code_owner_reviews: true },
      },
    },
    files: { [`/api/v3/repos/${PROJECT}/releases/assets/77`]: Buffer.from('zip-bytes') },
  };
}
