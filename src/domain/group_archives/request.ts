import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { ARCHIVE } from '#src/domain/group_archives/place.ts';
import { requireSeldom } from '#src/domain/group_archives/rate.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { type ExportStatus, isThere, requireExports, statusOf } from '#src/domain/project_archives/kept.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { groupExportsStore } from '#src/domain/uploads/archives.ts';
import { openStored } from '#src/domain/uploads/content.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Makes the archive of a group that a user asked for. */
    'groups.export': { groupId: number; userId: number };
  }
}

/** How far the export of a group is that the caller asked for. */
export interface GroupExportRow {
  group: GroupRow;
  status: ExportStatus;
  /** Why it failed. */
  error: string | null;
  /** When the archive that can be downloaded was finished; null without one. */
  finishedAt: Date | null;
}

/**
 * Has an archive of a group and the groups in it made in the background, for owners, in place of the caller's last one. Nothing changes
 * while one is being made. Throws NotFound, Forbidden, RateLimited.
 */
export async function requestGroupExport(context: Context, ref: IdOrPath): Promise<GroupRow> {
  const { group, userId } = await exported(context, ref);
  requireSeldom(context, userId);
  const { id: groupId } = group;
  await context.db.$transaction(async (tx) => {
    const begun = await tx.$executeRaw`
      INSERT INTO group_exports (group_id, user_id) VALUES (${groupId}, ${userId})
      ON CONFLICT (group_id, user_id) DO UPDATE SET state = 'queued', attempts = 0, error = NULL
        WHERE group_exports.state NOT IN ('queued', 'started')`;
    if (begun > 0) await context.jobs.enqueue(tx, 'groups.export', { groupId, userId });
  });
  return group;
}

/** How far the caller's exports of groups are, in their order; an error for those of which the caller may make none. */
export async function findGroupExports(
  context: Context,
  groups: readonly GroupRow[],
): Promise<(GroupExportRow | NotFound | Forbidden)[]> {
  const { id: userId } = requireActor(context);
  await requireExports(context);
  const rows = await context.db.groupExport.findMany({
    where: { userId, groupId: { in: groups.map(({ id }) => id) } },
  });
  const byGroup = new Map(rows.map((row) => [row.groupId, row]));
  return groups.map((group) => {
    if (!can(context.actor, 'export_group', group)) return new Forbidden();
    const row = byGroup.get(group.id);
    return {
      group,
      status: row ? statusOf(row) : 'none',
      error: row?.error ?? null,
      finishedAt: row && isThere(row) ? row.finishedAt : null,
    };
  });
}

/** The archive that the caller's last finished export made. Throws NotFound, Forbidden. */
export async function readRawGroupExport(context: Context, { id }: { id: number }): Promise<RawContent> {
  const { group, userId } = await exported(context, id);
  const row = await context.db.groupExport.findUnique({ where: { groupId_userId: { groupId: group.id, userId } } });
  if (!row || !isThere(row)) throw new NotFound('Export');
  const place = { projectId: group.id, secret: row.secret ?? '', fileName: ARCHIVE };
  const facts = { resource: 'Export', size: Number(row.size), fileName: row.fileName ?? ARCHIVE };
  const content = await openStored(groupExportsStore(context), place, { ...facts, etag: `"${row.secret}"` });
  return { ...content, type: 'application/gzip' };
}

async function exported(context: Context, ref: IdOrPath): Promise<{ group: GroupRow; userId: number }> {
  const actor = requireActor(context);
  const group = await findGroup(context, ref);
  authorize(actor, 'export_group', group);
  await requireExports(context);
  return { group, userId: actor.id };
}
