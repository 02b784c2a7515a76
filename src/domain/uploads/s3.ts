import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { S3Settings } from '#src/platform/config/uploads.ts';
import { UploadsUnavailable } from '#src/platform/uploads_unavailable.ts';
import type { ByteRange, StoredFile, UploadLocation, UploadStore } from './store.ts';

/** Milliseconds for establishing a connection, and until data must arrive. */
const CONNECTING = 5_000;
const SILENCE = 30_000;

/** Maximum number of connections: each upload and download holds one for as long as the client takes. */
const SOCKETS = 500;

/** Uploaded files in a bucket of an S3-compatible store: `<prefix><project ID>/<secret>/<name>`. */
export class S3Uploads implements UploadStore {
  readonly #settings: S3Settings;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  /** @param client of another store at the same endpoint, to share its connections */
  constructor({ bucket, prefix, endpoint, region, credentials }: S3Settings, client?: S3Client) {
    this.#settings = { bucket, prefix, endpoint, region, credentials };
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#client =
      client ??
      new S3Client({
        region,
        ...(credentials && { credentials }),
        // Self-hosted stores seldom have a DNS name per bucket.
        ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
        requestHandler: {
          connectionTimeout: CONNECTING,
          socketTimeout: SILENCE,
          httpAgent: { maxSockets: SOCKETS },
          httpsAgent: { maxSockets: SOCKETS },
        },
        // Other S3-compatible stores do not support the checksums that are sent by default.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
      });
  }

  async write(place: UploadLocation, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
    const Body = Readable.from(content, { objectMode: false });
    try {
      await this.#client.send(new PutObjectCommand({ ...this.#at(place), Body, ContentLength: size }));
    } catch (error) {
      throw unavailable(error);
    } finally {
      Body.destroy();
    }
  }

  async read(place: UploadLocation, range?: ByteRange): Promise<Readable | null> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const answer = await found(this.#client.send(new GetObjectCommand({ ...this.#at(place), Range })));
    return (answer?.Body as Readable | undefined) ?? null;
  }

  async open(place: UploadLocation): Promise<{ size: number; content: Readable } | null> {
    const answer = await found(this.#client.send(new GetObjectCommand(this.#at(place))));
    return answer?.Body ? { size: answer.ContentLength ?? 0, content: answer.Body as Readable } : null;
  }

  async has(place: UploadLocation): Promise<boolean> {
    return (await found(this.#client.send(new HeadObjectCommand(this.#at(place))))) !== null;
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
        if (some.length === MOST_AT_ONCE) break;
      }
      if (some.length === 0) return;
      const Delete = { Objects: some.map((Key) => ({ Key })), Quiet: true };
      const answer = await found(this.#client.send(new DeleteObjectsCommand({ Bucket: this.#bucket, Delete })));
      const [failed] = answer?.Errors ?? [];
      if (failed) throw new UploadsUnavailable(`The store of uploaded files did not delete all: ${failed.Message}`);
      if (some.length < MOST_AT_ONCE) return;
    }
  }

  async check(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
  }

  below(name: string): UploadStore {
    return new S3Uploads({ ...this.#settings, prefix: `${this.#prefix}${name}/` }, this.#client);
  }

  #at({ projectId, secret, fileName }: UploadLocation): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${projectId}/${secret}/${fileName}` };
  }

  async *#keys(prefix: string): AsyncGenerator<{ key: string; size: number; storedAt: Date }> {
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix, ContinuationToken });
      const page: ListObjectsV2CommandOutput | null = await found(this.#client.send(command));
      for (const { Key, Size = 0, LastModified = new Date(0) } of page?.Contents ?? []) {
        if (Key !== undefined) yield { key: Key, size: Size, storedAt: LastModified };
      }
      ContinuationToken = page?.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }
}

/** The limit of one delete request. */
const MOST_AT_ONCE = 1000;

/** The store's response; null if the object does not exist. */
async function found<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name)) return null;
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): UploadsUnavailable {
  return new UploadsUnavailable(`The store of uploaded files: ${(cause as Error).message}`, { cause });
}
