import { createHash, randomBytes } from 'node:crypto';
import type { TestUser } from './world.ts';

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX = 'application/vnd.oci.image.index.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

export const sha256 = (content: Buffer | string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Content with its digest. */
export function blobOf(content: Buffer | string = randomBytes(3_000)) {
  const bytes = Buffer.from(content as string);
  return { bytes, digest: sha256(bytes), size: bytes.length };
}

type Blob = ReturnType<typeof blobOf>;

export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** A client of the registry that signs in where challenges say, as Docker does, and keeps its tokens for what they are for. */
export class ContainerClient {
  readonly #url: string;
  readonly #basic: string | null;
  readonly #tokens = new Map<string, string>();

  /** @param secret of a user, or as the password of any user name; null for nobody */
  constructor(url: string, secret: TestUser | string | null) {
    this.#url = url;
    const [name, password] =
      typeof secret === 'string' ? ['gitlab-ci-token', secret] : [secret?.username, secret?.token];
    this.#basic = secret === null ? null : `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  }

  /** Sends a request; after a challenge, again with a token for it. */
  async send(path: string, asked: Asked = {}): Promise<Response> {
    const { pathname } = new URL(path, this.#url);
    const key = /^\/v2\/(.+)\/(?:blobs|manifests|tags|referrers)\//.exec(pathname)?.[1] ?? '';
    const known = this.#tokens.get(`${asked.method ?? 'GET'} ${key}`);
    const first = await this.#fetch(path, asked, known);
    const challenge = first.headers.get('www-authenticate') ?? '';
    if (first.status !== 401 || !challenge.startsWith('Bearer ')) return first;
    const fields = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    const answer = await this.token(fields.scope ? [fields.scope] : [], fields.realm);
    if (answer.status !== 200) return answer;
    const { token } = (await answer.json()) as { token: string };
    this.#tokens.set(`${asked.method ?? 'GET'} ${key}`, token);
    return this.#fetch(path, asked, token);
  }

  /** Asks for a token. */
  token(scopes: string[], realm = `${this.#url}/jwt/auth`): Promise<Response> {
    const query = new URLSearchParams([['service', 'container_registry'], ...scopes.map((scope) => ['scope', scope])]);
    return fetch(`${realm}?${query}`, {
      headers: new Headers(this.#basic === null ? [] : [['Authorization', this.#basic]]),
    });
  }

  #fetch(path: string, { method = 'GET', headers = {}, body }: Asked, token?: string): Promise<Response> {
    const given = body === undefined ? {} : { body: new Uint8Array(Buffer.from(body as string)) };
    const bearer: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return fetch(new URL(path, this.#url), { method, headers: { ...headers, ...bearer }, ...given });
  }

  async status(path: string, asked: Asked = {}): Promise<number> {
    return (await this.send(path, asked)).status;
  }

  /** Sends a blob as most clients do: begins, sends it at once, and ends. Returns the last status. */
  async pushBlob(name: string, blob: Blob): Promise<number> {
    const begun = await this.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' });
    const at = begun.headers.get('location');
    if (begun.status !== 202 || at === null) return begun.status;
    const sent = await this.send(at, { method: 'PATCH', body: blob.bytes });
    if (sent.status !== 202) return sent.status;
    const ended = `${sent.headers.get('location')}?digest=${blob.digest}`;
    return this.status(ended, { method: 'PUT' });
  }

  /** Sends a manifest. */
  putManifest(name: string, reference: string, manifest: object | string, type = MANIFEST): Promise<Response> {
    const body = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    return this.send(`/v2/${name}/manifests/${reference}`, { method: 'PUT', headers: { 'Content-Type': type }, body });
  }

  /** Sends a whole image. Returns the status of the first request that failed, else 201. */
  async pushImage(name: string, reference: string, image = imageOf()): Promise<number> {
    for (const blob of [image.config, ...image.layers]) {
      const status = await this.pushBlob(name, blob);
      if (status !== 201) return status;
    }
    return (await this.putManifest(name, reference, image.text)).status;
  }
}

/** An image of one layer or several. */
export function imageOf({ layers = [blobOf()], ...further }: { layers?: Blob[] } & Record<string, unknown> = {}) {
  const config = blobOf(JSON.stringify({ architecture: 'amd64', os: 'linux', nonce: randomBytes(8).toString('hex') }));
  const described = ({ digest, size }: Blob, mediaType: string) => ({ mediaType, digest, size });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: described(config, CONFIG),
    layers: layers.map((layer) => described(layer, LAYER)),
    ...further,
  };
  const text = JSON.stringify(manifest);
  return { config, layers, manifest, text, digest: sha256(text), size: Buffer.byteLength(text) };
}
