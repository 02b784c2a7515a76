import type { Db, Transaction } from '#src/platform/database/db.ts';

/** A protection of branches, and its exceptions for developers. */
export interface ProtectionRow {
  /** May contain `*`, which matches any text. */
  name: string;
  developersCanPush: boolean;
  developersCanMerge: boolean;
}

/** The combined protection of one branch. */
export interface Protection {
  protected: boolean;
  developersCanPush: boolean;
  developersCanMerge: boolean;
}

export function listProtections(db: Db | Transaction, projectId: number): Promise<ProtectionRow[]> {
  const select = { name: true, developersCanPush: true, developersCanMerge: true };
  return db.protectedBranch.findMany({ where: { projectId }, select, orderBy: { id: 'asc' } });
}

/** The protections of several projects, by their IDs, in one statement. */
export async function protectionsOf(
  db: Db | Transaction,
  projectIds: readonly number[],
): Promise<Map<number, ProtectionRow[]>> {
  const rows = await db.protectedBranch.findMany({
    where: { projectId: { in: [...projectIds] } },
    select: { projectId: true, name: true, developersCanPush: true, developersCanMerge: true },
    orderBy: { id: 'asc' },
  });
  return Map.groupBy(rows, ({ projectId }) => projectId);
}

/** The protection of a branch: if several names match, each may grant access to developers. */
export function protectionOf(protections: readonly ProtectionRow[], branch: string): Protection {
  const matching = protections.filter(({ name }) => matches(name, branch));
  return {
    protected: matching.length > 0,
    developersCanPush: matching.some(({ developersCanPush }) => developersCanPush),
    developersCanMerge: matching.some(({ developersCanMerge }) => developersCanMerge),
  };
}

/** Whether a name or pattern matches a branch. Takes time proportional to the product of both lengths at most. */
function matches(pattern: string, branch: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === branch;
  if (!branch.startsWith(first) || branch.length < first.length + last.length || !branch.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = branch.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= branch.length - last.length;
}
