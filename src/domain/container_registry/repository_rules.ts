import type { Context } from '#src/access/permissions/actor.ts';
import { imagePath } from '#src/domain/container_registry/names.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type ChangedRecord, projectScoped } from '#src/domain/projects/project_scoped.ts';
import { matches } from '#src/domain/repository/protections/matches.ts';
import { patternRules } from '#src/domain/repository/protections/pattern_rules.ts';
import { type Doer, hasRole, type RuleRoles } from '#src/domain/repository/protections/roles.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';

/** The rules of a project about repositories of images, for masters. */
export const repositoryRules = projectScoped({
  ability: 'admin_container_image',
  rows: alias('ContainerProtectionRepositoryRule', 'cpr'),
});

const commands = patternRules<{ repositoryPathPattern: string }>({
  ...{ model: 'ContainerProtectionRepositoryRule', ability: 'admin_container_image' },
  action: 'container_protection_repository_rule',
  table: (tx) => tx.containerProtectionRepositoryRule as never,
  ...{ pattern: ({ repositoryPathPattern }) => repositoryPathPattern, parameter: 'repository_path_pattern' },
  wrong: ({ repositoryPathPattern: pattern }, { fullPath }): Record<string, string[]> =>
    isWithin(pattern, fullPath) ? {} : { repository_path_pattern: ["should start with the project's full path"] },
});

/** Whether a pattern is of repositories of the project alone. */
function isWithin(pattern: string, fullPath: string): boolean {
  const [own, whole] = [pattern.toLowerCase(), fullPath.toLowerCase()];
  return own === whole || own.startsWith(`${whole}/`) || own.startsWith(`${whole}*`);
}

/** What a rule says; what is left out stays as it is. */
export interface RepositoryRuleChanges extends RuleRoles {
  /** Of whole paths, which begin with that of the project, with `*` for any text. */
  repositoryPathPattern?: string | null | undefined;
}

/** Protects repositories of images with paths that match a pattern. Throws NotFound, Forbidden, ValidationFailed. */
export function createRepositoryRule(
  context: Context,
  ref: IdOrPath,
  given: RepositoryRuleChanges & { repositoryPathPattern: string },
): Promise<ChangedRecord> {
  return commands.create(context, ref, { repositoryPathPattern: given.repositoryPathPattern }, given);
}

/** Changes a rule about repositories of images. Throws NotFound, Forbidden, ValidationFailed. */
export function updateRepositoryRule(
  context: Context,
  ref: IdOrPath,
  id: number,
  given: RepositoryRuleChanges,
): Promise<ChangedRecord> {
  const change = (known: { repositoryPathPattern: string }) => ({
    repositoryPathPattern: given.repositoryPathPattern ?? known.repositoryPathPattern,
  });
  return commands.update(context, ref, id, change, given);
}

/** Removes a rule about repositories of images. Returns its ID. Throws NotFound, Forbidden. */
export const deleteRepositoryRule = commands.remove;

/** Throws Forbidden if a rule keeps the actor from pushing to a repository, or from deleting in it. */
export async function requireUnprotectedRepository(
  db: Pick<Db, 'containerProtectionRepositoryRule'>,
  doer: Doer & { project: Pick<ProjectRow, 'fullPath'> },
  what: 'push' | 'delete',
  name: string,
): Promise<void> {
  const path = imagePath(doer.project.fullPath, name);
  for (const rule of await db.containerProtectionRepositoryRule.findMany({ where: { projectId: doer.project.id } })) {
    const role = what === 'push' ? rule.minimumAccessLevelForPush : rule.minimumAccessLevelForDelete;
    if (role === null || hasRole(role, doer) || !matches(rule.repositoryPathPattern.toLowerCase(), path)) continue;
    throw new Forbidden(`The repository ${path} is protected`);
  }
}
