import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { sharedBranches } from '#src/domain/repository/collaboration.ts';
import { allows, type RemotePush } from '#src/domain/repository/protections/levels.ts';
import {
  listProtections,
  mayPushOrMerge,
  type ProtectionRow,
  protectionOf,
  protectionsOf,
} from '#src/domain/repository/protections/of_branches.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What an actor does with a branch; `force` is a push that drops commits. */
export type BranchAction = 'push' | 'merge' | 'force' | 'delete';

/** The message for actors who may not push (behaviour.md 1.5). */
export const PUSH_REFUSED = 'You are not allowed to push into this branch';

/** The message for a protected branch in the report on a push. */
const PROTECTED = 'You are not allowed to push code to protected branches on this project.';

/** Why an actor may not do something to a branch of a project; null if they may. */
export type BranchRefusals = (branch: string, action: BranchAction) => string | null;

/** Why the actor may not change branches, for the API and pushes alike (behaviour.md 6, Protected branches). */
export async function branchRefusals(
  context: Pick<Context, 'db' | 'repositories'>,
  actor: Actor,
  project: ProjectRow,
  push?: RemotePush,
): Promise<BranchRefusals> {
  return (await branchRules(context, project))(actor, project, await sharedWith(context.db, actor, project), push);
}

/** Branches of a fork that those who are no developers of it may push to. */
export function sharedWith(
  db: Context['db'] | Transaction,
  actor: Actor,
  project: ProjectRow,
): Promise<ReadonlySet<string>> | undefined {
  return can(actor, 'push_code', project) ? undefined : sharedBranches(db, actor, project);
}

/**
 * Like branchRefusals, for several projects in a constant number of statements; without branches that forks share, unless `shared` has
 * them (`sharedBranchesOf`).
 */
export async function branchRefusalsOf(
  context: Pick<Context, 'db' | 'repositories'>,
  actor: Actor,
  projects: readonly ProjectRow[],
  shared: ReadonlyMap<number, ReadonlySet<string>> = new Map(),
): Promise<BranchRefusals[]> {
  const ids = projects.map(({ id }) => id);
  const known = await protectionsOf(context.db, ids);
  return Promise.all(
    projects.map(async (project) => {
      const rules = await branchRules(context, project, undefined, known.get(project.id) ?? []);
      return rules(actor, project, shared.get(project.id));
    }),
  );
}

/** Like branchRefusals, for several actors: protections are loaded once, in a transaction if given. `shared` has what sharedWith returns. */
export async function branchRules(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  place: RepositoryPlace & { defaultBranch: string | null },
  tx?: Transaction,
  known?: readonly ProtectionRow[],
): Promise<(actor: Actor, project: ProjectRow, shared?: ReadonlySet<string>, push?: RemotePush) => BranchRefusals> {
  const [names, { defaultBranchProtection }, reader] = await Promise.all([
    known ?? listProtections(tx ?? db, place.id),
    currentSettings(db),
    repositories.open(place),
  ]);
  const closed = defaultBranchProtection === 2 && (await isEmpty(reader, place.defaultBranch));
  return (actor, project, shared, push) => {
    const mayPush = can(actor, 'push_code', project);
    const master = can(actor, 'push_to_protected_branch', project);
    return (branch, action) => {
      const isShared = shared?.has(branch) && (action === 'push' || action === 'force');
      if (!(mayPush || isShared) || (closed && !master)) return PUSH_REFUSED;
      const found = protectionOf(names, branch);
      if (!found.protected) return null;
      const refused = push ? PROTECTED : PUSH_REFUSED;
      if (!mayPush) return refused;
      if (action === 'delete') return 'You are not allowed to delete protected branches from this project';
      const pusher = { actor, project, deployKeyId: push?.deployKeyId };
      if (action === 'merge') {
        return mayPushOrMerge(found, pusher) ? null : 'You are not allowed to merge into this branch';
      }
      if (action === 'force' && !found.allowForcePush) {
        return 'You are not allowed to force push code to a protected branch on this project.';
      }
      return allows(found.push, pusher) ? null : refused;
    };
  };
}

/** Whether a repository has no branches. */
export async function isEmpty(reader: RepositoryReader | null, defaultBranch: string | null): Promise<boolean> {
  if (reader === null) return true;
  if (defaultBranch !== null && (await reader.branch(defaultBranch)) !== null) return false;
  return (await reader.branches()).length === 0;
}
