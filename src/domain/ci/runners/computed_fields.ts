import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

computedFields('Runner', {
  isBusy: ({ id }) =>
    sql`EXISTS (SELECT 1 FROM jobs bj WHERE bj.runner_id = ${id} AND bj.status IN ('running', 'canceling'))`,
});
computedFields('RunnerManager', {
  isBusy: ({ id }) =>
    sql`EXISTS (SELECT 1 FROM jobs bj WHERE bj.manager_id = ${id} AND bj.status IN ('running', 'canceling'))`,
});
