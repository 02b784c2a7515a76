import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

computedFields('Milestone', {
  placePath: ({ projectId, groupId }) => sql`COALESCE(
    (SELECT n.full_path || '/' || p.path FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ${projectId}),
    (SELECT 'groups/' || n.full_path FROM namespaces n WHERE n.id = ${groupId}))`,
});
