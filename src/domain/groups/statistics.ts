import type { Context } from '#src/access/permissions/actor.ts';

/** The storage used by the projects directly in a group, in bytes. */
export interface GroupStatistics {
  storageSize: number;
  repositorySize: number;
  lfsObjectsSize: number;
  jobArtifactsSize: number;
  packagesSize: number;
  containerRegistrySize: number;
  uploadsSize: number;
  /** With the wiki of the group itself. */
  wikiSize: number;
  snippetsSize: number;
}

const NOTHING = {
  repositorySize: 0,
  lfsObjectsSize: 0,
  jobArtifactsSize: 0,
  packagesSize: 0,
  containerRegistrySize: 0,
  uploadsSize: 0,
  wikiSize: 0,
  snippetsSize: 0,
};

/** The statistics of groups, in the order of their IDs; null for all but administrators. */
export async function groupStatistics(
  { db, actor }: Context,
  ids: readonly number[],
): Promise<(GroupStatistics | null)[]> {
  if (!actor?.admin) return ids.map(() => null);
  const rows = await db.$queryRaw<({ id: number } & Omit<GroupStatistics, 'storageSize'>)[]>`
    SELECT wanted.id, COALESCE(sum(c.repository_size), 0)::float8 AS "repositorySize",
      COALESCE(sum(c.lfs_objects_size), 0)::float8 AS "lfsObjectsSize",
      COALESCE(sum(c.job_artifacts_size), 0)::float8 AS "jobArtifactsSize",
      COALESCE(sum(c.packages_size), 0)::float8 AS "packagesSize",
      COALESCE(sum(c.container_registry_size), 0)::float8 AS "containerRegistrySize",
      COALESCE(sum(c.uploads_size), 0)::float8 AS "uploadsSize",
      (COALESCE(sum(c.wiki_size), 0) + COALESCE((SELECT n.wiki_size FROM namespaces n WHERE n.id = wanted.id), 0))::float8
        AS "wikiSize",
      COALESCE(sum(c.snippets_size), 0)::float8 AS "snippetsSize"
    FROM unnest(${[...ids]}::int[]) AS wanted (id)
      LEFT JOIN projects p ON p.namespace_id = wanted.id AND p.deleted_at IS NULL
      LEFT JOIN project_counters c ON c.project_id = p.id
    GROUP BY wanted.id`;
  const known = new Map(rows.map(({ id, ...sizes }) => [id, sizes]));
  return ids.map((id) => {
    const sizes = known.get(id) ?? NOTHING;
    return { storageSize: Object.values(sizes).reduce((sum, size) => sum + size, 0), ...sizes };
  });
}
