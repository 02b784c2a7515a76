import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createCommit } from '#src/domain/repository/commits/create.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { createMergeRequest, type NewMergeRequest } from '#src/domain/tracking/merge_requests/create.ts';
import type { TestUser, World } from './world.ts';

/** Commits a file to a branch by the API; the hash of the commit. */
export async function commitTo(
  world: World,
  project: { id: number },
  who: TestUser,
  branch: string,
  path: string,
  content = `${path}\n`,
  message = `Change ${path}`,
): Promise<string> {
  const reader = await world.repositories.open({ id: project.id, repositoryStorage: 'default' });
  const tip = await reader?.branch(branch);
  const isThere = tip && (await reader?.entry(tip.commit, path)) != null;
  const action = isThere ? 'update' : 'create';
  const { oid } = await createCommit(world.as(who), project.id, {
    branch,
    message,
    actions: [{ action, filePath: path, content }],
  });
  return oid;
}

/** Gives a project a branch `master` with `a.txt`, and a branch `topic` that adds `b.txt`. */
export async function withTopic(world: World, project: ProjectRow, owner: TestUser, branch = 'topic'): Promise<string> {
  await createFile(world.as(owner), project.id, { path: 'a.txt', branch: 'master', content: 'a\n', message: 'First' });
  await createBranch(world.as(owner), project.id, branch, 'master');
  return commitTo(world, project, owner, branch, 'b.txt');
}

/** Opens a merge request from `topic` into `master` unless it is said otherwise. */
export async function opened(
  world: World,
  project: { id: number },
  author: TestUser,
  input: Partial<NewMergeRequest> = {},
) {
  const values = { title: world.unique('Merge '), sourceBranch: 'topic', targetBranch: 'master', ...input };
  const { id } = await createMergeRequest(world.as(author), { ...values, project: project.id });
  return world.db.mergeRequest.findUniqueOrThrow({ where: { id } });
}
