import { authorize, DEVELOPER, MASTER } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { type BranchRow, findBranch } from '#src/domain/repository/branches/list.ts';
import { holdRule, requireUnprotecting } from '#src/domain/repository/protections/branches.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A branch, and whether its protection was not so before. */
interface ChangedBranch {
  branch: BranchRow;
  changed: boolean;
}

/** What developers may do with a protected branch: unset means no at first, and unchanged later. */
export interface ProtectionChanges {
  developersCanPush?: boolean | null | undefined;
  developersCanMerge?: boolean | null | undefined;
}

/** Protects a branch, or updates the protection of that name. Throws NotFound, Forbidden. */
export async function protectBranch(
  context: Context,
  ref: IdOrPath,
  name: string,
  { developersCanPush, developersCanMerge }: ProtectionChanges,
): Promise<ChangedBranch> {
  const { actor, project } = await administered(context, ref, name);
  const changed = await context.db.$transaction(async (tx) => {
    const created = await tx.$executeRaw`
      INSERT INTO protected_branches (project_id, name, developers_can_push, developers_can_merge)
      VALUES (${project.id}, ${name}, ${developersCanPush ?? false}, ${developersCanMerge ?? false}) ON CONFLICT DO NOTHING`;
    const rule = created === 0 ? await holdRule(tx, project.id, name) : null;
    if (rule === null) return created > 0;
    requireUnprotecting(rule, actor, project);
    const wanted = [
      ['push', developersCanPush],
      ['merge', developersCanMerge],
    ] as const;
    let rows = 0;
    for (const [action, allowed] of wanted) {
      if (allowed != null) rows += await setLevel(tx, rule.id, action, allowed ? DEVELOPER : MASTER);
    }
    return rows > 0;
  });
  return { branch: await findBranch(context, project, name), changed };
}

/** Removes the protection of a branch; a pattern may still protect it. `changed` is false if it has none. Throws NotFound, Forbidden. */
export async function unprotectBranch(context: Context, ref: IdOrPath, name: string): Promise<ChangedBranch> {
  const { actor, project } = await administered(context, ref, name);
  const changed = await context.db.$transaction(async (tx) => {
    const rule = await holdRule(tx, project.id, name);
    if (rule === null) return false;
    requireUnprotecting(rule, actor, project);
    await tx.protectedBranch.delete({ where: { id: rule.id } });
    return true;
  });
  return { branch: await findBranch(context, project, name), changed };
}

/** Makes an access level the only one; deploy keys stay. Returns how many rows that changed. */
async function setLevel(tx: Transaction, ruleId: number, action: 'push' | 'merge', level: number): Promise<number> {
  const gone = await tx.$executeRaw`DELETE FROM protected_branch_levels
    WHERE protected_branch_id = ${ruleId} AND action = ${action}::branch_action AND access_level <> ${level}`;
  const made = await tx.$executeRaw`INSERT INTO protected_branch_levels (protected_branch_id, action, access_level)
    VALUES (${ruleId}, ${action}::branch_action, ${level}) ON CONFLICT DO NOTHING`;
  return gone + made;
}

async function administered(context: Context, ref: IdOrPath, name: string) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_protected_branch', project);
  return { actor, project, branch: await findBranch(context, project, name) };
}
