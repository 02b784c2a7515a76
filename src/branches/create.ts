import type { Context } from '#src/access/actor.ts';
import { type BranchRow, findBranch } from '#src/branches/list.ts';
import { BadRequest } from '#src/errors.ts';
import { isValidBranchName } from '#src/git/refs/name.ts';
import type { Ref } from '#src/groups/find.ts';
import { gate } from '#src/repository/gate.ts';
import { pushRefs } from '#src/repository/record.ts';
import { requireMade, requirePush, writableProject } from '#src/repository/write.ts';

/** Creates a branch at what a branch, a tag or a hash leads to. Throws NotFound, Forbidden, BadRequest. */
export async function createBranch(context: Context, ref: Ref, name: string, start: string): Promise<BranchRow> {
  const { actor, project } = await writableProject(context, ref);
  if (!isValidBranchName(name)) throw new BadRequest('Branch name is invalid');
  await requirePush(context, actor, project, name);
  const reader = await context.repositories.open(project);
  if (await reader?.branch(name)) throw new BadRequest('Branch already exists');
  const outcomes = await gate.pass(project.id, async () => {
    const to = start === '' ? null : ((await reader?.resolve(start)) ?? null);
    if (to === null) throw new BadRequest('Invalid reference name');
    return pushRefs(context, actor, project, [{ name: `refs/heads/${name}`, from: null, to }]);
  });
  // Somebody was faster, or there are branches below that name.
  requireMade(outcomes, (await reader?.branch(name)) ? 'Branch already exists' : 'Branch name is invalid');
  return findBranch(context, project, name);
}
