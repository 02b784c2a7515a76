import { MASTER } from '#src/access/permissions/abilities.ts';
import { type Level, NOBODY } from '#src/domain/repository/protections/levels.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';

/** A level as it was given: whom to let do something, or a change of the level with the ID. */
export interface LevelInput {
  id?: number | null | undefined;
  accessLevel?: number | null | undefined;
  deployKeyId?: number | null | undefined;
  userId?: number | null | undefined;
  groupId?: number | null | undefined;
  /** Whether to remove the level with the ID. */
  remove?: boolean | null | undefined;
}

/** A level of a protection that is in the database, or to be. */
export interface StoredLevel extends Level {
  /** Null for a new one. */
  id: number | null;
}

/** The levels that somebody names in messages, such as `push_access_levels`. */
export interface LevelKind {
  /** Name of the list in messages. */
  name: string;
  /** Whether deploy keys can be among them. */
  deployKeys: boolean;
  /** Whether nobody can be let do it. */
  nobody: boolean;
}

/** The levels of a new protection: those given, or that of masters. Throws VALIDATION_FAILED. */
export function newLevels(
  kind: LevelKind,
  accessLevel: number | null | undefined,
  given: readonly LevelInput[] | null | undefined,
): StoredLevel[] {
  const all = [...(accessLevel == null ? [] : [{ accessLevel }]), ...(given ?? []).map(({ id: _, ...level }) => level)];
  return changedLevels(kind, [], all.length > 0 ? all : [{ accessLevel: MASTER }]);
}

/** The levels after the changes. Throws VALIDATION_FAILED, and NotFound for the ID of no level. */
export function changedLevels(
  kind: LevelKind,
  kept: readonly StoredLevel[],
  given: readonly LevelInput[] | null | undefined,
): StoredLevel[] {
  const levels = new Map<number | symbol, StoredLevel>(kept.map((level) => [level.id ?? Symbol(), level]));
  for (const one of given ?? []) {
    const before = one.id == null ? null : levels.get(one.id);
    if (before === undefined) throw new NotFound('AccessLevel');
    if (before?.id != null && one.remove) levels.delete(before.id);
    else if (one.accessLevel != null || one.deployKeyId != null || !before) {
      levels.set(before?.id ?? Symbol(), { ...checked(kind, one), id: before?.id ?? null });
    }
  }
  requireDistinct(kind, [...levels.values()]);
  return [...levels.values()];
}

function checked({ name, deployKeys, nobody }: LevelKind, given: LevelInput): Level {
  const invalid = (message: string) => invalidRule({ [name]: [message] });
  const [accessLevel, deployKeyId] = [given.accessLevel ?? null, given.deployKeyId ?? null];
  if (given.userId != null || given.groupId != null) throw invalid('cannot name a user or a group');
  if (accessLevel === null && deployKeyId === null) throw invalid("access level can't be blank");
  if (accessLevel !== null && deployKeyId !== null) throw invalid('cannot name both an access level and a deploy key');
  if (deployKeyId !== null && !deployKeys) throw invalid('cannot name a deploy key');
  if (accessLevel === NOBODY && !nobody) throw invalid('access level is not included in the list');
  return { accessLevel, deployKeyId };
}

function requireDistinct({ name }: LevelKind, levels: readonly StoredLevel[]): void {
  const seen = new Set<string>();
  for (const { accessLevel, deployKeyId } of levels) {
    const key = `${accessLevel}/${deployKeyId}`;
    const what = deployKeyId === null ? 'access level' : 'deploy key';
    if (seen.has(key)) throw invalidRule({ [name]: [`${what} has already been taken`] });
    seen.add(key);
  }
}

/** Throws VALIDATION_FAILED for deploy keys that cannot push to the project. */
export async function requireDeployKeys(
  tx: Transaction,
  projectId: number,
  { name }: LevelKind,
  levels: readonly StoredLevel[],
): Promise<void> {
  const ids = levels.flatMap(({ deployKeyId }) => deployKeyId ?? []);
  if (ids.length === 0) return;
  const found = await tx.projectDeployKey.count({
    where: { projectId, deployKeyId: { in: ids }, deployKey: { canPush: true } },
  });
  if (found < ids.length) throw invalidRule({ [name]: ['deploy key is not enabled for this project'] });
}

/** What is wrong with the values of a protection, in a sentence: `Push access levels access level has already been taken`. */
export function invalidRule(fields: Record<string, string[]>): DomainError {
  const [sentence = ''] = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => `${field.replaceAll('_', ' ')} ${message}`),
  );
  const text = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  return new DomainError('valuesInvalid', text, { fields }, 'ruleInvalid');
}

/** Characters of the longest name of a protection. */
const MAX_NAME_LENGTH = 255;

/** Throws VALIDATION_FAILED for what no protection can be called. */
export function requireName(name: string): void {
  if (name.trim() === '') throw invalidRule({ name: ["can't be blank"] });
  if (name.length > MAX_NAME_LENGTH)
    throw invalidRule({ name: [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] });
}

/** The protections that a project can have: all of them are read at every push. */
const MAX_PROTECTIONS = 1000;

/** Throws VALIDATION_FAILED for a project that has as many protections as it can. */
export function requireFew(count: number): void {
  if (count >= MAX_PROTECTIONS)
    throw invalidRule({ name: [`exceeds the limit of ${MAX_PROTECTIONS} protections in a project`] });
}
