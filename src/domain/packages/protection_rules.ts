import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { PackageType } from '#src/domain/packages/types.ts';
import { type ChangedRecord, projectScoped } from '#src/domain/projects/project_scoped.ts';
import { matches } from '#src/domain/repository/protections/matches.ts';
import { patternRules } from '#src/domain/repository/protections/pattern_rules.ts';
import { type Doer, hasRole, type RuleRoles } from '#src/domain/repository/protections/roles.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';

/** The rules of a project about packages, for masters. */
export const packageRules = projectScoped({ ability: 'admin_package', rows: alias('PackagesProtectionRule', 'ppr') });

const commands = patternRules<{ packageType: PackageType; packageNamePattern: string }>({
  ...{ model: 'PackagesProtectionRule', ability: 'admin_package', action: 'packages_protection_rule' },
  table: (tx) => tx.packagesProtectionRule as never,
  ...{ pattern: ({ packageNamePattern }) => packageNamePattern, parameter: 'package_name_pattern' },
});

/** What a rule says; what is left out stays as it is. */
export interface PackageRuleChanges extends RuleRoles {
  packageType?: PackageType | null | undefined;
  /** Of whole names, with `*` for any text. */
  packageNamePattern?: string | null | undefined;
}

/** Protects packages of a kind with names that match a pattern. Throws NotFound, Forbidden, ValidationFailed. */
export function createPackageRule(
  context: Context,
  ref: IdOrPath,
  given: PackageRuleChanges & { packageType: PackageType; packageNamePattern: string },
): Promise<ChangedRecord> {
  const { packageType, packageNamePattern } = given;
  return commands.create(context, ref, { packageType, packageNamePattern }, given);
}

/** Changes a rule about packages. Throws NotFound, Forbidden, ValidationFailed. */
export function updatePackageRule(
  context: Context,
  ref: IdOrPath,
  id: number,
  given: PackageRuleChanges,
): Promise<ChangedRecord> {
  const change = (known: { packageType: PackageType; packageNamePattern: string }) => ({
    packageType: given.packageType ?? known.packageType,
    packageNamePattern: given.packageNamePattern ?? known.packageNamePattern,
  });
  return commands.update(context, ref, id, change, given);
}

/** Removes a rule about packages. Returns its ID. Throws NotFound, Forbidden. */
export const deletePackageRule = commands.remove;

/** Throws Forbidden if a rule of the project keeps the actor from publishing, or from deleting, packages of this name. */
export async function requireUnprotected(
  db: Pick<Db | Transaction, 'packagesProtectionRule'>,
  doer: Doer,
  what: 'push' | 'delete',
  { type, name }: { type: PackageType; name: string },
): Promise<void> {
  const where = { projectId: doer.project.id, packageType: type };
  for (const rule of await db.packagesProtectionRule.findMany({ where })) {
    const role = what === 'push' ? rule.minimumAccessLevelForPush : rule.minimumAccessLevelForDelete;
    if (role === null || hasRole(role, doer) || !matches(rule.packageNamePattern, name)) continue;
    throw new Forbidden(`The package ${name} is protected`);
  }
}
