import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { parsePointer } from '#src/domain/repository/lfs_pointer.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { isGenerated } from '#src/git/diff/generated.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Bytes of the largest file whose text is searched, and of all texts of a project together. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_PROJECT_BYTES = 1024 ** 3;

/** Bytes that are written in one statement. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Bytes at the beginning of a file that tell whether it is binary, as git looks. */
const SAMPLE = 8_000;

/** The IDs of the texts of files, which are stored unless they are known already. */
export interface StoredBlobs {
  ids: Map<Oid, number>;
  /** Whether texts were left out, as the project has too much. */
  isFull: boolean;
}

/** Stores the texts of files, without those that are binary, large, written by a program or kept elsewhere. */
export async function storeBlobs(
  db: Db,
  projectId: number,
  repository: RepositoryReader,
  files: readonly { path: string; oid: Oid }[],
): Promise<StoredBlobs> {
  const wanted = [...new Set(files.filter(({ path }) => !isGenerated(path)).map(({ oid }) => oid))];
  const ids = await knownBlobs(db, wanted);
  const missing = wanted.filter((oid) => !ids.has(oid));
  if (missing.length === 0) return { ids, isFull: false };
  let room = MAX_PROJECT_BYTES - (await sizeOf(db, projectId));
  const sizes = await repository.blobSizes(missing);
  let batch: { sha: string; content: string }[] = [];
  let bytes = 0;
  const write = async () => {
    for (const [oid, id] of await insertBlobs(db, batch)) ids.set(oid, id);
    [batch, bytes] = [[], 0];
  };
  for (const oid of missing) {
    const size = sizes.get(oid) ?? 0;
    if (size === 0 || size > MAX_FILE_BYTES || size > room) continue;
    const content = textOf(await repository.blob(oid, MAX_FILE_BYTES));
    await yieldToEventLoop();
    if (content === null) continue;
    batch.push({ sha: oid, content });
    room -= size;
    bytes += size;
    if (bytes >= BATCH_BYTES) await write();
  }
  if (batch.length > 0) await write();
  return {
    ids,
    isFull: missing.some((oid) => (sizes.get(oid) ?? 0) <= MAX_FILE_BYTES && (sizes.get(oid) ?? 0) > room),
  };
}

/** Null for what is no text that is searched. */
function textOf(content: Buffer | null): string | null {
  if (content === null || content.subarray(0, SAMPLE).includes(0)) return null;
  const text = content.toString().replaceAll('\0', '\uFFFD');
  return parsePointer(text) === null ? text : null;
}

async function knownBlobs(db: Db, oids: readonly Oid[]): Promise<Map<Oid, number>> {
  const rows = await db.$queryRaw<{ id: number; sha: string }[]>`
    SELECT b.id, encode(b.sha, 'hex') AS sha FROM unnest(${oids}::text[]) AS o (sha) JOIN code_blobs b ON b.sha = decode(o.sha, 'hex')`;
  return new Map(rows.map(({ id, sha }) => [sha, id]));
}

async function insertBlobs(db: Db, blobs: readonly { sha: string; content: string }[]): Promise<Map<Oid, number>> {
  const [shas, contents] = [blobs.map(({ sha }) => sha), blobs.map(({ content }) => content)];
  await db.$executeRaw`
    INSERT INTO code_blobs (sha, content)
    SELECT decode(b.sha, 'hex'), b.content FROM unnest(${shas}::text[], ${contents}::text[]) AS b (sha, content) ORDER BY b.sha
    ON CONFLICT (sha) DO NOTHING`;
  return knownBlobs(db, shas);
}

/** Bytes of the texts of a project, about. */
async function sizeOf(db: Db, projectId: number): Promise<number> {
  const [row] = await db.$queryRaw<{ bytes: number }[]>`
    SELECT COALESCE(sum(octet_length(b.content)), 0)::float8 AS bytes FROM code_files f JOIN code_blobs b ON b.id = f.blob_id WHERE f.project_id = ${projectId}`;
  return row?.bytes ?? 0;
}
