import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { undescribed } from './gitea_description.ts';
import { type Interference, sendJson } from './github_server.ts';
import { serveFetch } from './hello_repositories.ts';
import type { Json } from './http.ts';

export const GITEA_TOKEN = '0123456789abcdef0123456789abcdef01234567';

/** What the server has, as its API shows it: by addresses below the repository. */
export interface GiteaContent {
  repository: Json;
  lists: Record<string, Json[]>;
  /** Single records. */
  records: Record<string, Json>;
  /** Contents of files by their paths on the server. */
  files: Record<string, Buffer>;
}

/** Lists that come in one page. */
const WHOLE = /^\/(branch_protections|pulls\/\d+\/reviews\/\d+\/comments)$/;
/** Lists that have headers `Link`; their addresses are those of another host, as behind a proxy that the server does not know of. */
const LINKED = /^\/(issues|pulls|issues\/comments|releases|collaborators)$/;

/** A server that answers as Gitea does, by its published description: version 1 of its REST API, and repositories by git over HTTP. */
export class GiteaServer {
  readonly content: GiteaContent;
  readonly requests: string[] = [];
  /** The bare repositories by their paths. */
  readonly repositories: Record<string, string> = {};
  /** What it has answered that its description does not have. */
  readonly wrong: string[] = [];
  interfere: Interference = () => false;
  host = '';
  /** Records of a page at most (`MAX_RESPONSE_ITEMS`), and whether it tells of that. */
  pageSize = 50;
  tellsPageSize = true;
  readonly #server: Server;

  private constructor(content: GiteaContent) {
    this.content = content;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(content: (host: string) => GiteaContent): Promise<GiteaServer> {
    const server = new GiteaServer({ repository: {}, lists: {}, records: {}, files: {} });
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    server.host = `127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    Object.assign(server.content, content(server.host));
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
    const { url = '', headers } = request;
    this.requests.push(url);
    if (await this.interfere(request, response)) return;
    const { pathname, searchParams } = new URL(url, `http://${this.host}`);
    const [, repository, service] = /^\/(.+\.git)\/(info\/refs|git-upload-pack)$/.exec(pathname) ?? [];
    if (repository) {
      const directory = this.repositories[repository];
      const [, password] = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64')
        .toString()
        .split(':');
      const isKnown = password === GITEA_TOKEN;
      if (directory !== undefined && isKnown) serveFetch(directory, service ?? '', request, response);
      else response.writeHead(directory === undefined ? 404 : 401).end();
      return;
    }
    if (headers.authorization !== `token ${GITEA_TOKEN}`) sendJson(response, 401, { message: 'invalid token' });
    else if (this.content.files[pathname]) response.writeHead(200).end(this.content.files[pathname]);
    else this.#api(pathname, searchParams, response);
  }

  #api(pathname: string, query: URLSearchParams, response: ServerResponse): void {
    const { repository, lists, records } = this.content;
    if (pathname === '/api/v1/settings/api' && this.tellsPageSize) {
      sendJson(response, 200, { max_response_items: this.pageSize, default_paging_num: 30 });
      return;
    }
    if (pathname === `/api/v1/repositories/${repository.id}`) pathname = `/api/v1/repos/${repository.full_name}`;
    const root = `/api/v1/repos/${repository.full_name}`;
    const below = pathname.startsWith(root) ? pathname.slice(root.length) : '/elsewhere';
    const record = below === '' ? repository : records[below];
    if (record) {
      this.wrong.push(...undescribed(below, record));
      sendJson(response, 200, record);
    } else if (lists[below]) this.#list(below, query, response);
    else sendJson(response, 404, { message: "The target couldn't be found.", errors: [] });
  }

  #list(below: string, query: URLSearchParams, response: ServerResponse): void {
    const list = this.content.lists[below] ?? [];
    this.wrong.push(...list.flatMap((one) => undescribed(below, one)));
    if (WHOLE.test(below)) {
      sendJson(response, 200, list);
      return;
    }
    const size = Math.min(this.pageSize, Number(query.get('limit') ?? 30));
    const page = Number(query.get('page') ?? 1);
    const last = Math.max(1, Math.ceil(list.length / size));
    const link = (number: number, relation: string) =>
      `<https://gitea.internal.example/api/v1/repos/x${below}?limit=${size}&page=${number}>; rel="${relation}"`;
    response.setHeader('X-Total-Count', String(list.length));
    if (LINKED.test(below) && page < last)
      response.setHeader('Link', `${link(page + 1, 'next')},${link(last, 'last')}`);
    const some = list.slice((page - 1) * size, page * size);
    sendJson(response, 200, some.length === 0 ? null : some);
  }
}

/** A server with a project that has no more than a record; one for a test file, which does not wait for it. */
export function emptyGitea(world: { imports: { hosts: readonly string[] } }): Promise<GiteaServer> {
  empty ??= GiteaServer.start(() => ({
    repository: { id: 1, full_name: 'octo-org/empty', private: true, has_wiki: false, default_branch: 'main' },
    lists: {},
    records: {},
    files: {},
  })).then((server) => {
    server.unref();
    world.imports.hosts = [...world.imports.hosts, server.host];
    return server;
  });
  return empty;
}

let empty: Promise<GiteaServer> | undefined;
