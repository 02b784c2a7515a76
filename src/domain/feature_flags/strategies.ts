import { MAX_SCOPES, MAX_STRATEGIES } from '#src/domain/feature_flags/limits.ts';
import { wrongUserIds } from '#src/domain/feature_flags/user_ids.ts';
import { scopeErrors } from '#src/domain/projects/environment_scope.ts';
import { type FieldErrors, NotFound } from '#src/platform/errors.ts';

/** For whom a flag can be on, with the parameters that each strategy has, all of which are texts. */
const PARAMETERS = {
  default: [],
  gradualRolloutUserId: ['groupId', 'percentage'],
  userWithId: ['userIds'],
  gitlabUserList: [],
  flexibleRollout: ['groupId', 'rollout', 'stickiness'],
} as const satisfies Record<string, readonly string[]>;

export type StrategyName = keyof typeof PARAMETERS;

/** Whether it is the name of a strategy. */
export function isStrategyName(name: unknown): name is StrategyName {
  return typeof name === 'string' && Object.hasOwn(PARAMETERS, name);
}

/** Whether some strategy has such parameters. */
export function areParameters(given: unknown): boolean {
  return Object.keys(PARAMETERS).some((name) => wrongParameters(name as StrategyName, given).length === 0);
}

/** A change of a strategy: of the one with the ID, or a new one. What is absent stays as it is. */
export interface StrategyInput {
  id?: number | null | undefined;
  name?: StrategyName | null | undefined;
  parameters?: unknown;
  scopes?: readonly ScopeInput[] | null | undefined;
  /** Of `gitlabUserList`. */
  userListId?: number | null | undefined;
  remove?: boolean | null | undefined;
}

/** A change of a scope: of the one with the ID, or a new one. */
export interface ScopeInput {
  id?: number | null | undefined;
  environmentScope?: string | null | undefined;
  remove?: boolean | null | undefined;
}

/** A strategy as it is to be; those that are new have no ID yet. */
export interface Strategy {
  id: number | null;
  name: string;
  parameters: unknown;
  userListId: number | null;
  scopes: { id: number | null; environmentScope: string }[];
}

/** A strategy as it is stored. */
export interface StoredStrategy extends Strategy {
  id: number;
  scopes: { id: number; environmentScope: string }[];
}

/** The strategies after changes: those that no change names stay. Throws NotFound for an ID of none of them. */
export function changedStrategies(
  before: readonly StoredStrategy[],
  changes: readonly StrategyInput[] | null | undefined,
): Strategy[] {
  const after = new Map<StrategyInput | StoredStrategy, Strategy | null>(before.map((one) => [one, one]));
  for (const change of changes ?? []) {
    const own = change.id == null ? undefined : before.find(({ id }) => id === change.id);
    if (change.id != null && !own) throw new NotFound('FeatureFlagStrategy');
    after.set(own ?? change, change.remove ? null : changedStrategy(own, change));
  }
  return [...after.values()].filter((one) => one !== null);
}

function changedStrategy(before: StoredStrategy | undefined, change: StrategyInput): Strategy {
  const name = change.name ?? before?.name ?? '';
  const isSame = name === before?.name;
  const userListId = change.userListId === undefined && isSame ? before.userListId : (change.userListId ?? null);
  return {
    id: before?.id ?? null,
    name,
    parameters: change.parameters == null ? (isSame ? before.parameters : {}) : named(change.parameters),
    userListId,
    scopes: changedScopes(before?.scopes ?? [], change.scopes ?? []),
  };
}

/** Parameters by their names; some clients write all keys in snake_case. */
function named(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const camelCase = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [camelCase(key), value]));
}

function changedScopes(before: StoredStrategy['scopes'], changes: readonly ScopeInput[]): Strategy['scopes'] {
  const after = new Map<object, Strategy['scopes'][number] | null>(before.map((one) => [one, one]));
  for (const change of changes) {
    const own = change.id == null ? undefined : before.find(({ id }) => id === change.id);
    if (change.id != null && !own) throw new NotFound('FeatureFlagScope');
    const environmentScope = change.environmentScope?.trim() ?? own?.environmentScope ?? '';
    after.set(own ?? change, change.remove ? null : { id: own?.id ?? null, environmentScope });
  }
  return [...after.values()].filter((one) => one !== null);
}

/** What is wrong with the strategies of a flag; empty if nothing is. */
export function strategyErrors(strategies: readonly Strategy[]): FieldErrors {
  if (strategies.length > MAX_STRATEGIES) return { strategies: [`are too many (maximum is ${MAX_STRATEGIES})`] };
  const found = strategies.flatMap((strategy, index) => wrong(strategy).map((text) => `${index + 1}: ${text}`));
  return found.length > 0 ? { strategies: found } : {};
}

function wrong({ name, parameters, userListId, scopes }: Strategy): string[] {
  if (!isStrategyName(name)) return ['name is invalid'];
  const errors = wrongParameters(name, parameters);
  if (name === 'gitlabUserList' && userListId === null) errors.push("user_list can't be blank");
  if (name !== 'gitlabUserList' && userListId !== null) errors.push('user_list must be blank');
  if (scopes.length > MAX_SCOPES) return [...errors, `scopes are too many (maximum is ${MAX_SCOPES})`];
  for (const { environmentScope } of scopes) {
    errors.push(...scopeErrors(environmentScope).map((text) => `environment_scope ${text}`));
  }
  if (new Set(scopes.map(({ environmentScope }) => environmentScope)).size < scopes.length) {
    errors.push('environment_scope has already been taken');
  }
  return errors;
}

function wrongParameters(name: StrategyName, given: unknown): string[] {
  const names: readonly string[] = PARAMETERS[name];
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return ['parameters must be an object'];
  const isOdd = Object.keys(given).toSorted().join() !== names.join();
  if (isOdd) return [names.length > 0 ? `parameters must be ${names.join(', ')}` : 'parameters must be empty'];
  return Object.entries(given).flatMap(([key, value]) => {
    const found = PARAMETER_ERRORS[key]?.(value);
    return found ? [`${key} ${found}`] : [];
  });
}

/** What is wrong with the value of a parameter, by its name; null if nothing is. */
const PARAMETER_ERRORS: Readonly<Record<string, (value: unknown) => string | null>> = {
  percentage: (value) => (isPercentage(value) ? null : 'must be a string between 0 and 100 inclusive'),
  rollout: (value) => (isPercentage(value) ? null : 'must be a string between 0 and 100 inclusive'),
  groupId: (value) =>
    typeof value === 'string' && /^[a-z]{1,32}$/.test(value) ? null : 'must be 1 to 32 lowercase letters',
  stickiness: (value) =>
    ['default', 'userId', 'sessionId', 'random'].includes(String(value)) && typeof value === 'string'
      ? null
      : 'must be default, userId, sessionId, or random',
  userIds: wrongUserIds,
};

function isPercentage(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,3}$/.test(value) && Number(value) <= 100;
}
