import { Prisma } from '#src/platform/database/db.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;

// The limit has PostgreSQL look each up by its index, instead of reading all jobs that run.
computedFields('Runner', {
  isBusy: ({ id }) =>
    sql`((SELECT 1 FROM jobs bj WHERE bj.runner_id = ${id} AND bj.status IN ('running', 'canceling') LIMIT 1) IS NOT NULL)`,
});
computedFields('RunnerManager', {
  isBusy: ({ id }) =>
    sql`((SELECT 1 FROM jobs bj WHERE bj.manager_id = ${id} AND bj.status IN ('running', 'canceling') LIMIT 1) IS NOT NULL)`,
});
