import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MANIFEST } from './container_client.ts';
import { sendJson } from './github_server.ts';

interface Image {
  text: string;
  digest: string;
  config: { bytes: Buffer; digest: string };
  layers: readonly { bytes: Buffer; digest: string }[];
}

/** A registry of images by the OCI distribution API, as a part of a server, with a service for tokens as the one of Docker. */
export class OciServer {
  readonly #images = new Map<string, Map<string, Image>>();
  readonly #credentials: string;
  /** The addresses that were asked for with a token. */
  readonly requests: string[] = [];

  /** @param credentials user name and password */
  constructor(credentials: string) {
    this.#credentials = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }

  add(repository: string, tag: string, image: Image): void {
    const tags = this.#images.get(repository) ?? new Map<string, Image>();
    this.#images.set(repository, tags.set(tag, image));
  }

  /** Answers a request, if it is one of these. */
  answer({ url = '', headers }: IncomingMessage, response: ServerResponse): boolean {
    const at = new URL(url, `http://${headers.host}`);
    if (at.pathname === '/v2/token') {
      const isKnown = headers.authorization === this.#credentials;
      const scope = at.searchParams.get('scope') ?? '';
      sendJson(response, isKnown ? 200 : 401, isKnown ? { token: tokenFor(scope), expires_in: 300 } : {});
      return true;
    }
    const [, repository = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(tags|manifests|blobs)\/([^/]+)$/.exec(at.pathname) ?? [];
    if (kind === undefined) return false;
    if (headers.authorization !== `Bearer ${tokenFor(`repository:${repository}:pull`)}`) {
      const challenge = `Bearer realm="http://${headers.host}/v2/token",service="container_registry",scope="*"`;
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end('{"errors":[]}');
      return true;
    }
    this.requests.push(at.pathname);
    this.#send(repository, kind, reference, response);
    return true;
  }

  #send(repository: string, kind: string, reference: string, response: ServerResponse): void {
    const tags = this.#images.get(repository) ?? new Map<string, Image>();
    const images = [...tags.values()];
    if (kind === 'tags') sendJson(response, 200, { name: repository, tags: [...tags.keys()] });
    else if (kind === 'manifests') {
      const image = tags.get(reference) ?? images.find(({ digest }) => digest === reference);
      response.writeHead(image ? 200 : 404, { 'Content-Type': MANIFEST }).end(image?.text);
    } else {
      const blobs = images.flatMap(({ config, layers }) => [config, ...layers]);
      const blob = blobs.find(({ digest }) => digest === reference);
      response.writeHead(blob ? 200 : 404).end(blob?.bytes);
    }
  }
}

/** A token that is good for one scope. */
const tokenFor = (scope: string) => hash('sha256', scope);
