import { type Db, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** How a hook chooses the branches of which it is told. */
export const BRANCH_FILTER_STRATEGIES = ['wildcard', 'regex', 'all_branches'] as const;

export type BranchFilterStrategy = (typeof BRANCH_FILTER_STRATEGIES)[number];

const MAX_FILTER_LENGTH = 255;

/** What takes long in a regular expression, or changes how it is read; the expressions of other servers do not have it either. */
const UNUSUAL = /\\[1-9]|\(\?(?!:|[cins]+\))|^\*\*\*/;

/** Parts of an expression, repeated ones as often as they are repeated: the database reads it within a push, and takes seconds for more. */
const MAX_PARTS = 500;

/** A number of repetitions, of a group or of one character. */
const REPETITION = /(\)?)\{(\d+)(?:,(\d*))?\}/g;

/** Whether the database can match branches by it: a push must never fail for it. */
export async function isBranchFilter(db: Db, strategy: string, filter: string): Promise<boolean> {
  if (filter.length > MAX_FILTER_LENGTH || filter.includes('\0')) return false;
  if (strategy !== 'regex') return true;
  if (UNUSUAL.test(filter) || partsOf(filter) > MAX_PARTS) return false;
  try {
    await db.$queryRaw(sql`SELECT 'main' ~ ${filter}::text AS matched`);
    return true;
  } catch {
    return false;
  }
}

/** No less than the parts of an expression: all that is before the end of a group counts as part of the group. */
function partsOf(expression: string): number {
  let [parts, end] = [0, 0];
  for (const { 0: written, 1: group = '', 2: least, 3: most, index } of expression.matchAll(REPETITION)) {
    const times = Math.max(Number(least), Number(most ?? 0)) + 1;
    parts += index + group.length - end;
    parts = group === '' ? parts + times : parts * times;
    end = index + written.length;
  }
  return parts + expression.length - end;
}
