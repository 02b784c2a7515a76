import type { CommitRow } from '#src/domain/repository/find_commit.ts';

/** The first branch by name that contains the commit; null if none does. */
export async function branchOf({ repository, oid }: CommitRow): Promise<string | null> {
  const branches = (await repository.branches()).filter(({ name }) => name.isWellFormed());
  const tips = [...new Set(branches.map(({ commit }) => commit))];
  const reaching = await repository.reaching(oid, tips);
  return branches.find(({ commit }) => reaching.has(commit))?.name ?? null;
}
