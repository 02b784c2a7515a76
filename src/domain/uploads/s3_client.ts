import { createHash } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import type { S3Settings } from '#src/platform/config/uploads.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';
import { defaultCredentials, type S3Credentials } from './s3_credentials.ts';

/** Milliseconds for establishing a connection, and until data must arrive. */
const CONNECTING = 5_000;
const SILENCE = 30_000;

/** Maximum number of connections: each upload and download holds one for as long as the client takes. */
const SOCKETS = { keepAlive: true, maxSockets: 500 };

/** Maximum number of attempts, and milliseconds before the second one. */
const ATTEMPTS = 3;
const PAUSE = 100;

/** Bytes of the longest response that is read as text: a list of 1,000 keys has one at most. */
const MAX_TEXT_BYTES = 8 << 20;

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST';
  /** Key of an object; the bucket itself when absent. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** A stream is sent once, and needs a `content-length`; texts are sent again on retries. */
  body?: string | Readable;
}

/** An error response of the store. */
export class S3Error extends Error {
  override name = 'S3Error';
  /** The store's error code, such as NoSuchKey; empty if it sent none, as for HEAD. */
  readonly code: string;
  readonly status: number;

  constructor(status: number, body: string) {
    const code = elementOf(body, 'Code') ?? '';
    super(elementOf(body, 'Message') || code || `the store answered with status ${status}`);
    this.code = code;
    this.status = status;
  }
}

/** Sends requests to one bucket of an S3-compatible store, signed by Signature Version 4. */
export class S3Client {
  readonly #base: string;
  readonly #region: string;
  readonly #credentials: () => Promise<S3Credentials>;
  readonly #agents = { 'http:': new http.Agent(SOCKETS), 'https:': new https.Agent(SOCKETS) };
  /** Keys that signatures are made with: derived once a day. */
  readonly #derived = new Map<string, ArrayBuffer>();

  constructor({ bucket, endpoint, region, credentials }: S3Settings) {
    this.#base = endpoint === undefined ? amazonUrl(bucket, region) : `${withoutTrailingSlashes(endpoint)}/${bucket}`;
    this.#region = region;
    this.#credentials = credentials ? async () => credentials : defaultCredentials(region);
  }

  /** The response, whose body the caller reads or destroys. Throws S3Error, or the error of the connection. */
  async send(request: S3Request): Promise<IncomingMessage> {
    const attempts = typeof request.body === 'object' ? 1 : ATTEMPTS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#sendOnce(request);
      } catch (error) {
        const final = error instanceof S3Error && error.status < 500 && error.status !== 429;
        if (final || attempt === attempts) throw error;
        await wait(PAUSE * 2 ** (attempt - 1) * (0.5 + Math.random()));
      }
    }
  }

  /** Like `send`, returning the response body as text. */
  async sendForText(request: S3Request): Promise<string> {
    return textOf(await this.send(request));
  }

  async #sendOnce({ method, key, query = {}, headers = {}, body }: S3Request): Promise<IncomingMessage> {
    const path = key === undefined ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`;
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const digest =
      typeof body === 'object'
        ? 'UNSIGNED-PAYLOAD'
        : createHash('sha256')
            .update(body ?? '')
            .digest('hex');
    const signer = new AwsV4Signer({
      ...(await this.#credentials()),
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': digest },
      service: 's3',
      region: this.#region,
      cache: this.#derived,
    });
    const signed = Object.fromEntries((await signer.sign()).headers);
    const answer = await this.#exchange(url, method, signed, body);
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    throw new S3Error(status, await textOf(answer).catch(() => ''));
  }

  #exchange(
    url: URL,
    method: string,
    headers: Record<string, string>,
    body: string | Readable | undefined,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { request } = url.protocol === 'https:' ? https : http;
      const agent = this.#agents[url.protocol === 'https:' ? 'https:' : 'http:'];
      let answer: IncomingMessage | undefined;
      const sent = request(url, { method, headers, agent, timeout: SILENCE }, (response) => {
        answer = response;
        resolve(response);
      });
      sent.on('error', reject);
      sent.on('timeout', () => {
        // The reader may be slower than the store.
        if (answer && answer.readableLength > 0) sent.setTimeout(SILENCE);
        else sent.destroy(new Error('the store does not answer in time'));
      });
      sent.once('socket', (socket) => {
        if (!socket.connecting) return;
        const timer = setTimeout(() => sent.destroy(new Error('the store cannot be reached')), CONNECTING);
        for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
      });
      if (typeof body === 'object') pipeline(body, sent).catch(reject);
      else sent.end(body);
    });
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  try {
    return String(await readAtMost(answer, MAX_TEXT_BYTES, () => new Error('the store says too much')));
  } finally {
    if (!answer.readableEnded) answer.destroy();
  }
}

/** Virtual-hosted URL, unless the name contains dots, which certificates do not cover. */
function amazonUrl(bucket: string, region: string): string {
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

/** The text of the first element of that name in XML, none of whose kind is within another; undefined if there is none. */
export function elementOf(xml: string, name: string): string | undefined {
  const [, content] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return content?.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (entity, decimal, hexadecimal, word) => {
    if (word) return ENTITIES[word] ?? entity;
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16));
  });
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
