import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

computedFields('Package', {
  distribution: ({ type, manifest }) => sql`CASE WHEN ${type} = 'debian' THEN ${manifest} ->> 'distribution' END`,
});
