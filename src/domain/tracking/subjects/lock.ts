import type { Subject } from '#src/domain/changes/change.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** Its table, and the condition for rows that are not deleted. */
const TABLES = {
  Issue: { table: sql`issues`, live: sql`deleted_at IS NULL` },
  MergeRequest: { table: sql`merge_requests`, live: sql`TRUE` },
};

/** Marks an issue or merge request as changed, which also locks it. Throws NotFound if it is gone. */
export async function touchSubject(tx: Transaction, { type, id }: Pick<Subject, 'type' | 'id'>): Promise<void> {
  const { table, live } = TABLES[type];
  const touched = await tx.$executeRaw`UPDATE ${table} SET updated_at = now() WHERE id = ${id} AND ${live}`;
  if (touched === 0) throw new NotFound(type);
}
