import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { LfsName, LfsRow } from '#src/domain/repository/lfs_objects.ts';
import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import type { Db } from '#src/platform/database/db.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { BadRequest, ContentTooLarge, Forbidden, LimitReached, NotFound } from '#src/platform/errors.ts';

/** Whether a text is the hash of an object. */
export function isLfsOid(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** Throws Forbidden where uploads are turned off, ContentTooLarge and LimitReached for an object that the project has no room for. */
export async function requireLfsRoom(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  projectId: number,
  bytes: number,
): Promise<void> {
  const { lfsObjectBytes, quotaBytes } = repositories.limits;
  if (lfsObjectBytes === 0) throw new Forbidden('Uploading objects is turned off (GANTRY_MAX_LFS_OBJECT_BYTES)');
  if (bytes > lfsObjectBytes) throw new ContentTooLarge(`objects can be at most ${lfsObjectBytes} bytes`);
  if (quotaBytes === Number.POSITIVE_INFINITY) return;
  const counters = await db.projectCounters.findUnique({ where: { projectId }, select: { lfsObjectsSize: true } });
  if (Number(counters?.lfsObjectsSize ?? 0) + bytes > quotaBytes) {
    throw new LimitReached(`the objects of the project may take ${quotaBytes} bytes (GANTRY_REPOSITORY_QUOTA_BYTES)`);
  }
}

/**
 * Stores an object while it comes, and gives it to the project. Of content that another project has already, one copy is kept. Throws
 * BadRequest for content that is not what its name says, NotFound if the project was deleted meanwhile, and as requireLfsRoom.
 */
export async function receiveLfsObject(
  context: Context,
  project: Pick<ProjectRow, 'id'>,
  { oid, size }: LfsName,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  await requireLfsRoom(context, project.id, size);
  const store = lfsStore(context);
  const place = placeOf({ oid, secret: randomBytes(16).toString('hex') });
  const hash = createHash('sha256');
  let received = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      received += chunk.length;
      if (received > size) throw new BadRequest('The object is larger than was said');
      hash.update(chunk);
      yield chunk;
    }
    if (received !== size) throw new BadRequest('The object is smaller than was said');
    if (hash.digest('hex') !== oid) throw new BadRequest('The object has another hash than was said');
  }
  let isKept = false;
  try {
    await store.write(place, counted(), size);
    isKept = await record(context, project.id, { oid, size, secret: place.secret });
  } catch (error) {
    isKept = mayBeCommitted(error);
    throw error;
  } finally {
    if (!isKept) await store.remove(place);
  }
}

/** Gives an object to a project. Returns whether this copy is the one that is kept. */
function record({ db }: Context, projectId: number, { oid, size, secret }: LfsRow): Promise<boolean> {
  return db.$transaction(async (tx) => {
    // Locks the project, so that a concurrent deletion waits.
    const alive = await tx.$queryRaw<object[]>`
      SELECT id FROM projects WHERE id = ${projectId} AND deleted_at IS NULL FOR SHARE`;
    if (alive.length === 0) throw new NotFound('Project');
    // The update locks a row that is there, against removal.
    const [object] = await tx.$queryRaw<{ id: number; secret: string }[]>`
      INSERT INTO lfs_objects (oid, size, secret) VALUES (${oid}, ${size}::bigint, ${secret})
      ON CONFLICT (oid) DO UPDATE SET oid = EXCLUDED.oid RETURNING id, secret`;
    if (!object) throw new Error(`The object ${oid} was not recorded`);
    const linked = await tx.$executeRaw`
      INSERT INTO lfs_object_projects (project_id, lfs_object_id) VALUES (${projectId}, ${object.id}) ON CONFLICT DO NOTHING`;
    if (linked > 0) {
      await tx.$executeRaw`
        UPDATE project_counters SET lfs_objects_size = lfs_objects_size + ${size}::bigint WHERE project_id = ${projectId}`;
    }
    return object.secret === secret;
  });
}

/** Gives a fork all objects that its source has. */
export async function shareLfsObjects(
  tx: Pick<Db, '$executeRaw'>,
  { sourceId, forkId }: { sourceId: number; forkId: number },
): Promise<void> {
  await tx.$executeRaw`
    WITH given AS (
      INSERT INTO lfs_object_projects (project_id, lfs_object_id)
      SELECT ${forkId}::int, lfs_object_id FROM lfs_object_projects WHERE project_id = ${sourceId}
      ON CONFLICT DO NOTHING RETURNING lfs_object_id)
    UPDATE project_counters SET lfs_objects_size = lfs_objects_size
      + (SELECT COALESCE(sum(o.size), 0) FROM given g JOIN lfs_objects o ON o.id = g.lfs_object_id)
    WHERE project_id = ${forkId}::int`;
}

/** Takes all objects from a project; those that no other project has are removed later. */
export async function forgetLfsObjects(tx: Pick<Db, '$executeRaw'>, projectId: number): Promise<void> {
  await tx.$executeRaw`DELETE FROM lfs_object_projects WHERE project_id = ${projectId}`;
  await tx.$executeRaw`UPDATE project_counters SET lfs_objects_size = 0 WHERE project_id = ${projectId}`;
}
