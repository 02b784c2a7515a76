import { randomBytes } from 'node:crypto';
import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { LeftOutKind } from '#src/domain/group_archives/place.ts';
import { ARCHIVE } from '#src/domain/group_archives/place.ts';
import { requireSeldom } from '#src/domain/group_archives/rate.ts';
import { createGroup, requireMayCreate } from '#src/domain/groups/create.ts';
import type { GroupRow, IdOrPath } from '#src/domain/groups/find.ts';
import { requireFitting } from '#src/domain/project_archives/import_request.ts';
import { groupImportsStore } from '#src/domain/uploads/archives.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Fills a group from the archive that it is imported from. */
    'groups.import_archive': { groupId: number; userId: number };
  }
}

export interface WantedGroupImport {
  file: IncomingFile;
  name: string;
  path: string;
  /** The parent group, by ID or full path; the group is at the top without one. */
  parentId?: IdOrPath | null | undefined;
}

/** Archives that wait for their import belong to no group in the store. */
export const waiting = (secret: string): UploadLocation => ({ projectId: 0, secret, fileName: ARCHIVE });

/**
 * Creates a group of the actor, private for now, that is filled from an archive in the background. Returns its ID. Throws Forbidden,
 * NotFound for the parent, RateLimited, BadRequest, ContentTooLarge, ValidationFailed.
 */
export async function importGroup(context: Context, { file, ...wanted }: WantedGroupImport): Promise<number> {
  const { actor } = await requireMayCreate(context, wanted.parentId);
  requireSeldom(context, actor.id);
  await requireFitting(context, file);
  const secret = randomBytes(16).toString('hex');
  const store = groupImportsStore(context);
  await store.write(waiting(secret), file.stream(), file.size);
  try {
    const values = { ...wanted, name: wanted.name.trim(), path: wanted.path.trim(), visibility: 'private' as const };
    return await createGroup(context, values, async (tx, groupId) => {
      await tx.groupImport.create({ data: { groupId, userId: actor.id, secret } });
      await context.jobs.enqueue(tx, 'groups.import_archive', { groupId, userId: actor.id });
    });
  } catch (error) {
    if (!mayBeCommitted(error)) await store.remove(waiting(secret));
    throw error;
  }
}

/** Something that a group of an archive had and that is to be set up anew. */
export interface LeftOut {
  /** Full path of the group here. */
  group: string;
  kind: LeftOutKind;
  name: string;
}

/** How far the import of a group is. */
export interface GroupImportRow {
  status: 'none' | 'scheduled' | 'started' | 'finished' | 'failed';
  /** Why it failed, for owners; null if it did not. */
  error: string | null;
  /** For owners; empty for others. */
  leftOut: readonly LeftOut[];
}

const NONE: GroupImportRow = { status: 'none', error: null, leftOut: [] };

/** How far the imports of groups are, in their order. */
export async function findGroupImports({ db, actor }: Context, groups: readonly GroupRow[]): Promise<GroupImportRow[]> {
  const rows = await db.groupImport.findMany({ where: { groupId: { in: groups.map(({ id }) => id) } } });
  const byGroup = new Map(rows.map((row) => [row.groupId, row]));
  return groups.map((group) => {
    const row = byGroup.get(group.id);
    if (!row) return NONE;
    const status = row.state === 'queued' ? 'scheduled' : row.state;
    if (!can(actor, 'update_group', group)) return { ...NONE, status };
    return { status, error: row.error, leftOut: row.leftOut as unknown as LeftOut[] };
  });
}
