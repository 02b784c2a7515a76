import type { Subject } from '#src/domain/changes/change.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** Its table, and the condition under which a row of it is live. */
const TABLES = {
  Issue: { table: sql`issues`, live: sql`deleted_at IS NULL` },
  MergeRequest: { table: sql`merge_requests`, live: sql`TRUE` },
};

/**
 * Marks an issue or merge request as changed, and with that waits for whoever else changes it. Throws NotFound when it is gone.
 */
export async function touchSubject(tx: Transaction, { type, id }: Pick<Subject, 'type' | 'id'>): Promise<void> {
  const { table, live } = TABLES[type];
  const touched = await tx.$executeRaw`UPDATE ${table} SET updated_at = now() WHERE id = ${id} AND ${live}`;
  if (touched === 0) throw new NotFound(type);
}
