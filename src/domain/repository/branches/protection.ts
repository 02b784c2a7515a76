import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Which branches of a project are protected, and from whom not. */
export interface ProtectionRow {
  /** May hold `*`, which stands for any text. */
  name: string;
  developersCanPush: boolean;
  developersCanMerge: boolean;
}

/** What protects one branch. */
export interface Protection {
  protected: boolean;
  developersCanPush: boolean;
  developersCanMerge: boolean;
}

/** All protections of a project. */
export function listProtections(db: Db | Transaction, projectId: number): Promise<ProtectionRow[]> {
  const select = { name: true, developersCanPush: true, developersCanMerge: true };
  return db.protectedBranch.findMany({ where: { projectId }, select, orderBy: { id: 'asc' } });
}

/** How a branch is protected: where several names match it, each may let developers in. */
export function protectionOf(protections: readonly ProtectionRow[], branch: string): Protection {
  const matching = protections.filter(({ name }) => matches(name, branch));
  return {
    protected: matching.length > 0,
    developersCanPush: matching.some(({ developersCanPush }) => developersCanPush),
    developersCanMerge: matching.some(({ developersCanMerge }) => developersCanMerge),
  };
}

/** Whether a name is, or its wildcards stand for, the name of the branch. Takes time in proportion to both, at most. */
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
