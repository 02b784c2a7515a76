import {
  type Agent,
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkedLookup } from '#src/platform/outbound/checked_lookup.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { type ImportSource, isNamedHost, isPlainlyPrivate } from '#src/platform/outbound/url.ts';

/** Why an import cannot succeed. The message is for the user and does not contain the URL. */
export class ImportFailed extends Error {
  override name = 'ImportFailed';
}

/** Headers by lower-case name. */
export type Headers = Record<string, string>;

/** Maximum number of redirects. */
const REDIRECTS = 5;
/** Milliseconds during which nothing may arrive: git sends keepalives every few seconds while it works. */
const IDLE = 2 * 60_000;

/** What is asked of a remote repository: to give its objects, or to take others. */
export type GitService = 'git-upload-pack' | 'git-receive-pack';

/**
 * A remote repository, accessed by the two requests of git's smart protocol. Every connection checks the address that it connects
 * to, for the first request, redirects and all later ones alike; credentials are only sent to the host that they were given for.
 */
export class SourceRepository {
  readonly #source: ImportSource;
  readonly #settings: ImportSettings;
  readonly #signal: AbortSignal;
  readonly #service: GitService;
  readonly #agents: { 'http:': Agent; 'https:': Agent };
  /** The URL of the repository after redirects. */
  #base: URL;

  /** @param signal aborts whatever is running */
  constructor(
    source: ImportSource,
    settings: ImportSettings,
    signal: AbortSignal,
    service: GitService = 'git-upload-pack',
  ) {
    this.#service = service;
    this.#source = source;
    this.#settings = settings;
    this.#signal = signal;
    this.#base = source.url;
    // Agents of its own: the global ones may be configured to use a proxy.
    this.#agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };
  }

  /** The refs and capabilities of the repository. Follows redirects, and remembers their target. Throws ImportFailed. */
  async advertisement(headers: Headers): Promise<IncomingMessage> {
    const advertisement = `/info/refs?service=${this.#service}`;
    let at = new URL(`${this.#base.href.replace(/\/$/, '')}${advertisement}`);
    for (let redirects = 0; redirects <= REDIRECTS; redirects++) {
      const response = await this.#send('GET', at, headers);
      const { statusCode = 0, headers: answered } = response;
      if (![301, 302, 303, 307, 308].includes(statusCode)) {
        const base = baseOf(at, advertisement);
        if (base === null && statusCode === 200) throw discarded(response, NOT_GIT);
        this.#base = base ?? this.#base;
        return accepted(response, `application/x-${this.#service}-advertisement`);
      }
      discarded(response, '');
      at = redirected(at, answered.location);
    }
    throw new ImportFailed('The source redirects too often.');
  }

  /** Forwards a request of git. Throws ImportFailed. */
  async answer(headers: Headers, question: Readable): Promise<IncomingMessage> {
    const at = new URL(`${this.#base.href.replace(/\/$/, '')}/${this.#service}`);
    return accepted(await this.#send('POST', at, headers, question), `application/x-${this.#service}-result`);
  }

  get service(): GitService {
    return this.#service;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #send(method: string, url: URL, headers: Headers, body?: Readable): Promise<IncomingMessage> {
    const isNamed = isNamedHost(url, this.#settings.hosts);
    // IP addresses are not looked up.
    if (!isNamed && isPlainlyPrivate(url)) throw new ImportFailed(BLOCKED);
    const options = {
      method,
      agent: this.#agents[url.protocol as 'http:' | 'https:'],
      headers: { 'user-agent': 'git/gantry', 'accept-encoding': 'identity', ...headers, ...this.#authorization(url) },
      lookup: checkedLookup(this.#settings.lookup, isNamed, {
        blocked: () => new ImportFailed(BLOCKED),
        unknown: () => new ImportFailed(UNKNOWN),
      }),
      signal: this.#signal,
      timeout: IDLE,
    };
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    request.once('timeout', () => request.destroy(new ImportFailed('Nothing came from the source for too long.')));
    try {
      return await sent(request, body);
    } catch (error) {
      throw explained(error as NodeJS.ErrnoException);
    }
  }

  /** Credentials, for the host that they were given for; also over HTTPS if the URL was HTTP. */
  #authorization({ protocol, host, hostname, port }: URL): Headers {
    const { url, credentials } = this.#source;
    const isUpgrade = protocol === 'https:' && hostname === url.hostname && port === '' && url.port === '';
    if (credentials === null || !(isUpgrade || (protocol === url.protocol && host === url.host))) return {};
    const text = `${credentials.username}:${credentials.password}`;
    return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
  }
}

const BLOCKED = 'The source is blocked: its address is not a public one.';
const UNKNOWN = 'The host of the source is not known.';
const NOT_GIT = "There is no repository at this address that speaks git's smart protocol over HTTP.";

/** Sends a request and returns when its response has begun. */
async function sent(request: ClientRequest, body?: Readable): Promise<IncomingMessage> {
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    // Later errors are those of the response.
    request.on('error', reject);
  });
  if (body === undefined) request.end();
  else pipeline(body, request).catch((error) => request.destroy(error));
  return answer;
}

/** The URL of the repository, from that of its advertisement; null if it cannot be one. */
function baseOf({ href }: URL, advertisement: string): URL | null {
  return href.endsWith(advertisement) ? new URL(href.slice(0, -advertisement.length)) : null;
}

function redirected(from: URL, location: string | undefined): URL {
  const to = location !== undefined && URL.canParse(location, from) ? new URL(location, from) : null;
  if (to === null || !['http:', 'https:'].includes(to.protocol)) {
    throw new ImportFailed('The source redirects to an address that is not one of HTTP.');
  }
  to.username = '';
  to.password = '';
  to.hash = '';
  return to;
}

/** The response, if it is one of git. Throws ImportFailed. */
function accepted(response: IncomingMessage, type: string): IncomingMessage {
  const { statusCode = 0, headers } = response;
  if (statusCode === 401 || statusCode === 403) {
    throw discarded(response, 'The source refuses access: user name and password are missing or wrong.');
  }
  if (statusCode === 404 || statusCode === 410) throw discarded(response, 'The source knows of no such repository.');
  if (statusCode !== 200) throw discarded(response, `The source answered with status ${statusCode}.`);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (headers['content-type'] !== type || encoding !== 'identity') throw discarded(response, NOT_GIT);
  return response;
}

function discarded(response: IncomingMessage, message: string): ImportFailed {
  response.on('error', () => undefined).destroy();
  return new ImportFailed(message);
}

/** Explains a connection error without revealing anything about this network. */
function explained(error: NodeJS.ErrnoException): Error {
  if (error instanceof ImportFailed || error.name === 'AbortError') return error;
  const code = error.code ?? '';
  if (['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'EBADNAME'].includes(code))
    return new ImportFailed(UNKNOWN);
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return new ImportFailed('The source cannot be trusted: its certificate or its encryption is not valid.');
  }
  return new ImportFailed('The source cannot be reached, or broke the connection off.');
}
