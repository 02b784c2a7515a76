import { type Db, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** How a hook chooses the branches of which it is told. */
export const BRANCH_FILTER_STRATEGIES = ['wildcard', 'regex', 'all_branches'] as const;

export type BranchFilterStrategy = (typeof BRANCH_FILTER_STRATEGIES)[number];

const MAX_FILTER_LENGTH = 255;

/** What a regular expression has that takes long, and that the expressions of other servers do not have either. */
const BACKTRACKING = /\\[1-9]|\(\?(?:[=!<]|P)|^\*\*\*/;

/** Whether the database can match branches by it: a push must never fail for it. */
export async function isBranchFilter(db: Db, strategy: string, filter: string): Promise<boolean> {
  if (filter.length > MAX_FILTER_LENGTH || filter.includes('\0')) return false;
  if (strategy !== 'regex') return true;
  if (BACKTRACKING.test(filter)) return false;
  try {
    await db.$queryRaw(sql`SELECT 'main' ~ ${filter}::text AS matched`);
    return true;
  } catch {
    return false;
  }
}
