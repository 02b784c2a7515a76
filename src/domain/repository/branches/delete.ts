import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { listProtections, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { pushRefs } from '#src/domain/repository/record.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import { requireMade, requirePush, writableProject } from '#src/domain/repository/write.ts';
import type { Oid } from '#src/git/base/model.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/**
 * Deletes a branch, except the default one and protected ones. Throws NotFound, Forbidden, BadRequest.
 *
 * @param onlyAt deletes it only if it is at this commit
 */
export async function deleteBranch(
  context: Context,
  ref: IdOrPath,
  name: string,
  { onlyAt }: { onlyAt?: Oid } = {},
): Promise<void> {
  const { actor, project } = await writableProject(context, ref);
  const reader = await context.repositories.open(project);
  const branch = await reader?.branch(name);
  if (!reader || !branch) throw new NotFound('Branch', 'No such branch');
  if (onlyAt !== undefined && branch.commit !== onlyAt)
    throw new BadRequest('The branch was changed meanwhile').asWrongState();
  if (name === (await defaultBranch(project, reader)))
    throw new BadRequest('Cannot remove HEAD branch', 'name').asWrongState();
  const protections = await listProtections(context.db, project.id);
  if (protectionOf(protections, name).protected)
    throw new BadRequest('Protected branch cant be removed', 'name').asWrongState();
  await requirePush(context, actor, project, name);
  const change = { name: `refs/heads/${name}`, from: branch.commit, to: null };
  requireMade(await pushRefs(context, actor, project, [change]), 'The branch was changed meanwhile');
}
