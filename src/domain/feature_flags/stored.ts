import type { StoredStrategy, Strategy } from '#src/domain/feature_flags/strategies.ts';
import type { Prisma, Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The strategies of a flag, oldest first. */
export async function storedStrategies(tx: Transaction, featureFlagId: number): Promise<StoredStrategy[]> {
  const found = await tx.featureFlagStrategy.findMany({
    where: { featureFlagId },
    orderBy: { id: 'asc' },
    include: { scopes: { orderBy: { id: 'asc' }, select: { id: true, environmentScope: true } } },
  });
  return found.map(({ id, name, parameters, userListId, scopes }) => ({ id, name, parameters, userListId, scopes }));
}

/**
 * Writes the strategies of a flag, which were checked, over those that it has. Throws NotFound for a user list that is none of the
 * project.
 */
export async function keepStrategies(
  tx: Transaction,
  project: { id: number },
  featureFlagId: number,
  before: readonly StoredStrategy[],
  after: readonly Strategy[],
): Promise<void> {
  await requireUserLists(tx, project, after);
  const kept = new Set(after.map(({ id }) => id));
  await tx.featureFlagStrategy.deleteMany({
    where: { id: { in: before.map(({ id }) => id).filter((id) => !kept.has(id)) } },
  });
  for (const strategy of after) {
    const { id, name, userListId, scopes } = strategy;
    const parameters = strategy.parameters as Prisma.InputJsonObject;
    const old = before.find((one) => one.id === id);
    if (!old) {
      const made = scopes.map(({ environmentScope }) => ({ environmentScope }));
      const data = { featureFlagId, name, parameters, userListId, scopes: { create: made } };
      await tx.featureFlagStrategy.create({ data });
    } else if (old !== strategy) {
      await tx.featureFlagStrategy.update({ where: { id: old.id }, data: { name, parameters, userListId } });
      await keepScopes(tx, old, scopes);
    }
  }
}

/** Scopes that are renamed are deleted and made anew under their IDs, so that two may change places. */
async function keepScopes(tx: Transaction, before: StoredStrategy, after: Strategy['scopes']): Promise<void> {
  const changed = before.scopes.filter((old) => !after.includes(old));
  await tx.featureFlagScope.deleteMany({ where: { id: { in: changed.map(({ id }) => id) } } });
  const made = after.filter((scope) => !before.scopes.some((old) => old === scope));
  await tx.featureFlagScope.createMany({
    data: made.map(({ id, environmentScope }) => ({
      strategyId: before.id,
      environmentScope,
      ...(id === null ? {} : { id }),
    })),
  });
}

async function requireUserLists(tx: Transaction, { id }: { id: number }, after: readonly Strategy[]): Promise<void> {
  const ids = [...new Set(after.flatMap(({ userListId }) => userListId ?? []))];
  if (ids.length === 0) return;
  const count = await tx.featureFlagUserList.count({ where: { id: { in: ids }, projectId: id } });
  if (count < ids.length) throw new NotFound('FeatureFlagUserList');
}

/** Strategies as the audit log tells of them. */
export function inWords(strategies: readonly StoredStrategy[]): string {
  return strategies
    .map(({ name, parameters, userListId, scopes }) => {
      const where = scopes.map(({ environmentScope }) => environmentScope).join(' ');
      const values = Object.entries(parameters as object).map(([key, value]) => ` ${key}=${value}`);
      return `${name}${values.join('')}${userListId === null ? '' : ` list=${userListId}`} (${where})`;
    })
    .join('; ');
}
