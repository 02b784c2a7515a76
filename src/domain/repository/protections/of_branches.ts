import { allows, type Level, letsDevelopers, type Pusher } from '#src/domain/repository/protections/levels.ts';
import { matches } from '#src/domain/repository/protections/matches.ts';
import { type Db, Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A protection of branches. */
export interface ProtectionRow {
  projectId: number;
  /** May contain `*`, which matches any text. */
  name: string;
  allowForcePush: boolean;
  levels: readonly BranchLevel[];
}

interface BranchLevel extends Level {
  action: 'push' | 'merge' | 'unprotect';
}

/** The combined protection of one branch. */
export interface Protection {
  protected: boolean;
  /** Who may push and merge; each is enough. */
  push: readonly Level[];
  merge: readonly Level[];
  allowForcePush: boolean;
  developersCanPush: boolean;
  developersCanMerge: boolean;
}

/** The protections of a project, in one statement. */
export function listProtections(db: Db | Transaction, projectId: number): Promise<ProtectionRow[]> {
  return read(db, [projectId]);
}

/** The protections of several projects, by their IDs, in one statement. */
export async function protectionsOf(
  db: Db | Transaction,
  projectIds: readonly number[],
): Promise<Map<number, ProtectionRow[]>> {
  return Map.groupBy(await read(db, projectIds), ({ projectId }) => projectId);
}

function read(db: Db | Transaction, projectIds: readonly number[]): Promise<ProtectionRow[]> {
  return queryJson<ProtectionRow[]>(
    db,
    sql`(SELECT COALESCE(json_agg(p), '[]') FROM (SELECT b.project_id AS "projectId", b.name, b.allow_force_push AS "allowForcePush",
      COALESCE(json_agg(json_build_object('action', l.action, 'accessLevel', l.access_level, 'deployKeyId', l.deploy_key_id))
        FILTER (WHERE l.id IS NOT NULL), '[]') AS levels
    FROM protected_branches b LEFT JOIN protected_branch_levels l ON l.protected_branch_id = b.id
    WHERE b.project_id = ANY(${[...projectIds]}::int[]) GROUP BY b.id ORDER BY b.id) p)`,
  );
}

/** The protection of a branch: if several names match, what one of them allows is allowed. */
export function protectionOf(protections: readonly ProtectionRow[], branch: string): Protection {
  const matching = protections.filter(({ name }) => matches(name, branch));
  const levels = matching.flatMap((protection) => protection.levels);
  const [push, merge] = (['push', 'merge'] as const).map((one) => levels.filter(({ action }) => action === one));
  return {
    protected: matching.length > 0,
    push: push ?? [],
    merge: merge ?? [],
    allowForcePush: matching.some(({ allowForcePush }) => allowForcePush),
    developersCanPush: letsDevelopers(push ?? []),
    developersCanMerge: letsDevelopers(merge ?? []),
  };
}

/** Whether somebody may merge into a branch with this protection, as those may who may push to it. */
export function mayPushOrMerge({ push, merge }: Protection, pusher: Pusher): boolean {
  return allows(push, pusher) || allows(merge, pusher);
}
