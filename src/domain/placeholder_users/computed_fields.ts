import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

computedFields('ImportSourceUser', {
  membershipCount: ({ id }) =>
    sql`(SELECT count(*)::int FROM import_source_memberships sm WHERE sm.source_user_id = ${id})`,
});
