import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { makeWorkDirectory } from '#src/base/work_directory.ts';
import { collectGroup } from '#src/domain/group_archives/collect.ts';
import { ARCHIVE } from '#src/domain/group_archives/place.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { ExportFailed, packArchive } from '#src/domain/project_archives/bundles.ts';
import { KEPT } from '#src/domain/project_archives/kept.ts';
import { groupExportsStore } from '#src/domain/uploads/archives.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { DomainError } from '#src/platform/errors.ts';

/** How often an export is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;

/**
 * Makes the archive of a group that the actor asked for, and removes the one before it. Does nothing unless one is wanted.
 *
 * @param options `stopping` is aborted when the server stops: the export is made at the next start
 */
export async function exportGroup(
  context: Context,
  groupId: number,
  { stopping }: { stopping?: AbortSignal | undefined },
): Promise<void> {
  const { db, imports } = context;
  const { id: userId } = requireActor(context);
  const [begun] = await db.$queryRaw<{ attempts: number; secret: string | null }[]>`
    UPDATE group_exports SET state = 'started', attempts = attempts + 1
    WHERE group_id = ${groupId} AND user_id = ${userId} AND state IN ('queued', 'started') RETURNING attempts, secret`;
  if (!begun) return;
  const where = { groupId, userId };
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([late, ...(stopping ? [stopping] : [])]);
  const store = groupExportsStore(context);
  const place: UploadLocation = { projectId: groupId, secret: randomBytes(16).toString('hex'), fileName: ARCHIVE };
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ExportFailed('The export was interrupted too often.');
    const done = await makeArchive(context, place, signal);
    const { count } = await db.groupExport.updateMany({ where, data: done });
    // The group was deleted meanwhile.
    if (count === 0) await store.remove(place);
    else if (begun.secret !== null) await store.remove({ projectId: groupId, secret: begun.secret });
  } catch (error) {
    // The job runs again, and does nothing if it is recorded that the archive is there.
    if (mayBeCommitted(error)) throw error;
    await store.remove(place);
    if (stopping?.aborted) throw error;
    const isExplained = error instanceof ExportFailed || error instanceof DomainError;
    const tooLong = `The export took longer than ${imports.timeout / 1000} seconds.`;
    const message = late.aborted ? tooLong : isExplained ? error.message : 'Something went wrong on the server.';
    await db.groupExport.updateMany({ where, data: { state: 'failed', error: message } });
    if (!isExplained && !late.aborted) throw error;
  }
}

/** Puts an archive into its place. Returns what is recorded of it. */
async function makeArchive(context: Context, place: UploadLocation, signal: AbortSignal) {
  const directory = await makeWorkDirectory('group');
  try {
    const group = await findGroup(context, place.projectId);
    if (!can(context.actor, 'export_group', group)) throw new ExportFailed('You may no longer export the group.');
    const archive = path.join(directory, ARCHIVE);
    await packArchive(context, await collectGroup(context, group, directory, signal), archive, signal);
    const { size } = await stat(archive);
    await groupExportsStore(context).write(place, createReadStream(archive), size);
    const fileName = `${new Date().toISOString().slice(0, 10)}_${group.path}_group_export.tar.gz`;
    return {
      ...{ state: 'finished' as const, error: null, secret: place.secret },
      ...{ fileName, size, finishedAt: new Date() },
    };
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes archives of groups a day after they were finished, and files that no export leads to. */
export async function expireGroupExports({ db, uploads }: Pick<Context, 'db' | 'uploads'>): Promise<void> {
  const store = groupExportsStore({ uploads });
  const before = new Date(Date.now() - KEPT);
  const old = { secret: { not: null }, finishedAt: { lt: before } };
  for (const { groupId, userId, secret } of await db.groupExport.findMany({ where: old })) {
    await store.remove({ projectId: groupId, secret: secret ?? '' });
    await db.groupExport.updateMany({ where: { groupId, userId, secret }, data: { secret: null } });
  }
  for await (const { projectId: groupId, secret, storedAt } of store.list()) {
    if (storedAt >= before) continue;
    if ((await db.groupExport.count({ where: { groupId, secret } })) === 0)
      await store.remove({ projectId: groupId, secret });
  }
}
