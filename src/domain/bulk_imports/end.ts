import type { Context } from '#src/access/permissions/actor.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { cancelRemoteImport, failRemoteImport } from '#src/domain/remote_imports/end.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import type { WithUploads } from '#src/domain/uploads/store.ts';
import type { BulkImportStatus } from '#src/generated/prisma/client.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** What ending an import needs. */
export type EndingStores = WithRepositories & WithUploads & { db: Db };

/** Statuses of what has not ended. */
export const UNDER_WAY = ['created', 'started'] as const satisfies readonly BulkImportStatus[];

/** Whether the import waits or runs; locks it until the end of the transaction. */
export async function holdBulkImport(tx: Transaction, id: number): Promise<boolean> {
  const held = await tx.$queryRaw<object[]>`
    SELECT id FROM bulk_imports WHERE id = ${id} AND token IS NOT NULL FOR UPDATE`;
  return held.length > 0;
}

/** Ends an import whose parts have ended, and forgets its token: it failed where each of them did. */
export async function finishBulkImport(db: Db, id: number): Promise<void> {
  await db.$executeRaw`
    UPDATE bulk_imports b SET token = NULL, continues_at = NULL, updated_at = now(), has_failures = e.failed > 0,
      status = CASE WHEN e.failed = e.entities THEN 'failed' ELSE 'finished' END::bulk_import_status
    FROM (SELECT count(*) AS entities, count(*) FILTER (WHERE status IN ('failed', 'timeout')) AS failed
      FROM bulk_import_entities WHERE bulk_import_id = ${id}) e
    WHERE b.id = ${id} AND b.token IS NOT NULL`;
}

/** Ends an import of which nothing more comes: what was not finished failed. Does nothing if it has ended. */
export async function failBulkImport(stores: EndingStores, id: number, message: string): Promise<void> {
  const isEnded = await abandon(stores, id, { status: 'failed', error: message }, (projectId) =>
    failRemoteImport(stores, projectId, message),
  );
  if (isEnded) await stores.db.bulkImport.update({ where: { id }, data: { hasFailures: true } });
}

/**
 * Cancels an import that has not ended: what was finished stays, and projects that were being filled are empty. For who asked for it, and
 * administrators. Returns its ID. Throws NotFound, and BadRequest for one that has ended.
 */
export async function cancelBulkImport(context: Context, id: number): Promise<number> {
  const actor = requireActor(context);
  const { db } = context;
  const where = actor.admin ? { id } : { id, userId: actor.id };
  const found = await db.bulkImport.findFirst({ where, select: { status: true } });
  if (!found) throw new NotFound('BulkImport');
  const isEnded = await abandon(context, id, { status: 'canceled', error: null }, (projectId) =>
    cancelRemoteImport(context, projectId),
  );
  if (isEnded) return id;
  const { status } = await db.bulkImport.findUniqueOrThrow({ where: { id }, select: { status: true } });
  throw new BadRequest(`The import cannot be canceled because it is ${status}`).asWrongState(status);
}

/** Ends what has not ended of an import; returns whether it had not ended. */
async function abandon(
  { db, repositories }: EndingStores,
  id: number,
  outcome: { status: 'failed' | 'canceled'; error: string | null },
  endProject: (projectId: number) => Promise<void>,
): Promise<boolean> {
  const ended = await db.$transaction(async (tx) => {
    if (!(await holdBulkImport(tx, id))) return null;
    const entities = await tx.bulkImportEntity.findMany({
      where: { bulkImportId: id, status: { in: [...UNDER_WAY] } },
      select: { id: true, projectId: true, storage: true },
    });
    await tx.bulkImportEntity.updateMany({
      where: { bulkImportId: id, status: { in: [...UNDER_WAY] } },
      data: { ...outcome, continuesAt: null },
    });
    await tx.bulkImport.update({ where: { id }, data: { status: outcome.status, token: null, continuesAt: null } });
    return entities;
  });
  if (ended === null) return false;
  for (const { id: entityId, projectId, storage } of ended) {
    if (projectId !== null) await endProject(projectId);
    if (storage !== null) await repositories.removeGroupStaging({ id: entityId, storage });
  }
  return true;
}
