import { DEVELOPER } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { findGroupsByIds } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** Users, groups and protected branches that one rule can name. */
export const MAX_NAMED = 100;

/** Whom a rule names, as it was given; what is absent stays as it is. */
export interface ApproversInput {
  userIds?: readonly number[] | null | undefined;
  usernames?: readonly string[] | null | undefined;
  groupIds?: readonly number[] | null | undefined;
  groupPaths?: readonly string[] | null | undefined;
  protectedBranchIds?: readonly number[] | null | undefined;
}

/** Whom a rule is to name; undefined where that stays as it is. */
export interface Approvers {
  userIds?: number[] | undefined;
  groupIds?: number[] | undefined;
  protectedBranchIds?: number[] | undefined;
}

/** The approvers that were given: developers of the project, groups that the actor sees, and protections of the project. Throws ValidationFailed. */
export async function resolveApprovers(
  context: Context,
  project: ProjectRow,
  { userIds, usernames, groupIds, groupPaths, protectedBranchIds }: ApproversInput,
): Promise<Approvers> {
  const wrong: FieldErrors = {};
  const given = {
    user_ids: userIds,
    usernames,
    group_ids: groupIds,
    group_paths: groupPaths,
    protected_branch_ids: protectedBranchIds,
  };
  for (const [name, list] of Object.entries(given))
    if (list && list.length > MAX_NAMED) wrong[name] = [`can have at most ${MAX_NAMED} entries`];
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
  const found: Approvers = {};
  if (userIds || usernames) found.userIds = await usersOf(context, project, userIds ?? [], usernames ?? [], wrong);
  if (groupIds || groupPaths) found.groupIds = await groupsOf(context, groupIds ?? [], groupPaths ?? [], wrong);
  if (protectedBranchIds) {
    const where = { projectId: project.id, id: { in: [...protectedBranchIds] } };
    const rows = await context.db.protectedBranch.findMany({ where, select: { id: true } });
    found.protectedBranchIds = rows.map(({ id }) => id);
    const missing = protectedBranchIds.find((id) => !found.protectedBranchIds?.includes(id));
    if (missing !== undefined) wrong.protected_branch_ids = [`has no protected branch ${missing} of this project`];
  }
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
  return found;
}

async function usersOf(
  { db }: Context,
  project: ProjectRow,
  ids: readonly number[],
  names: readonly string[],
  wrong: FieldErrors,
): Promise<number[]> {
  const lower = names.map((name) => name.replace(/^@/, '').toLowerCase());
  const level = projectAccessLevel(
    { id: sql`u.id` },
    { id: sql`p.id` },
    { ownerId: sql`n.owner_id`, lineage: sql`n.lineage` },
  );
  const found = await db.$queryRaw<{ id: number; name: string; isDeveloper: boolean }[]>(
    sql`SELECT u.id, lower(u.username) AS name, ${level} >= ${DEVELOPER} AS "isDeveloper"
      FROM users u JOIN projects p ON p.id = ${project.id} JOIN namespaces n ON n.id = p.namespace_id
      WHERE (u.id = ANY(${[...ids]}::int[]) OR lower(u.username) = ANY(${lower}::text[])) AND NOT u.ghost ORDER BY u.id`,
  );
  const usable = found.filter(({ isDeveloper }) => isDeveloper);
  const say = (what: string | number) => [`has no developer ${what} of this project`];
  const unknown = ids.find((id) => !usable.some((one) => one.id === id));
  const unnamed = lower.find((name) => !usable.some((one) => one.name === name));
  if (unknown !== undefined) wrong.user_ids = say(unknown);
  if (unnamed !== undefined) wrong.usernames = say(unnamed.slice(0, 80));
  return usable.map(({ id }) => id);
}

async function groupsOf(
  context: Context,
  ids: readonly number[],
  paths: readonly string[],
  wrong: FieldErrors,
): Promise<number[]> {
  const lower = paths.map((path) => path.toLowerCase());
  const named =
    lower.length === 0
      ? []
      : await context.db.$queryRaw<{ id: number }[]>`
          SELECT id FROM namespaces WHERE lower(full_path) = ANY(${lower}::text[]) AND deleted_at IS NULL`;
  const seen = await findGroupsByIds(context, [...ids, ...named.map(({ id }) => id)]);
  const unknown = ids.find((id) => !seen.some((one) => one.id === id));
  const unnamed = lower.find((path) => !seen.some((one) => one.fullPath.toLowerCase() === path));
  if (unknown !== undefined) wrong.group_ids = [`has no group ${unknown}`];
  if (unnamed !== undefined) wrong.group_paths = [`has no group ${unnamed.slice(0, 80)}`];
  return [...new Set(seen.map(({ id }) => id))];
}

/** Makes the approvers of a rule what they are to be. */
export async function writeApprovers(
  tx: Transaction,
  ruleId: number,
  { userIds, groupIds, protectedBranchIds }: Approvers,
): Promise<void> {
  if (userIds) {
    await tx.approvalRuleUser.deleteMany({ where: { ruleId, userId: { notIn: userIds } } });
    await tx.approvalRuleUser.createMany({ data: userIds.map((userId) => ({ ruleId, userId })), skipDuplicates: true });
  }
  if (groupIds) {
    await tx.approvalRuleGroup.deleteMany({ where: { ruleId, groupId: { notIn: groupIds } } });
    const data = groupIds.map((groupId) => ({ ruleId, groupId }));
    await tx.approvalRuleGroup.createMany({ data, skipDuplicates: true });
  }
  if (protectedBranchIds) {
    await tx.approvalRuleBranch.deleteMany({ where: { ruleId, protectedBranchId: { notIn: protectedBranchIds } } });
    const data = protectedBranchIds.map((protectedBranchId) => ({ ruleId, protectedBranchId }));
    await tx.approvalRuleBranch.createMany({ data, skipDuplicates: true });
  }
}
