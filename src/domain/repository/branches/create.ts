import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { type BranchRow, findBranch } from '#src/domain/repository/branches/list.ts';
import { nextDefaultBranch } from '#src/domain/repository/default_branch.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { requireAllowedBranch } from '#src/domain/repository/push_rules/of_commit.ts';
import { pushRefs } from '#src/domain/repository/record.ts';
import { resolveRevision } from '#src/domain/repository/revision.ts';
import { requireMade, requirePush, writableProject } from '#src/domain/repository/write.ts';
import { MissingObject } from '#src/git/base/errors.ts';
import { mayBeMade } from '#src/git/refs/name.ts';
import { BadRequest } from '#src/platform/errors.ts';

const NO_START = 'Invalid reference name';

/**
 * Creates a branch at the commit of a branch, tag or hash; in an empty repository the default branch is made first, with an empty
 * README, if that is where it begins. Throws NotFound, Forbidden, BadRequest.
 */
export async function createBranch(context: Context, ref: IdOrPath, name: string, start: string): Promise<BranchRow> {
  const { actor, project } = await writableProject(context, ref);
  if (!mayBeMade(`refs/heads/${name}`)) throw new BadRequest('Branch name is invalid', 'name');
  await requirePush(context, actor, project, name);
  await requireAllowedBranch(context, project, name);
  const reader = await context.repositories.open(project);
  if (await reader?.branch(name))
    throw new BadRequest('Branch already exists', 'name').asExisting({ type: 'Branch', name });
  const isEmpty = !reader || (await reader.branches()).length === 0;
  if (isEmpty && start === nextDefaultBranch(project) && name !== start) {
    await createFile(context, project.id, { path: 'README.md', branch: start, content: '', message: 'Add README.md' });
    return createBranch(context, ref, name, start);
  }
  const to = start === '' || !reader ? null : await resolveRevision(context, project, reader, start);
  if (to === null) throw new BadRequest(NO_START, 'ref');
  const outcomes = await pushRefs(context, actor, project, [{ name: `refs/heads/${name}`, from: null, to }]);
  // The commit was unreachable, and has been removed since, in whole or in part.
  if (outcomes.some(({ error }) => error instanceof MissingObject)) throw new BadRequest(NO_START, 'ref');
  // It was created concurrently, or there are branches below that name.
  if (await reader?.branch(name)) requireMade(outcomes, 'Branch already exists', { type: 'Branch', name });
  requireMade(outcomes, 'Branch name is invalid');
  return findBranch(context, project, name);
}
