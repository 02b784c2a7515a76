import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { undescribed } from './gitea_description.ts';
import { GITEA_TOKEN } from './gitea_server.ts';
import { sendJson } from './github_server.ts';
import type { Json } from './http.ts';

const digest = (kind: string, content: string) => createHash(kind).update(content).digest('hex');

/** A file of a package there. */
export interface GiteaFile {
  name: string;
  content: string;
  /** Below `/api/packages/octo-org`. */
  at: string;
}

/** The packages of an owner at a Gitea, by its published description, and the registries that have their files. */
export class GiteaPackages {
  readonly #packages: { record: Json; files: readonly GiteaFile[] }[] = [];
  /** Documents of npm packages, by their addresses below `/api/packages/octo-org`. */
  readonly documents: Record<string, Json> = {};
  /** What it has answered that its description does not have. */
  readonly wrong: string[] = [];
  #ids = 0;

  add(given: Json, files: readonly GiteaFile[] = []): void {
    this.#ids += 1;
    const record = {
      ...{ id: this.#ids, owner: { id: 9, login: 'octo-org' }, creator: null, html_url: '' },
      ...{ repository: { id: 1_296_269, full_name: 'octo-org/hello-world' }, created_at: '2024-03-01T11:00:00+01:00' },
      ...given,
    };
    this.wrong.push(...undescribed('/packages', record));
    this.#packages.push({ record, files });
  }

  /** Answers a request, if it is one of these. */
  answer({ url = '', headers }: IncomingMessage, response: ServerResponse): boolean {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const isOfApi = pathname.startsWith('/api/v1/packages/octo-org');
    if (!isOfApi && !pathname.startsWith('/api/packages/octo-org/')) return false;
    if (headers.authorization !== `token ${GITEA_TOKEN}`) sendJson(response, 401, {});
    else if (isOfApi) this.#api(pathname.slice('/api/v1/packages/octo-org'.length), searchParams, response);
    else this.#registry(decodeURIComponent(pathname.slice('/api/packages/octo-org/'.length)), response);
    return true;
  }

  #api(below: string, query: URLSearchParams, response: ServerResponse): void {
    if (below === '') {
      const type = query.get('type');
      const found = this.#packages.filter(({ record }) => type === null || record.type === type);
      const [size, page] = [Number(query.get('limit') ?? 30), Number(query.get('page') ?? 1)];
      response.setHeader('X-Total-Count', String(found.length));
      const shown = found.slice((page - 1) * size, page * size).map(({ record }) => record);
      sendJson(response, 200, shown.length === 0 ? null : shown);
      return;
    }
    const [type, name, version] = below.split('/').slice(1, 4).map(decodeURIComponent);
    const own = this.#packages.find(
      ({ record }) => record.type === type && record.name === name && record.version === version,
    );
    const files = (own?.files ?? []).map((file, at) => ({
      ...{ id: (own?.record.id ?? 0) * 100 + at, Size: Buffer.byteLength(file.content), name: file.name },
      ...{ md5: digest('md5', file.content), sha1: digest('sha1', file.content) },
      ...{ sha256: digest('sha256', file.content), sha512: digest('sha512', file.content) },
    }));
    this.wrong.push(...files.flatMap((file) => undescribed('/packages/files', file)));
    sendJson(response, own ? 200 : 404, own ? files : {});
  }

  #registry(at: string, response: ServerResponse): void {
    const file = this.#packages.flatMap(({ files }) => files).find((one) => one.at === at);
    if (this.documents[at]) sendJson(response, 200, this.documents[at]);
    else response.writeHead(file ? 200 : 404).end(file?.content);
  }
}
