import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Whether the pipeline `l` is of a protected branch or tag; those of merge requests are not. */
export const ofProtectedRef = sql`(l.merge_request_id IS NULL AND CASE WHEN l.tag
  THEN EXISTS (SELECT 1 FROM protected_tags pt WHERE pt.project_id = l.project_id AND ${matching(sql`pt.name`)})
  ELSE EXISTS (SELECT 1 FROM protected_branches pb WHERE pb.project_id = l.project_id AND ${matching(sql`pb.name`)}) END)`;

/** Whether a name, in which `*` stands for any text, matches the ref of the pipeline. */
function matching(name: Prisma.Sql): Prisma.Sql {
  const escaped = sql`replace(replace(replace(${name}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;
  return sql`l.ref LIKE replace(${escaped}, '*', '%')`;
}
