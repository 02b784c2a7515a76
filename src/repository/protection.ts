import { can } from '#src/access/abilities.ts';
import type { Actor, Context } from '#src/access/actor.ts';
import { listProtections, protectionOf } from '#src/branches/protection.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { currentSettings } from '#src/settings/current.ts';

/** What somebody wants to do with a branch; `force` is a push that drops commits. */
export type BranchWish = 'push' | 'merge' | 'force' | 'delete';

/** What is said to those who may not push (behaviour.md 1.5). */
export const PUSH_REFUSED = 'You are not allowed to push into this branch';

/**
 * Why the actor may not do this to branches of the project; a function from a branch to the reason, null where they may.
 * For the API and for pushes alike (behaviour.md 6, Protected branches).
 */
export async function branchRefusals(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  actor: Actor,
  project: ProjectRow,
): Promise<(branch: string, wish: BranchWish) => string | null> {
  const [names, settings, reader] = await Promise.all([
    listProtections(db, project.id),
    currentSettings(db),
    repositories.open(project),
  ]);
  const master = can(actor, 'push_to_protected_branch', project);
  const closed = !master && settings.defaultBranchProtection === 2 && (await isEmpty(reader, project.defaultBranch));
  return (branch, wish) => {
    if (!can(actor, 'push_code', project) || closed) return PUSH_REFUSED;
    const found = protectionOf(names, branch);
    if (!found.protected) return null;
    if (wish === 'delete') return 'You are not allowed to delete protected branches from this project';
    if (wish === 'force') return 'You are not allowed to force push code to a protected branch on this project';
    if (master || (wish === 'push' && found.developersCanPush)) return null;
    if (wish === 'merge') {
      return found.developersCanMerge || found.developersCanPush
        ? null
        : 'You are not allowed to merge into this branch';
    }
    return PUSH_REFUSED;
  };
}

/** Whether a repository has no branch at all. */
export async function isEmpty(reader: RepositoryReader | null, defaultBranch: string | null): Promise<boolean> {
  if (reader === null) return true;
  if (defaultBranch !== null && (await reader.branch(defaultBranch)) !== null) return false;
  return (await reader.branches()).length === 0;
}
