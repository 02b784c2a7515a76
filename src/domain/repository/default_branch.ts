import type { Context } from '#src/access/permissions/actor.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { setDefaultBranch } from '#src/git/refs/update.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/**
 * Changes the default branch of a project: updates HEAD, and the project's commit count. If there is no branch yet, the name is
 * stored for the first one; null stores none. Throws ValidationFailed if only other branches exist.
 */
export async function changeDefaultBranch(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  project: RepositoryPlace,
  branch: string | null,
): Promise<void> {
  const repository = await repositories.open(project);
  const refuse = () => new ValidationFailed({ default_branch: ['is not a branch of the repository'] });
  await withRepositoryLock(db, project.id, async (tx) => {
    const branches = (await repository?.branches()) ?? [];
    if (repository && branches.length > 0) {
      const found = branches.find(({ name }) => name === branch);
      if (!found || branch === null) throw refuse();
      await setDefaultBranch(repository.directory, branch);
      const commits = await repository.count({ start: found.commit });
      await tx.projectCounters.update({ where: { projectId: project.id }, data: { commits } });
    }
    await tx.project.update({ where: { id: project.id }, data: { defaultBranch: branch } });
  });
}
