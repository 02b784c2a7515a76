import { statfs } from 'node:fs/promises';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';

/** A storage of repositories, with what is recorded of the projects there; sizes in bytes. */
export interface Storage {
  name: string;
  projects: number;
  repositorySize: number;
  lfsObjectsSize: number;
  jobArtifactsSize: number;
  packagesSize: number;
  containerRegistrySize: number;
  uploadsSize: number;
  /** Of projects and groups. */
  wikiSize: number;
  /** Of projects and personal ones. */
  snippetsSize: number;
  /** Of its disk; null where it cannot be asked. */
  freeSpace: number | null;
  totalSpace: number | null;
}

type Recorded = Omit<Storage, 'freeSpace' | 'totalSpace'>;

/** The storages by name, also those that only projects still name, for administrators. */
export async function listStorages(context: Context): Promise<Storage[]> {
  requireAdmin(context);
  const { repositories } = context;
  const rows = await context.db.$queryRaw<Recorded[]>`
    SELECT wanted.name, count(p.id)::int AS projects, COALESCE(sum(c.repository_size), 0)::float8 AS "repositorySize",
      COALESCE(sum(c.lfs_objects_size), 0)::float8 AS "lfsObjectsSize",
      COALESCE(sum(c.job_artifacts_size), 0)::float8 AS "jobArtifactsSize",
      COALESCE(sum(c.packages_size), 0)::float8 AS "packagesSize",
      COALESCE(sum(c.container_registry_size), 0)::float8 AS "containerRegistrySize",
      COALESCE(sum(c.uploads_size), 0)::float8 AS "uploadsSize",
      (COALESCE(sum(c.wiki_size), 0) + COALESCE((
        SELECT sum(n.wiki_size) FROM namespaces n WHERE n.wiki_storage = wanted.name), 0))::float8 AS "wikiSize",
      COALESCE((SELECT sum(s.repository_size) FROM snippets s WHERE s.repository_storage = wanted.name), 0)::float8
        AS "snippetsSize"
    FROM (SELECT unnest(${repositories.storages}::text[]) AS name UNION SELECT repository_storage FROM projects) AS wanted
      LEFT JOIN projects p ON p.repository_storage = wanted.name LEFT JOIN project_counters c ON c.project_id = p.id
    GROUP BY wanted.name ORDER BY wanted.name`;
  return Promise.all(rows.map(async (row) => ({ ...row, ...(await spaceOf(repositories.root(row.name))) })));
}

async function spaceOf(directory: string | undefined): Promise<Pick<Storage, 'freeSpace' | 'totalSpace'>> {
  const found = directory === undefined ? null : await statfs(directory).catch(() => null);
  if (!found) return { freeSpace: null, totalSpace: null };
  return { freeSpace: found.bavail * found.bsize, totalSpace: found.blocks * found.bsize };
}
