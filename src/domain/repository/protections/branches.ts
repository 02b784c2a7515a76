import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import {
  changedLevels,
  type LevelInput,
  type LevelKind,
  newLevels,
  requireDeployKeys,
  requireFew,
  requireName,
  type StoredLevel,
} from '#src/domain/repository/protections/given_levels.ts';
import { type Level, reaches } from '#src/domain/repository/protections/levels.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { AlreadyExists, Forbidden, NotFound } from '#src/platform/errors.ts';

type Action = 'push' | 'merge' | 'unprotect';

const KINDS: Record<Action, LevelKind> = {
  push: { name: 'push_access_levels', deployKeys: true, nobody: true },
  merge: { name: 'merge_access_levels', deployKeys: false, nobody: true },
  unprotect: { name: 'unprotect_access_levels', deployKeys: false, nobody: false },
};
const ACTIONS = ['push', 'merge', 'unprotect'] as const;

/** Changes to a protection of branches; absent ones stay as they are. */
export interface BranchProtectionRuleChanges {
  allowForcePush?: boolean | null | undefined;
  codeOwnerApprovalRequired?: boolean | null | undefined;
  allowedToPush?: readonly LevelInput[] | null | undefined;
  allowedToMerge?: readonly LevelInput[] | null | undefined;
  allowedToUnprotect?: readonly LevelInput[] | null | undefined;
}

export interface NewBranchProtectionRule extends BranchProtectionRuleChanges {
  /** Of a branch, or a pattern with `*`. */
  name: string;
  pushAccessLevel?: number | null | undefined;
  mergeAccessLevel?: number | null | undefined;
  unprotectAccessLevel?: number | null | undefined;
}

/** A protection that is held until its transaction ends. */
export interface HeldRule {
  id: number;
  levels: readonly (StoredLevel & { action: Action })[];
}

/** Protects the branches with a name. Throws NotFound, Forbidden, Conflict, VALIDATION_FAILED. */
export async function createBranchProtectionRule(
  context: Context,
  ref: IdOrPath,
  input: NewBranchProtectionRule,
): Promise<ChangedRecord> {
  const { project } = await administered(context, ref);
  const { name } = input;
  requireName(name);
  const levels = {
    push: newLevels(KINDS.push, input.pushAccessLevel, input.allowedToPush),
    merge: newLevels(KINDS.merge, input.mergeAccessLevel, input.allowedToMerge),
    unprotect: newLevels(KINDS.unprotect, input.unprotectAccessLevel, input.allowedToUnprotect),
  };
  try {
    return await context.db.$transaction(async (tx) => {
      requireFew(await tx.protectedBranch.count({ where: { projectId: project.id } }));
      await requireDeployKeys(tx, project.id, KINDS.push, levels.push);
      const data = {
        projectId: project.id,
        name,
        allowForcePush: input.allowForcePush ?? false,
        codeOwnerApprovalRequired: input.codeOwnerApprovalRequired ?? false,
      };
      const { id } = await tx.protectedBranch.create({ data, select: { id: true } });
      const given = await levelsOf(tx, id);
      for (const action of ACTIONS) await keep(tx, id, action, given.filter(of(action)), levels[action]);
      await audit(tx, context, { action: 'protected_branch_created', ...audited(project, { id, name }) });
      return { project, id };
    });
  } catch (error) {
    if (violates(error, 'name'))
      throw new AlreadyExists(
        `Protected branch '${name}' already exists`,
        { type: 'BranchProtectionRule', name },
        'name',
      );
    throw error;
  }
}

/** Changes a protection. Throws NotFound, Forbidden, VALIDATION_FAILED. */
export async function updateBranchProtectionRule(
  context: Context,
  ref: IdOrPath,
  name: string,
  changes: BranchProtectionRuleChanges,
): Promise<ChangedRecord> {
  const { actor, project } = await administered(context, ref);
  return context.db.$transaction(async (tx) => {
    const rule = await heldRule(tx, project, actor, name);
    const event = { action: 'protected_branch_updated', ...audited(project, { id: rule.id, name }) } as const;
    const whole = await rowBefore(tx, 'ProtectedBranch', rule.id);
    const given = {
      push: changes.allowedToPush,
      merge: changes.allowedToMerge,
      unprotect: changes.allowedToUnprotect,
    };
    for (const action of ACTIONS) {
      const before = rule.levels.filter(of(action));
      const levels = changedLevels(KINDS[action], before, given[action]);
      await requireDeployKeys(tx, project.id, KINDS[action], levels);
      await keep(tx, rule.id, action, before, levels);
      const [from, to] = [inWords(before), inWords(levels)];
      if (from !== to) await audit(tx, context, { ...event, attribute: `${action}_access_levels`, from, to });
    }
    const { allowForcePush, codeOwnerApprovalRequired } = changes;
    const data = {
      ...(allowForcePush != null && { allowForcePush }),
      ...(codeOwnerApprovalRequired != null && { codeOwnerApprovalRequired }),
    };
    if (Object.keys(data).length > 0) await tx.protectedBranch.update({ where: { id: rule.id }, data });
    await auditChanges(tx, context, event, whole);
    return { project, id: rule.id };
  });
}

/** Removes a protection. Throws NotFound, Forbidden. */
export async function deleteBranchProtectionRule(context: Context, ref: IdOrPath, name: string): Promise<void> {
  const { actor, project } = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    const { id } = await heldRule(tx, project, actor, name);
    await tx.protectedBranch.delete({ where: { id } });
    await audit(tx, context, { action: 'protected_branch_deleted', ...audited(project, { id, name }) });
  });
}

function audited({ id: projectId }: ProjectRow, rule: { id: number; name: string }) {
  return { place: { projectId }, target: { type: 'ProtectedBranch' as const, ...rule } };
}

/** Levels as the audit log has them: `40, deploy key 7`. */
function inWords(levels: readonly Level[]): string {
  return levels
    .map(({ accessLevel, deployKeyId }) => (deployKeyId === null ? `${accessLevel}` : `deploy key ${deployKeyId}`))
    .sort()
    .join(', ');
}

/** Throws Forbidden for those whom a protection does not let change or remove it. */
export function requireUnprotecting({ levels }: HeldRule, actor: Actor, project: ProjectRow): void {
  const mayUnprotect = levels.some(
    ({ action, accessLevel }) => action === 'unprotect' && accessLevel !== null && reaches(accessLevel, actor, project),
  );
  if (!mayUnprotect) throw new Forbidden();
}

/** The named protection, locked until the transaction ends; null if there is none. */
export async function holdRule(tx: Transaction, projectId: number, name: string): Promise<HeldRule | null> {
  const [rule] = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM protected_branches WHERE project_id = ${projectId} AND name = ${name} FOR UPDATE`;
  return rule ? { id: rule.id, levels: await levelsOf(tx, rule.id) } : null;
}

function levelsOf(tx: Transaction, protectedBranchId: number) {
  const select = { id: true, action: true, accessLevel: true, deployKeyId: true };
  return tx.protectedBranchLevel.findMany({ where: { protectedBranchId }, select, orderBy: { id: 'asc' } });
}

async function heldRule(tx: Transaction, project: ProjectRow, actor: Actor, name: string): Promise<HeldRule> {
  const rule = name.includes('\0') ? null : await holdRule(tx, project.id, name);
  if (rule === null) throw new NotFound('BranchProtectionRule');
  requireUnprotecting(rule, actor, project);
  return rule;
}

function of(action: Action) {
  return (level: { action: Action }) => level.action === action;
}

/** Makes the levels of an action what they are to be. Those that stay keep their IDs. */
async function keep(
  tx: Transaction,
  protectedBranchId: number,
  action: Action,
  before: readonly StoredLevel[],
  levels: readonly StoredLevel[],
): Promise<void> {
  const isSame = (one: StoredLevel) => (other: StoredLevel) =>
    one.accessLevel === other.accessLevel && one.deployKeyId === other.deployKeyId;
  const ids = new Set(levels.map(({ id }) => id));
  const left = before.filter(({ id }) => !ids.has(id));
  // One that is left out and given again is the same.
  const added = levels.filter((one) => one.id === null && !left.some(isSame(one)));
  const gone = left.filter((one) => !levels.some((other) => other.id === null && isSame(one)(other)));
  const changed = levels.filter((one) => before.some((other) => other.id === one.id && !isSame(one)(other)));
  // Those that change are removed first, as they may take each other's places.
  const removed = [...gone, ...changed].flatMap(({ id }) => id ?? []);
  if (removed.length > 0) await tx.protectedBranchLevel.deleteMany({ where: { id: { in: removed } } });
  const data = [...changed, ...added].map(({ id, accessLevel, deployKeyId }) => {
    return { ...(id !== null && { id }), protectedBranchId, action, accessLevel, deployKeyId };
  });
  if (data.length > 0) await tx.protectedBranchLevel.createMany({ data });
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_protected_branch', project);
  return { actor, project };
}
