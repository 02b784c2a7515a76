import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Commits of a deployment that are looked at, the newest. */
const MAX_COMMITS = 10_000;

/** The commits that a deployment was the first to bring to its environment: those that the one before it cannot reach. */
export async function shippedCommits(
  { repositories }: Context,
  project: ProjectRow,
  { sha, previousSha }: { sha: string; previousSha: string | null },
): Promise<string[]> {
  const repository = await repositories.open(project);
  const start = await repository?.resolve(sha);
  if (!repository || !start) return [];
  const before = previousSha === null ? null : await repository.resolve(previousSha);
  const log = await repository.log({ start, not: before ?? undefined }, { limit: MAX_COMMITS });
  return log.map(({ oid }) => oid);
}
