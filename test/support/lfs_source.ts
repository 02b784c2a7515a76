import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import type { Json } from './http.ts';

/** A server that gives objects of Git LFS by its batch API, as a part of one that has repositories. */
export class LfsSource {
  readonly #objects: ReadonlyMap<string, Buffer>;
  /** What was asked for, with the headers that matter. */
  readonly batches: { authorization: string; oids: string[] }[] = [];
  readonly downloads: { oid: string; ticket: unknown; token: unknown }[] = [];
  /** What it sends in place of the objects. */
  send = (_oid: string, content: Buffer): Buffer => content;
  /** Where it says that objects are; here if it is left out. */
  storage: string | null = null;

  constructor(contents: readonly Buffer[]) {
    this.#objects = new Map(contents.map((content) => [hash('sha256', content), content]));
  }

  /** Answers a request, if it is one of these. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { url = '', headers } = request;
    const [, oid = ''] = /^\/storage\/([0-9a-f]{64})$/.exec(url) ?? [];
    if (oid !== '') {
      const content = this.#objects.get(oid) ?? Buffer.alloc(0);
      this.downloads.push({ oid, ticket: headers['x-ticket'], token: headers['private-token'] });
      response.writeHead(200).end(this.send(oid, content));
      return true;
    }
    if (!url.endsWith('.git/info/lfs/objects/batch')) return false;
    const { objects } = (await readJson(request)) as Json;
    const oids = objects.map((one: Json) => one.oid);
    this.batches.push({ authorization: headers.authorization ?? '', oids });
    const found = objects.map((one: Json) =>
      this.#objects.has(one.oid)
        ? {
            ...one,
            actions: {
              download: {
                href: `${this.storage ?? `http://${headers.host}`}/storage/${one.oid}`,
                header: { 'X-Ticket': 'one', Host: 'elsewhere.example' },
              },
            },
          }
        : { ...one, error: { code: 404, message: 'Object does not exist' } },
    );
    response.writeHead(200, { 'content-type': 'application/vnd.git-lfs+json' });
    response.end(JSON.stringify({ transfer: 'basic', objects: found }));
    return true;
  }
}
