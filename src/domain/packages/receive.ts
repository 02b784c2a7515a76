import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { fileNameOf } from '#src/domain/uploads/create.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { BadRequest, Forbidden, LimitReached, NotFound } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** The checksums of a file as hexadecimal digits. */
export interface Checksums {
  md5: string;
  sha1: string;
  sha256: string;
}

type Stores = Pick<Context, 'repositories' | 'uploads'>;

/** The content of a file of a package in the store, which is removed again unless it is recorded (`keep`). */
export class StoredContent implements IncomingFile, AsyncDisposable {
  readonly name: string;
  readonly size: number;
  readonly place: UploadLocation;
  readonly checksums: Checksums;
  readonly #store: UploadStore;
  #isKept = false;

  private constructor(name: string, size: number, place: UploadLocation, checksums: Checksums, store: UploadStore) {
    this.name = name;
    this.size = size;
    this.place = place;
    this.checksums = checksums;
    this.#store = store;
  }

  /**
   * Stores content while it comes, with little memory however long it is. What fails leaves nothing behind.
   *
   * @param size in bytes; null if it is known at the end only
   * @throws BadRequest if it is larger than files of packages may be
   */
  static async receive(
    stores: Stores,
    projectId: number,
    { name, size, content }: { name: string; size: number | null; content: AsyncIterable<Uint8Array> },
  ): Promise<StoredContent> {
    requireFitting(stores, size ?? 0);
    const most = stores.repositories.limits.packageFileBytes;
    const store = packagesStore(stores);
    const place = { projectId, secret: randomBytes(16).toString('hex'), fileName: fileNameOf(name) };
    const hashes = { md5: createHash('md5'), sha1: createHash('sha1'), sha256: createHash('sha256') };
    let received = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        received += chunk.length;
        if (received > most) throw tooLarge();
        for (const hash of Object.values(hashes)) hash.update(chunk);
        yield chunk;
      }
      if (size !== null && received !== size) throw new BadRequest('The body ended before all of it had come');
    }
    try {
      if (size !== null || !store.needsSize) await store.write(place, counted(), size ?? 0);
      else {
        await using spooled = await SpooledFile.from(name, Readable.from(counted(), { objectMode: false }), most);
        await store.write(place, spooled.stream(), spooled.size);
      }
    } catch (error) {
      await store.remove(place);
      throw error;
    }
    const { md5, sha1, sha256 } = hashes;
    const checksums = { md5: md5.digest('hex'), sha1: sha1.digest('hex'), sha256: sha256.digest('hex') };
    return new StoredContent(name, received, place, checksums, store);
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    const content = await this.#store.read(this.place);
    if (content) yield* content;
  }

  /** Opens these bytes, both ends inclusive. Throws NotFound if the store has lost the content. */
  async part(range: { start: number; end: number }): Promise<Readable> {
    const read = await this.#store.read(this.place, range);
    if (read === null) throw new NotFound('PackageFile');
    return read;
  }

  /** Records it by `record`, and keeps it if that succeeds or may have been committed. */
  async recordedBy<Result>(record: () => Promise<Result>): Promise<Result> {
    try {
      const result = await record();
      this.#isKept = true;
      return result;
    } catch (error) {
      this.#isKept = mayBeCommitted(error);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isKept) await this.#store.remove(this.place);
  }
}

/** The project that the actor may publish packages of. Throws Unauthenticated, NotFound, Forbidden. */
export async function publishableProject(
  context: Context,
  ref: IdOrPath,
): Promise<{ actor: Actor; project: ProjectRow }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'publish_package', project);
  return { actor, project };
}

/** Throws Forbidden where packages are turned off, BadRequest for a file that is too large. */
export function requireFitting({ repositories }: Pick<Stores, 'repositories'>, bytes: number): void {
  const { packageFileBytes } = repositories.limits;
  if (packageFileBytes === 0) throw new Forbidden('Publishing packages is turned off (GANTRY_MAX_PACKAGE_FILE_BYTES)');
  if (bytes > packageFileBytes) throw tooLarge();
}

/** Throws LimitReached if so many more bytes do not fit into the quota of the project. */
export async function requireRoom(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  projectId: number,
  more: number,
): Promise<void> {
  const { quotaBytes } = repositories.limits;
  if (quotaBytes === Number.POSITIVE_INFINITY) return;
  const counters = await db.projectCounters.findUnique({ where: { projectId }, select: { packagesSize: true } });
  if (Number(counters?.packagesSize ?? 0) + more > quotaBytes)
    throw new LimitReached(`the packages of the project may take ${quotaBytes} bytes (GANTRY_REPOSITORY_QUOTA_BYTES)`);
}

function tooLarge(): BadRequest {
  return new BadRequest('File is too large', 'file', 'packageRefused');
}
