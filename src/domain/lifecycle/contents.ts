import type { Context } from '#src/access/permissions/actor.ts';

/** How much there is in a project, which is gone with it. Sizes are in bytes. */
export interface ProjectContents {
  issues: number;
  mergeRequests: number;
  milestones: number;
  snippets: number;
  pipelines: number;
  releases: number;
  packages: number;
  containerTags: number;
  members: number;
  forks: number;
}

/** How much there is in a group and in those inside it, which is gone with it. Sizes are in bytes. */
export interface GroupContents {
  subgroups: number;
  projects: number;
  issues: number;
  mergeRequests: number;
  members: number;
  storageSize: number;
  repositorySize: number;
  lfsObjectsSize: number;
  jobArtifactsSize: number;
  packagesSize: number;
  containerRegistrySize: number;
  uploadsSize: number;
  wikiSize: number;
  snippetsSize: number;
}

/** The contents of projects, in the order of their IDs. */
export async function projectContents({ db }: Context, ids: readonly number[]): Promise<ProjectContents[]> {
  const rows = await db.$queryRaw<({ id: number } & ProjectContents)[]>`
    SELECT w.id,
      (SELECT count(*) FROM issues i WHERE i.project_id = w.id)::float8 AS issues,
      (SELECT count(*) FROM merge_requests m WHERE m.target_project_id = w.id)::float8 AS "mergeRequests",
      (SELECT count(*) FROM milestones m WHERE m.project_id = w.id)::float8 AS milestones,
      (SELECT count(*) FROM snippets s WHERE s.project_id = w.id)::float8 AS snippets,
      (SELECT count(*) FROM pipelines p WHERE p.project_id = w.id)::float8 AS pipelines,
      (SELECT count(*) FROM releases r WHERE r.project_id = w.id)::float8 AS releases,
      (SELECT count(*) FROM packages p WHERE p.project_id = w.id)::float8 AS packages,
      (SELECT count(*) FROM container_tags t JOIN container_repositories r ON r.id = t.repository_id
        WHERE r.project_id = w.id)::float8 AS "containerTags",
      (SELECT count(*) FROM members m WHERE m.project_id = w.id)::float8 AS members,
      (SELECT count(*) FROM projects f WHERE f.forked_from_id = w.id AND f.deleted_at IS NULL)::float8 AS forks
    FROM unnest(${[...ids]}::int[]) AS w (id)`;
  return inOrder(ids, rows);
}

/** The contents of groups, with those of the groups inside, in the order of their IDs. */
export async function groupContents({ db }: Context, ids: readonly number[]): Promise<GroupContents[]> {
  const rows = await db.$queryRaw<({ id: number } & Omit<GroupContents, 'storageSize'>)[]>`
    SELECT w.id,
      (SELECT count(*) - 1 FROM namespaces n WHERE n.lineage @> ARRAY[w.id] AND n.deleted_at IS NULL)::float8 AS subgroups,
      held.*,
      (SELECT count(DISTINCT m.user_id) FROM members m JOIN namespaces n ON n.id = m.namespace_id
        WHERE n.lineage @> ARRAY[w.id] AND n.deleted_at IS NULL)::float8 AS members
    FROM unnest(${[...ids]}::int[]) AS w (id) CROSS JOIN LATERAL (
      SELECT count(*)::float8 AS projects,
        COALESCE(sum((SELECT count(*) FROM issues i WHERE i.project_id = p.id)), 0)::float8 AS issues,
        COALESCE(sum((SELECT count(*) FROM merge_requests m WHERE m.target_project_id = p.id)), 0)::float8 AS "mergeRequests",
        COALESCE(sum(c.repository_size), 0)::float8 AS "repositorySize",
        COALESCE(sum(c.lfs_objects_size), 0)::float8 AS "lfsObjectsSize",
        COALESCE(sum(c.job_artifacts_size), 0)::float8 AS "jobArtifactsSize",
        COALESCE(sum(c.packages_size), 0)::float8 AS "packagesSize",
        COALESCE(sum(c.container_registry_size), 0)::float8 AS "containerRegistrySize",
        COALESCE(sum(c.uploads_size), 0)::float8 AS "uploadsSize",
        (COALESCE(sum(c.wiki_size), 0) + (SELECT COALESCE(sum(g.wiki_size), 0) FROM namespaces g
          WHERE g.lineage @> ARRAY[w.id] AND g.deleted_at IS NULL))::float8 AS "wikiSize",
        COALESCE(sum(c.snippets_size), 0)::float8 AS "snippetsSize"
      FROM namespaces n JOIN projects p ON p.namespace_id = n.id LEFT JOIN project_counters c ON c.project_id = p.id
      WHERE n.lineage @> ARRAY[w.id] AND p.deleted_at IS NULL) AS held`;
  return inOrder(
    ids,
    rows.map((row) => ({
      ...row,
      storageSize:
        row.repositorySize +
        row.lfsObjectsSize +
        row.jobArtifactsSize +
        row.packagesSize +
        row.containerRegistrySize +
        row.uploadsSize +
        row.wikiSize +
        row.snippetsSize,
    })),
  );
}

function inOrder<Row extends { id: number }>(ids: readonly number[], rows: readonly Row[]): Row[] {
  const known = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => known.get(id) ?? []);
}
