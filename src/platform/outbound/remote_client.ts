import { createWriteStream } from 'node:fs';
import { type Agent, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import { checkedLookup } from '#src/platform/outbound/checked_lookup.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { rateLimitOf } from '#src/platform/outbound/rate_limit.ts';
import { isNamedHost, isPlainlyPrivate } from '#src/platform/outbound/url.ts';

/** A request to another server failed for good. The message is for users, and tells nothing of this network. */
export class RemoteRefused extends Error {
  override name = 'RemoteRefused';
  /** Of the response; null without one. */
  readonly status: number | null;
  /** How it wants to be authenticated to (`WWW-Authenticate`), cut where it is too long; null where it does not say. */
  readonly challenge: string | null;

  constructor(message: string, status: number | null = null, challenge: string | null = null) {
    super(message);
    this.status = status;
    this.challenge = challenge;
  }
}

/** A request failed, and may succeed later. */
export class RemoteUnavailable extends Error {
  override name = 'RemoteUnavailable';
}

/** The server wants no more requests until a time. */
export class RemoteRateLimited extends Error {
  override name = 'RemoteRateLimited';
  readonly until: Date;

  constructor(until: Date) {
    super(`The source takes no more requests until ${until.toISOString()}.`);
    this.until = until;
  }
}

/** A response with a body of JSON. */
export interface RemoteAnswer {
  body: unknown;
  /** Absolute URL of the next page, as the header `Link` (RFC 8288) has it; null on the last one. It may be anywhere. */
  next: URL | null;
  /** The number of the last page, where that header has it. */
  lastPage: number | null;
}

/** A response with a body that is small. */
export interface RemoteContent extends Pick<RemoteAnswer, 'next'> {
  content: Buffer;
  /** As the header `Content-Type` says; empty where there is none. */
  type: string;
}

export interface RemoteClientOptions {
  /** Headers with credentials: they are sent to this origin alone. */
  origin: string;
  credentials: Readonly<Record<string, string>>;
  /** Of every request. */
  headers: Readonly<Record<string, string>>;
  settings: Pick<ImportSettings, 'hosts' | 'lookup'>;
  signal: AbortSignal;
}

/** Bytes of the largest page of JSON, and of the headers of a response. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
const MAX_HEADER_BYTES = 32 * 1024;
/** Characters of the longest challenge. */
const MAX_CHALLENGE_LENGTH = 2_000;
/** Bytes of a refusal that are read. */
const MAX_REASON_BYTES = 4 * 1024;
/** Milliseconds in which nothing may come, and that a page or a file may take in all. */
const IDLE_MS = 60_000;
const PAGE_TIMEOUT_MS = 120_000;
const FILE_TIMEOUT_MS = 30 * 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

const BLOCKED = 'The source is blocked: its address is not a public one.';

/**
 * Asks another server by HTTP(S). Each connection checks the address that it is made to: it is a public one, or the configuration
 * names its host. Redirects are followed, with credentials to their own origin alone.
 */
export class RemoteClient {
  readonly #options: RemoteClientOptions;
  readonly #agents: Readonly<Record<'http:' | 'https:', Agent>>;

  constructor(options: RemoteClientOptions) {
    this.#options = options;
    // Agents of its own: the global ones may be configured to use a proxy.
    this.#agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };
  }

  /**
   * Reads JSON. Throws RemoteRefused, RemoteUnavailable, RemoteRateLimited, the signal's reason.
   *
   * @param headers sent to the origin of the URL alone
   */
  async json(url: URL, headers: Readonly<Record<string, string>> = {}): Promise<RemoteAnswer> {
    const late = AbortSignal.timeout(PAGE_TIMEOUT_MS);
    const response = await this.#get(url, late, headers);
    try {
      const body = parseJson(await wholeOf(response));
      const lastPage = Number(/[?&]page=(\d{1,9})\b/.exec(linked(response, url, 'last')?.search ?? '')?.[1] ?? 0);
      return { body, next: linked(response, url, 'next'), lastPage: lastPage || null };
    } catch (error) {
      if (error instanceof UnusableJson) throw new RemoteRefused('The source answered with something else than JSON.');
      throw this.#explained(error, late);
    } finally {
      response.destroy();
    }
  }

  /** Sends JSON, and reads JSON. Redirects are not followed. Throws as json. */
  async post(url: URL, body: unknown, type = 'application/json'): Promise<Pick<RemoteAnswer, 'body'>> {
    const late = AbortSignal.timeout(PAGE_TIMEOUT_MS);
    const sent = { body: Buffer.from(JSON.stringify(body)), type };
    const response = await this.#send(url, late, {}, sent).catch((error) => {
      throw this.#explained(error, late);
    });
    try {
      if (response.statusCode !== 200) throw await refusal(response);
      return { body: parseJson(await wholeOf(response)) };
    } catch (error) {
      if (error instanceof UnusableJson) throw new RemoteRefused('The source answered with something else than JSON.');
      throw this.#explained(error, late);
    } finally {
      response.destroy();
    }
  }

  /** Reads a text of at most so many bytes. Throws as json. */
  async text(url: URL, maxBytes: number): Promise<string> {
    const late = AbortSignal.timeout(PAGE_TIMEOUT_MS);
    const response = await this.#get(url, late, { accept: '*/*' });
    try {
      return (await wholeOf(response, maxBytes)).toString('utf8');
    } catch (error) {
      throw this.#explained(error, late);
    } finally {
      response.destroy();
    }
  }

  /** Reads a content of at most so many bytes. Throws as json. */
  async content(url: URL, maxBytes: number, headers: Readonly<Record<string, string>> = {}): Promise<RemoteContent> {
    const late = AbortSignal.timeout(PAGE_TIMEOUT_MS);
    const response = await this.#get(url, late, headers);
    try {
      const content = await wholeOf(response, maxBytes);
      return { content, type: response.headers['content-type'] ?? '', next: linked(response, url, 'next') };
    } catch (error) {
      throw this.#explained(error, late);
    } finally {
      response.destroy();
    }
  }

  /** Writes what is at a URL to a file. Returns its size in bytes. Throws as json. */
  async file(
    url: URL,
    file: string,
    maxBytes: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const late = AbortSignal.timeout(FILE_TIMEOUT_MS);
    const response = await this.#get(url, late, headers);
    let size = 0;
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        done(size > maxBytes ? new RemoteRefused(`It has more than ${maxBytes} bytes.`) : null, chunk);
      },
    });
    try {
      const signal = AbortSignal.any([this.#options.signal, late]);
      await pipeline(response, count, createWriteStream(file, { flush: true }), { signal });
      return size;
    } catch (error) {
      throw this.#explained(error, late);
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #get(from: URL, late: AbortSignal, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    let url = from;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      // What may be a credential is for where it was meant to be sent.
      const sent = url.origin === from.origin ? headers : { ...(headers.accept && { accept: headers.accept }) };
      const response = await this.#send(url, late, sent).catch((error) => {
        throw this.#explained(error, late);
      });
      const { statusCode = 0 } = response;
      if (statusCode === 200) return response;
      if (!REDIRECTS.includes(statusCode)) throw await refusal(response);
      response.on('error', () => undefined).destroy();
      url = redirected(url, response.headers.location);
    }
    throw new RemoteRefused('The source redirects too often.');
  }

  #send(
    url: URL,
    late: AbortSignal,
    headers: Readonly<Record<string, string>>,
    sent: { body: Buffer; type: string } | null = null,
  ): Promise<IncomingMessage> {
    const { settings, origin, credentials, signal } = this.#options;
    const isNamed = isNamedHost(url, settings.hosts);
    // IP addresses are not looked up.
    if (!isNamed && isPlainlyPrivate(url)) return Promise.reject(new RemoteRefused(BLOCKED));
    const options = {
      agent: this.#agents[url.protocol as 'http:' | 'https:'],
      headers: {
        'user-agent': 'Gantry',
        'accept-encoding': 'identity',
        ...this.#options.headers,
        ...(url.origin === origin && credentials),
        ...headers,
        ...(sent && { 'content-type': sent.type, 'content-length': String(sent.body.length) }),
      },
      ...(sent && { method: 'POST' }),
      lookup: checkedLookup(settings.lookup, isNamed, {
        blocked: () => new RemoteRefused(BLOCKED),
        unknown: () => new RemoteRefused('The host of the source is not known.'),
      }),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: AbortSignal.any([signal, late]),
      timeout: IDLE_MS,
    };
    return new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
      request.once('response', resolve);
      // Later errors are those of the response.
      request.on('error', reject);
      request.once('timeout', () =>
        request.destroy(new RemoteUnavailable('Nothing came from the source for too long.')),
      );
      request.end(sent?.body);
    });
  }

  #explained(error: unknown, late: AbortSignal): Error {
    this.#options.signal.throwIfAborted();
    if (late.aborted) return new RemoteUnavailable('The source took too long to answer.');
    if ([RemoteRefused, RemoteUnavailable, RemoteRateLimited].some((known) => error instanceof known)) {
      return error as Error;
    }
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(code)) {
      return new RemoteRefused('The host of the source is not known.');
    }
    if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
      return new RemoteRefused('The source cannot be trusted: its certificate or its encryption is not valid.');
    }
    // Errors of the disk are this server's.
    if (/^(ENOSPC|EACCES|EROFS|EDQUOT|EMFILE)$/.test(code)) return error as Error;
    return new RemoteUnavailable('The source cannot be reached, or broke the connection off.');
  }
}

async function wholeOf(response: IncomingMessage, maxBytes = MAX_PAGE_BYTES): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += part.length;
    if (size > maxBytes) throw new RemoteRefused(`A page of the source has more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The error of a response that is no success. */
async function refusal(response: IncomingMessage): Promise<Error> {
  const { statusCode = 0, headers } = response;
  const until = rateLimitOf(statusCode, headers, await startOf(response), Date.now());
  if (until !== null) return new RemoteRateLimited(until);
  if (statusCode === 401 || statusCode === 403) {
    const challenge = headers['www-authenticate']?.slice(0, MAX_CHALLENGE_LENGTH) ?? null;
    return new RemoteRefused(
      'The source refuses access: the token is wrong, or may not read this.',
      statusCode,
      challenge,
    );
  }
  if (statusCode === 404 || statusCode === 410) return new RemoteRefused('The source does not have it.', statusCode);
  if (statusCode >= 500) return new RemoteUnavailable(`The source answered with status ${statusCode}.`);
  return new RemoteRefused(`The source answered with status ${statusCode}.`, statusCode);
}

/** The beginning of the text of a response. */
async function startOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response) {
      parts.push(part);
      size += part.length;
      if (size >= MAX_REASON_BYTES) break;
    }
  } catch {
    // The status has arrived: later errors do not matter.
  } finally {
    response.destroy();
  }
  return Buffer.concat(parts).toString('utf8', 0, MAX_REASON_BYTES);
}

function redirected(from: URL, location: string | undefined): URL {
  const to = location !== undefined && URL.canParse(location, from) ? new URL(location, from) : null;
  if (to === null || !['http:', 'https:'].includes(to.protocol)) {
    throw new RemoteRefused('The source redirects to an address that is not one of HTTP.');
  }
  // A page for people, not what was asked for.
  if (/\/(?:users\/sign_in|user\/login|login)$/.test(to.pathname)) {
    throw new RemoteRefused('The source refuses access: it asks to sign in.', 401);
  }
  to.username = '';
  to.password = '';
  to.hash = '';
  return to;
}

function linked({ headers: { link } }: IncomingMessage, from: URL, relation: 'next' | 'last'): URL | null {
  for (const [, address = '', name] of String(link ?? '').matchAll(/<([^<>\s]{1,2000})>\s*;\s*rel="(next|last)"/g)) {
    if (name === relation) return URL.canParse(address, from) ? new URL(address, from) : null;
  }
  return null;
}
