import { SETTINGS } from '#src/domain/project_archives/place.ts';
import type { Transaction } from '#src/platform/database/db.ts';

type Setting = (typeof SETTINGS)[number];

/** The settings of a project that archives have. */
export async function archivedSettings(tx: Transaction, id: number) {
  const select = Object.fromEntries(SETTINGS.map((name) => [name, true])) as Record<Setting, true>;
  return tx.project.findUniqueOrThrow({ where: { id }, select });
}

/** Those of some snippets that have a repository. */
export async function snippetsWithRepository(
  tx: Transaction,
  ids: readonly number[],
): Promise<{ id: number; repositoryStorage: string }[]> {
  const found = await tx.snippet.findMany({
    where: { id: { in: [...ids] }, repositoryStorage: { not: null } },
    select: { id: true, repositoryStorage: true },
    orderBy: { id: 'asc' },
  });
  return found.map(({ id, repositoryStorage }) => ({ id, repositoryStorage: repositoryStorage ?? '' }));
}
