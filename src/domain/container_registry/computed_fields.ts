import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

computedFields('ContainerRepository', {
  projectFullPath: ({ projectId }) => sql`(SELECT cn.full_path || '/' || cp.path FROM projects cp
    JOIN namespaces cn ON cn.id = cp.namespace_id WHERE cp.id = ${projectId})`,
  tagsCount: ({ id }) => sql`(SELECT count(*)::int FROM container_tags ct WHERE ct.repository_id = ${id})`,
  size: ({ id }) => sql`(SELECT COALESCE(sum(cb.size), 0)::float8 FROM container_repository_blobs cl
    JOIN container_blobs cb ON cb.id = cl.blob_id WHERE cl.repository_id = ${id})`,
});
