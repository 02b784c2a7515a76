import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ImageRepository } from '#src/domain/container_registry/access.ts';
import { recordBlob } from '#src/domain/container_registry/blobs.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import { containersStore, placeOf } from '#src/domain/container_registry/place.ts';
import { requireRoom, tooLarge } from '#src/domain/container_registry/size.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import type { UploadStore, WithUploads } from '#src/domain/uploads/store.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { LimitReached } from '#src/platform/errors.ts';
import { SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** How many blobs a project is sent at once, and of how many parts one is at most. */
const MAX_UPLOADS = 100;
const MAX_PARTS = 10_000;

/** A blob that is being sent. */
export interface UploadRow {
  id: string;
  /** What has come of it, in bytes. */
  size: number;
}

/** Content that comes with a request. */
export interface IncomingPart {
  content: AsyncIterable<Uint8Array>;
  /** In bytes; null if it is known at the end only. */
  length: number | null;
  /** Where it begins in the blob; null if it does not say. */
  start: number | null;
}

/** Content in the store that nothing records yet. */
interface Stored {
  secret: string;
  size: number;
  digest: string;
}

/** Begins to take a blob. Throws Forbidden, LimitReached. */
export async function beginUpload(
  context: WithRepositories & WithUploads,
  repository: ImageRepository,
): Promise<UploadRow> {
  await requireRoom(context, repository.project.id, { bytes: 0, more: 0 });
  const { db } = context;
  const where = { repository: { projectId: repository.project.id } };
  if ((await db.containerUpload.count({ where, take: MAX_UPLOADS })) >= MAX_UPLOADS) {
    throw new LimitReached(
      `a project is sent ${MAX_UPLOADS} blobs at once; those that were broken off count for a day`,
    );
  }
  const id = randomBytes(16).toString('hex');
  await db.containerUpload.create({ data: { id, repositoryId: repository.id } });
  return { id, size: 0 };
}

/** An upload of a repository. Throws RegistryError. */
export async function findUpload(
  { db }: Pick<Context, 'db'>,
  repository: ImageRepository,
  id: string,
): Promise<UploadRow> {
  const found = await db.containerUpload.findFirst({
    where: { id, repositoryId: repository.id },
    select: { id: true, size: true },
  });
  if (!found) throw unknownUpload();
  return { id: found.id, size: Number(found.size) };
}

function unknownUpload(): RegistryError {
  return new RegistryError('BLOB_UPLOAD_UNKNOWN', 'There is no such upload, or it is over');
}

/**
 * Adds what comes to an upload, with little memory however long it is. Throws RegistryError for content that does not begin where the
 * upload ends, or is too large; LimitReached.
 */
export async function appendPart(
  context: WithRepositories & WithUploads,
  repository: ImageRepository,
  id: string,
  part: IncomingPart,
): Promise<UploadRow> {
  const upload = await findUpload(context, repository, id);
  const { start, length } = part;
  if (start !== null && start !== upload.size) throw outOfOrder();
  if (length === 0) return upload;
  await requireRoom(context, repository.project.id, { bytes: upload.size + (length ?? 0), more: length ?? 0 });
  const most = context.repositories.limits.containerBlobBytes - upload.size;
  const stored = await store(context, part, most);
  let isKept = false;
  try {
    if (stored.size > 0) {
      const more = stored.size - (length ?? 0);
      if (more > 0) await requireRoom(context, repository.project.id, { bytes: upload.size + stored.size, more });
      await recordPart(context, upload, stored);
      isKept = true;
    }
  } catch (error) {
    isKept = mayBeCommitted(error);
    throw error;
  } finally {
    if (!isKept) await containersStore(context).remove(placeOf(stored));
  }
  return { id, size: upload.size + stored.size };
}

function outOfOrder(): RegistryError {
  return new RegistryError('RANGE_INVALID', 'The part does not begin where the upload ends');
}

function recordPart(
  { db }: WithRepositories & WithUploads,
  upload: UploadRow,
  { secret, size, digest }: Stored,
): Promise<void> {
  return db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ parts: number }[]>`
      UPDATE container_uploads SET size = size + ${size}::bigint, parts = parts + 1, touched_at = now()
      WHERE id = ${upload.id} AND size = ${upload.size}::bigint RETURNING parts`;
    // Another part has come meanwhile, or the upload is over.
    if (!row) throw outOfOrder();
    if (row.parts > MAX_PARTS) throw new LimitReached(`a blob has at most ${MAX_PARTS} parts`);
    const data = { uploadId: upload.id, number: row.parts, secret, size: BigInt(size), digest };
    await tx.containerUploadPart.create({ data });
  });
}

/** Stores content while it comes. What fails leaves nothing behind. Throws RegistryError. */
async function store(
  context: Pick<Context, 'uploads'>,
  { content, length }: IncomingPart,
  most: number,
): Promise<Stored> {
  const files = containersStore(context);
  const secret = randomBytes(16).toString('hex');
  const hash = createHash('sha256');
  let size = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      size += chunk.length;
      if (size > most) throw tooLarge(most);
      if (length !== null && size > length) throw wrongLength();
      hash.update(chunk);
      yield chunk;
    }
    if (length !== null && size !== length) throw wrongLength();
  }
  await write(files, secret, counted(), { length, most });
  return { secret, size, digest: `sha256:${hash.digest('hex')}` };
}

function wrongLength(): RegistryError {
  return new RegistryError('SIZE_INVALID', 'The content is not as long as was said');
}

async function write(
  files: UploadStore,
  secret: string,
  content: AsyncIterable<Uint8Array>,
  { length, most }: { length: number | null; most: number },
): Promise<void> {
  const place = placeOf({ secret });
  try {
    if (length !== null || !files.needsSize) return await files.write(place, content, length ?? 0);
    await using spooled = await SpooledFile.from('blob', Readable.from(content, { objectMode: false }), most);
    await files.write(place, spooled.stream(), spooled.size);
  } catch (error) {
    await files.remove(place);
    throw error;
  }
}

/**
 * Ends an upload, with a last part if there is one: what came becomes a blob of the repository. Throws RegistryError if that does not have
 * the digest, and then the upload is over, too; also as appendPart.
 */
export async function finishUpload(
  context: WithRepositories & WithUploads,
  repository: ImageRepository,
  id: string,
  { digest, part }: { digest: string; part: IncomingPart },
): Promise<void> {
  await appendPart(context, repository, id, part);
  const parts = await context.db.containerUploadPart.findMany({ where: { uploadId: id }, orderBy: { number: 'asc' } });
  // One part is the blob already.
  const [only] = parts;
  const isJoined = parts.length !== 1 || only === undefined;
  const whole = isJoined
    ? await join(context, parts)
    : { secret: only.secret, size: Number(only.size), digest: only.digest };
  const files = containersStore(context);
  const isRight = whole.digest === digest;
  let unneeded = isJoined ? [whole.secret] : [];
  try {
    const isKept = await context.db.$transaction(async (tx) => {
      const { count } = await tx.containerUpload.deleteMany({
        where: { id, repositoryId: repository.id, parts: parts.length },
      });
      if (count === 0) throw unknownUpload();
      return isRight && (await recordBlob(tx, repository, whole));
    });
    unneeded = [...parts.map(({ secret }) => secret), ...unneeded].filter(
      (secret) => !isKept || secret !== whole.secret,
    );
  } catch (error) {
    if (mayBeCommitted(error)) unneeded = [];
    throw error;
  } finally {
    for (const secret of unneeded) await files.remove(placeOf({ secret }));
  }
  if (!isRight) throw new RegistryError('DIGEST_INVALID', 'The content has another digest', { digest: whole.digest });
}

/** Puts parts together, one after the other. */
async function join(
  context: WithRepositories & WithUploads,
  parts: readonly { secret: string; size: bigint }[],
): Promise<Stored> {
  const files = containersStore(context);
  async function* content(): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      const read = await files.read(placeOf(part));
      if (read === null) throw unknownUpload();
      yield* read;
    }
  }
  const length = parts.reduce((sum, { size }) => sum + Number(size), 0);
  return store(context, { content: content(), length, start: null }, Number.POSITIVE_INFINITY);
}

/** Gives up an upload. Throws RegistryError. */
export async function cancelUpload(
  context: WithRepositories & WithUploads,
  repository: ImageRepository,
  id: string,
): Promise<void> {
  await findUpload(context, repository, id);
  await removeUploads(context, [id]);
}

/** Removes uploads with what came of them. */
export async function removeUploads(context: Pick<Context, 'db' | 'uploads'>, ids: readonly string[]): Promise<void> {
  const gone = await context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM container_uploads WHERE id = ANY(${[...ids]}::text[]) FOR UPDATE`;
    const parts = await tx.containerUploadPart.findMany({
      where: { uploadId: { in: [...ids] } },
      select: { secret: true },
    });
    await tx.containerUpload.deleteMany({ where: { id: { in: [...ids] } } });
    return parts;
  });
  const files = containersStore(context);
  for (const part of gone) await files.remove(placeOf(part));
}
