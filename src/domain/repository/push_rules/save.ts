import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { type Owner, type OwnerRef, requireOwner } from '#src/domain/projects/owner.ts';
import type { PushRuleRow } from '#src/domain/repository/push_rules/find.ts';
import { requireValidPatterns } from '#src/domain/repository/push_rules/patterns.ts';
import { violates } from '#src/platform/database/db.ts';
import { BadRequest, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** The columns that hold regular expressions. */
const PATTERNS = [
  'commitMessageRegex',
  'commitMessageNegativeRegex',
  'branchNameRegex',
  'authorEmailRegex',
  'fileNameRegex',
] as const;

/** What a rule asks; null and undefined leave it as it is. */
export type PushRuleValues = {
  [Name in Exclude<keyof PushRuleRow, 'id' | 'projectId' | 'groupId' | 'createdAt' | 'updatedAt'>]?:
    | PushRuleRow[Name]
    | null
    | undefined;
};

/** Megabytes of the largest file that can be named. */
export const MAX_FILE_SIZE = 1_000_000;

const NEEDED = { project: 'admin_push_rule', group: 'admin_group_push_rule' } as const;

/** A rule that was changed, for reading it back. */
export interface ChangedRule {
  place: Owner;
  id: number;
}

/** Gives a project or group a rule. Throws NotFound, Forbidden, ValidationFailed, and BadRequest if it has one. */
export async function createPushRule(context: Context, ref: OwnerRef, values: PushRuleValues): Promise<ChangedRule> {
  const place = await requireOwner(context, ref, NEEDED);
  const columns = checked(values);
  try {
    return await context.db.$transaction(async (tx) => {
      const { id } = await tx.pushRule.create({ data: { ...columns, ...columnsOf(place) }, select: { id: true } });
      await audit(tx, context, { action: 'push_rule_created', ...audited(place, { id }) });
      return { place, id };
    });
  } catch (error) {
    if (violates(error, 'project_id') || violates(error, 'group_id'))
      throw new BadRequest('There is a push rule already', undefined, 'pushRuleExists').asExisting();
    throw error;
  }
}

/** Changes the rule of a project or group. Throws NotFound, also if it has none, Forbidden, ValidationFailed. */
export async function updatePushRule(context: Context, ref: OwnerRef, values: PushRuleValues): Promise<ChangedRule> {
  const place = await requireOwner(context, ref, NEEDED);
  const columns = checked(values);
  return context.db.$transaction(async (tx) => {
    const known = await tx.pushRule.findFirst({ where: columnsOf(place), select: { id: true } });
    if (!known) throw new NotFound('PushRule');
    const before = await rowBefore(tx, 'PushRule', known.id);
    await tx.pushRule.update({ where: { id: known.id }, data: columns });
    await auditChanges(tx, context, { action: 'push_rule_updated', ...audited(place, known) }, before);
    return { place, id: known.id };
  });
}

/** Removes the rule of a project or group. Returns its ID. Throws NotFound, also if it has none, Forbidden. */
export async function deletePushRule(context: Context, ref: OwnerRef): Promise<{ id: number }> {
  const place = await requireOwner(context, ref, NEEDED);
  return context.db.$transaction(async (tx) => {
    const row = await tx.pushRule.findFirst({ where: columnsOf(place), select: { id: true } });
    const { count } = row ? await tx.pushRule.deleteMany({ where: { id: row.id } }) : { count: 0 };
    if (!row || count === 0) throw new NotFound('PushRule');
    await audit(tx, context, { action: 'push_rule_deleted', ...audited(place, row) });
    return row;
  });
}

function columnsOf({ project, group }: Owner) {
  return project ? { projectId: project.id } : { groupId: group.id };
}

function audited({ project, group }: Owner, { id }: { id: number }) {
  return {
    place: project ? { projectId: project.id } : { groupId: group.id },
    target: { type: 'PushRule', id },
  } as const;
}

/** The columns of what was given. Throws ValidationFailed. */
function checked(values: PushRuleValues) {
  const given = Object.entries(values).filter(([, value]) => value != null);
  const columns = Object.fromEntries(given) as { [Name in keyof PushRuleValues]: NonNullable<PushRuleValues[Name]> };
  const { maxFileSize: size } = columns;
  if (size !== undefined && (size < 0 || size > MAX_FILE_SIZE))
    throw new ValidationFailed({ max_file_size: [`must be between 0 and ${MAX_FILE_SIZE}`] });
  requireValidPatterns(Object.fromEntries(PATTERNS.map((name) => [name, columns[name] ?? ''])));
  return columns;
}
