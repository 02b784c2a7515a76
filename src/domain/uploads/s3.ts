import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { S3Settings } from '#src/platform/config/uploads.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import { UploadsUnavailable } from '#src/platform/uploads_unavailable.ts';
import { elementOf, S3Client, S3Error, type S3Request } from './s3_client.ts';
import type { ByteRange, StoredFile, UploadLocation, UploadStore } from './store.ts';

/** Uploaded files in a bucket of an S3-compatible store: `<prefix><project ID>/<secret>/<name>`. */
export class S3Uploads implements UploadStore {
  readonly needsSize = true;
  readonly #settings: S3Settings;
  readonly #client: S3Client;
  readonly #prefix: string;

  /** @param client of another store in the same bucket, to share its connections */
  constructor(settings: S3Settings, client = new S3Client(settings)) {
    this.#settings = settings;
    this.#prefix = settings.prefix;
    this.#client = client;
  }

  async write(place: UploadLocation, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
    const body = Readable.from(content, { objectMode: false });
    const headers = { 'content-length': String(size) };
    try {
      await available(this.#client.sendForText({ method: 'PUT', key: this.#keyOf(place), headers, body }));
    } finally {
      body.destroy();
    }
  }

  async read(place: UploadLocation, range?: ByteRange): Promise<Readable | null> {
    const headers = range && { range: `bytes=${range.start}-${range.end}` };
    return this.#find({ method: 'GET', key: this.#keyOf(place), ...(headers && { headers }) });
  }

  async open(place: UploadLocation): Promise<{ size: number; content: Readable } | null> {
    const content = await this.#find({ method: 'GET', key: this.#keyOf(place) });
    return content && { size: Number(content.headers['content-length'] ?? 0), content };
  }

  async has(place: UploadLocation): Promise<boolean> {
    const answer = await this.#find({ method: 'HEAD', key: this.#keyOf(place) });
    answer?.resume();
    return answer !== null;
  }

  async *list(): AsyncIterable<StoredFile> {
    for await (const { key, size, storedAt } of this.#keys(this.#prefix)) {
      const [, project, secret = '', fileName = ''] =
        /^(\d+)\/([^/]+)\/([^/]+)$/.exec(key.slice(this.#prefix.length)) ?? [];
      if (project !== undefined) yield { projectId: Number(project), secret, fileName, size, storedAt };
    }
  }

  async remove({ projectId, secret }: { projectId: number; secret?: string }): Promise<void> {
    const prefix = `${this.#prefix}${projectId}/${secret === undefined ? '' : `${secret}/`}`;
    for (;;) {
      const some: string[] = [];
      for await (const { key } of this.#keys(prefix)) {
        some.push(key);
        if (some.length === MAX_KEYS_PER_REQUEST) break;
      }
      if (some.length > 0) await this.#delete(some);
      if (some.length < MAX_KEYS_PER_REQUEST) return;
    }
  }

  async check(): Promise<void> {
    await this.#client.sendForText({ method: 'HEAD' });
  }

  below(name: string): UploadStore {
    return new S3Uploads({ ...this.#settings, prefix: `${this.#prefix}${name}/` }, this.#client);
  }

  #keyOf({ projectId, secret, fileName }: UploadLocation): string {
    return `${this.#prefix}${projectId}/${secret}/${fileName}`;
  }

  /** The response to a request for an object; null if it does not exist. */
  async #find(request: S3Request): Promise<IncomingMessage | null> {
    return available(
      this.#client.send(request).catch((error) => {
        // The response to HEAD has only a status.
        if (error instanceof S3Error && error.status === 404 && ['NoSuchKey', ''].includes(error.code)) return null;
        throw error;
      }),
    );
  }

  async #delete(keys: string[]): Promise<void> {
    const objects = keys.map((key) => `<Object><Key>${escapeHtml(key)}</Key></Object>`).join('');
    const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`;
    const headers = {
      'content-type': 'application/xml',
      'content-md5': createHash('md5').update(body).digest('base64'),
    };
    const answer = await available(this.#client.sendForText({ method: 'POST', query: { delete: '' }, headers, body }));
    if (answer.includes('<Error>')) {
      throw new UploadsUnavailable(`The store of uploaded files did not delete all: ${elementOf(answer, 'Message')}`);
    }
  }

  async *#keys(prefix: string): AsyncGenerator<{ key: string; size: number; storedAt: Date }> {
    let token: string | undefined;
    do {
      const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
      const page = await available(this.#client.sendForText({ method: 'GET', query }));
      for (const [, object = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const [key, size, storedAt] = ['Key', 'Size', 'LastModified'].map((name) => elementOf(object, name));
        if (key !== undefined) yield { key, size: Number(size ?? 0), storedAt: new Date(storedAt ?? 0) };
      }
      token = elementOf(page, 'NextContinuationToken');
    } while (token !== undefined);
  }
}

/** The limit of one delete request. */
const MAX_KEYS_PER_REQUEST = 1000;

async function available<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (cause) {
    throw new UploadsUnavailable(`The store of uploaded files: ${(cause as Error).message}`, { cause });
  }
}
