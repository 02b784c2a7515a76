import { Prisma } from '#src/platform/database/db.ts';
import { computedFields, type Tools } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

/** The newest version of a state, without what it holds. */
const newest = (id: Prisma.Sql, { lateral }: Tools) =>
  lateral(
    'newest',
    () => sql`SELECT v.serial, v.size, v.created_at, v.created_by_id FROM terraform_state_versions v WHERE v.state_id = ${id}
      ORDER BY v.serial DESC LIMIT 1`,
  );

computedFields('TerraformState', {
  versionsCount: ({ id }) => sql`(SELECT count(*)::int FROM terraform_state_versions tv WHERE tv.state_id = ${id})`,
  serial: ({ id }, tools) => sql`${newest(id, tools)}.serial::float8`,
  size: ({ id }, tools) => sql`${newest(id, tools)}.size`,
});
