import { Prisma } from './db.ts';

/** A point in time for comparison in the database. */
export function timestamp(date: Date): Prisma.Sql {
  return Prisma.sql`${date.toISOString()}::timestamptz`;
}
