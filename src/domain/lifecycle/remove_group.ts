import { type Removal, removeProject } from '#src/domain/lifecycle/remove_project.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes a namespace that is marked as deleted, with everything in it. */
    'namespaces.remove': { namespaceId: number };
  }
}

/** Removes a namespace that is marked as deleted, with its projects and groups. Does nothing for others. */
export async function removeNamespace(removal: Removal, namespaceId: number): Promise<void> {
  const { db } = removal;
  // Records that were added during the deletion are removed with the rest.
  await db.$executeRaw`
    UPDATE projects SET deleted_at = now() WHERE deleted_at IS NULL AND namespace_id IN (
      SELECT id FROM namespaces WHERE lineage @> ARRAY[${namespaceId}]::int[] AND deleted_at IS NOT NULL)`;
  const namespaces = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM namespaces WHERE lineage @> ARRAY[${namespaceId}]::int[] AND deleted_at IS NOT NULL
    ORDER BY cardinality(lineage) DESC, id`;
  for (const { id } of namespaces) {
    const projects = await db.project.findMany({
      where: { namespaceId: id },
      select: { id: true },
      orderBy: { id: 'asc' },
    });
    for (const project of projects) await removeProject(removal, project.id);
    await db.$executeRaw`
      DELETE FROM subscriptions WHERE subject_type = 'Label' AND subject_id IN (SELECT id FROM labels WHERE group_id = ${id})`;
    await db.namespace.deleteMany({ where: { id, deletedAt: { not: null } } });
  }
}
