import { can } from '#src/access/permissions/abilities.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { PROJECT_BASE, type ProjectRow } from '#src/domain/projects/find.ts';
import { projectsWithIds } from '#src/domain/projects/named.ts';
import {
  mayPushOrMerge,
  type Protection,
  protectionOf,
  protectionsOf,
} from '#src/domain/repository/protections/of_branches.ts';
import { type Db, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { select } from '#src/platform/records/selection.ts';

const TARGET = select('Project', PROJECT_BASE);

/**
 * The branches of a fork that the actor may push to without being a developer of it, unless they are protected: those of open merge
 * requests that allow collaboration, into branches that the actor may merge into.
 */
export async function sharedBranches(
  db: Db | Transaction,
  actor: Actor,
  fork: Pick<ProjectRow, 'id' | 'archived'>,
): Promise<ReadonlySet<string>> {
  return (await sharedBranchesOf(db, actor, [fork])).get(fork.id) ?? new Set();
}

/** Like sharedBranches, for several forks by their IDs, in the same number of statements. */
export async function sharedBranchesOf(
  db: Db | Transaction,
  actor: Actor,
  forks: readonly Pick<ProjectRow, 'id' | 'archived'>[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const sources = forks.filter(({ archived }) => !archived).map(({ id }) => id);
  if (sources.length === 0) return new Map();
  const found = await db.mergeRequest.findMany({
    where: { sourceProjectId: { in: sources }, state: 'opened', allowCollaboration: true },
    select: { sourceProjectId: true, sourceBranch: true, targetBranch: true, targetProjectId: true },
  });
  const open = found.filter(({ sourceProjectId, targetProjectId }) => sourceProjectId !== targetProjectId);
  if (open.length === 0) return new Map();
  const ids = [...new Set(open.map(({ targetProjectId }) => targetProjectId))];
  const targets = new Map(
    (await queryJson<ProjectRow[]>(db, projectsWithIds(actor, ids, TARGET))).map((target) => [target.id, target]),
  );
  const protections = await protectionsOf(db, ids);
  const shared = open.filter(({ targetProjectId, targetBranch }) => {
    const target = targets.get(targetProjectId);
    const protection = protectionOf(protections.get(targetProjectId) ?? [], targetBranch);
    return target !== undefined && can(actor, 'push_code', target) && mayMerge(actor, target, protection);
  });
  const bySource = Map.groupBy(shared, ({ sourceProjectId }) => sourceProjectId ?? 0);
  return new Map([...bySource].map(([id, some]) => [id, new Set(some.map(({ sourceBranch }) => sourceBranch))]));
}

function mayMerge(actor: Actor, target: ProjectRow, protection: Protection): boolean {
  return !protection.protected || mayPushOrMerge(protection, { actor, project: target });
}
