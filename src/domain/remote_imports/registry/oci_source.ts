import { parseJson, UnusableJson } from '#src/base/json.ts';
import { type Descriptor, MANIFEST_TYPES, MAX_MANIFEST_BYTES } from '#src/domain/container_registry/manifest.ts';
import { isGiven } from '#src/domain/remote_imports/base/values.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { RemoteClient, RemoteRefused } from '#src/platform/outbound/remote_client.ts';
import { ANY_HOST, isNamedHost } from '#src/platform/outbound/url.ts';

export interface OciSourceOptions {
  /** The address of the registry, without final slash. */
  registry: string;
  /** The web address of the server that it belongs to. */
  server: string;
  /** The name that goes with the token as password. */
  user: string;
  token: string;
  imports: ImportSettings;
  signal: AbortSignal;
}

/** The names of some tags, and what the next ones are asked for by; null after the last ones. */
export interface TagPage {
  names: string[];
  next: string | null;
}

/** Tags of an answer, and bytes of it. */
const PAGE_SIZE = 1_000;
const MAX_LIST_BYTES = 1024 * 1024;
/** Characters of what is asked for the page that follows, and of a token. */
const MAX_QUERY_LENGTH = 1_500;
const MAX_TOKEN_LENGTH = 16_000;

/** Another registry of images, by the OCI distribution API, with a token of the service that it names. */
export class OciSource {
  readonly #options: OciSourceOptions;
  readonly #client: RemoteClient;
  readonly #tokens = new Map<string, string>();

  constructor(options: OciSourceOptions) {
    this.#options = options;
    const { registry, imports, signal } = options;
    // Credentials go with single requests.
    const origin = new URL(registry).origin;
    this.#client = new RemoteClient({ origin, credentials: {}, headers: {}, settings: imports, signal });
  }

  close(): void {
    this.#client.close();
  }

  /** Some names of tags of a repository. Throws what RemoteClient throws. */
  tags(repository: string, query: string | null): Promise<TagPage> {
    const url = new URL(`${this.#options.registry}/v2/${repository}/tags/list`);
    if (query === null) url.searchParams.set('n', String(PAGE_SIZE));
    else url.search = query;
    return this.#authorized(repository, async (headers) => {
      const { content, next } = await this.#client.content(url, MAX_LIST_BYTES, { ...headers, accept: '*/*' });
      const body = parsed(content);
      const tags = isGiven(body) && Array.isArray(body.tags) ? body.tags : [];
      const names = tags.filter((name): name is string => typeof name === 'string' && name.length <= 128);
      // What it asks for is used alone: the registry may not know by which name it is reached.
      const following = next === null || names.length === 0 || next.search === url.search ? null : next.search;
      if (following !== null && following.length > MAX_QUERY_LENGTH) {
        throw new RemoteRefused('The source answered with a next page that does not follow.');
      }
      return { names, next: following };
    });
  }

  /** A manifest as it is, with its type. Throws what RemoteClient throws. */
  manifest(repository: string, reference: string): Promise<{ content: Buffer; type: string }> {
    const url = new URL(`${this.#options.registry}/v2/${repository}/manifests/${reference}`);
    return this.#authorized(repository, (headers) =>
      this.#client.content(url, MAX_MANIFEST_BYTES, { ...headers, accept: MANIFEST_TYPES.join(', ') }),
    );
  }

  /** Writes a blob to a file: as many bytes as its manifest says. Throws what RemoteClient throws. */
  async blob(repository: string, { digest, size }: Descriptor, file: string): Promise<void> {
    const url = new URL(`${this.#options.registry}/v2/${repository}/blobs/${digest}`);
    const written = await this.#authorized(repository, (headers) =>
      this.#client.file(url, file, size, { ...headers, accept: '*/*' }),
    );
    if (written !== size) throw new RemoteRefused(`It has ${written} bytes, and not ${size}.`);
  }

  /** Asks with the token of a repository; where there is none, or it has expired, after one was got. */
  async #authorized<Answer>(
    repository: string,
    ask: (headers: Readonly<Record<string, string>>) => Promise<Answer>,
  ): Promise<Answer> {
    const known = this.#tokens.get(repository);
    try {
      return await ask(known === undefined ? {} : { authorization: known });
    } catch (error) {
      if (!(error instanceof RemoteRefused) || error.status !== 401 || error.challenge === null) throw error;
      const authorization = await this.#signIn(repository, error.challenge);
      this.#tokens.set(repository, authorization);
      return ask({ authorization });
    }
  }

  /** What a challenge asks for: the header `Authorization`. Throws what RemoteClient throws. */
  async #signIn(repository: string, challenge: string): Promise<string> {
    const { registry, server, user, token, imports } = this.#options;
    const basic = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
    const own = [registry, server].map((address) => new URL(address).origin);
    if (/^basic\b/i.test(challenge) && own[0] === own[1]) return basic;
    const fields = new Map(
      [...challenge.matchAll(/\b(realm|service)="([^"]{0,1000})"/g)].map(([, name, value]) => [name, value]),
    );
    const realm = fields.get('realm') ?? '';
    if (!/^bearer\b/i.test(challenge) || !URL.canParse(realm)) {
      throw new RemoteRefused('The registry of the source asks to sign in in a way that is not known.', 401);
    }
    const url = new URL(realm);
    const named = imports.hosts.filter((host) => host !== ANY_HOST);
    const isOwn = own.includes(url.origin) || isNamedHost(url, named);
    // The token is for the source, and for nobody whom its registry names.
    if (!['http:', 'https:'].includes(url.protocol) || !isOwn) {
      throw new RemoteRefused(
        `The registry of the source asks to sign in at ${url.host}, which is another server.`,
        401,
      );
    }
    const service = fields.get('service');
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.set('scope', `repository:${repository}:pull`);
    const { body } = await this.#client.json(url, { authorization: basic, accept: 'application/json' });
    const given = isGiven(body) ? (body.token ?? body.access_token) : null;
    if (typeof given !== 'string' || given.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(given)) {
      throw new RemoteRefused('The source answered with something else than a token of its registry.', 401);
    }
    return `Bearer ${given}`;
  }
}

function parsed(content: Buffer): unknown {
  try {
    return parseJson(content);
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    throw new RemoteRefused('The source answered with something else than JSON.');
  }
}

const COMPONENT = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/;

/** Whether a text is the full name of a repository, which becomes part of addresses. */
export function isRepositoryName(name: string): boolean {
  return name.length <= 255 && name.split('/').every((part) => COMPONENT.test(part));
}
