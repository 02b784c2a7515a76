import { matchingWhole } from '#src/domain/repository/branches/match_whole.ts';
import { type Doer, hasRole, type ProtectionRole } from '#src/domain/repository/protections/roles.ts';
import type { ContainerTagProtectionRule } from '#src/generated/prisma/client.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { Forbidden, Unavailable } from '#src/platform/errors.ts';

/** From which role on a rule may let users push or delete. */
export type TagRuleRole = ProtectionRole;

type Reader = Pick<Db | Transaction, 'containerTagProtectionRule'>;

/** Tags by what the rules of their project say of them. */
interface Matched {
  rule: ContainerTagProtectionRule;
  names: readonly string[];
}

/** The rules of a project that match some of these tags. Throws BadRequest, Unavailable, LimitReached. */
async function rulesFor(db: Reader, projectId: number, names: readonly string[]): Promise<Matched[]> {
  const rules = names.length === 0 ? [] : await db.containerTagProtectionRule.findMany({ where: { projectId } });
  const found: Matched[] = [];
  const tags = names.map((name) => ({ name }));
  for (const rule of rules) {
    const matching = await matchingWhole(tags, rule.tagNamePattern, 'tag_name_pattern', `project ${projectId}`);
    if (matching.length > 0) found.push({ rule, names: matching.map(({ name }) => name) });
  }
  return found;
}

/** Whether a tag stays as it is once it is there. Throws Forbidden for who may not push it, and as `rulesFor`. */
export async function requirePushable(
  db: Reader,
  { actor, project }: Doer,
  name: string,
): Promise<{ isImmutable: boolean }> {
  let isImmutable = false;
  for (const { rule } of await rulesFor(db, project.id, [name])) {
    const role = rule.minimumAccessLevelForPush;
    if (role === null) isImmutable = true;
    else if (!hasRole(role, { actor, project })) throw new Forbidden(`The tag ${name} is protected`);
  }
  return { isImmutable };
}

/** Throws Forbidden unless the actor may delete all of these tags, and as `rulesFor`. */
export async function requireDeletable(db: Reader, { actor, project }: Doer, names: readonly string[]): Promise<void> {
  for (const { rule, names: matching } of await rulesFor(db, project.id, names)) {
    const role = rule.minimumAccessLevelForDelete;
    if (role === null) throw new Forbidden(`The tag ${matching[0]} cannot be deleted: it is immutable`);
    if (!hasRole(role, { actor, project })) throw new Forbidden(`The tag ${matching[0]} is protected`);
  }
}

/** Which tags of a repository: all of it, or those that lead to a manifest. */
interface WhichTags {
  repositoryId: number;
  manifestId?: number;
}

/**
 * The names of tags, all of which the actor may delete; null where the project has no rules, so that any tag may be deleted. Throws
 * Forbidden, and as `rulesFor`.
 */
export async function deletableTags(db: Db, doer: Doer, which: WhichTags): Promise<ReadonlySet<string> | null> {
  if ((await db.containerTagProtectionRule.count({ where: { projectId: doer.project.id } })) === 0) return null;
  const names = await namesOf(db, doer.project.id, which);
  await requireDeletable(db, doer, names);
  return new Set(names);
}

/** Throws Unavailable if tags came since their names were read. The size of the project must be locked, so that none comes any more. */
export async function requireNoOther(
  tx: Transaction,
  projectId: number,
  which: WhichTags,
  known: ReadonlySet<string> | null,
): Promise<void> {
  if (known === null || (await namesOf(tx, projectId, which)).every((name) => known.has(name))) return;
  throw new Unavailable('The image was pushed at this moment. Try again.', 1);
}

async function namesOf(db: Pick<Db, 'containerTag'>, projectId: number, which: WhichTags): Promise<string[]> {
  const tags = await db.containerTag.findMany({
    where: { ...which, repository: { projectId } },
    select: { name: true },
  });
  return tags.map(({ name }) => name);
}

/** The tags that no rule matches, which many can be deleted of at once. Throws as `rulesFor`. */
export async function withoutProtected<T extends { name: string }>(
  db: Reader,
  projectId: number,
  tags: readonly T[],
): Promise<readonly T[]> {
  const found = await rulesFor(
    db,
    projectId,
    tags.map(({ name }) => name),
  );
  const isProtected = new Set(found.flatMap(({ names }) => names));
  return tags.filter(({ name }) => !isProtected.has(name));
}
