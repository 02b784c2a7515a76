import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import type { Auditing } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { removeLeftLocks } from '#src/git/refs/lock.ts';
import { setDefaultBranch } from '#src/git/refs/update.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** The default branch that a project has, or will have with its first commit: that which it names, or `master`. */
export function nextDefaultBranch({ defaultBranch }: { defaultBranch: string | null }): string {
  return defaultBranch ?? 'master';
}

/**
 * Changes the default branch of a project: updates HEAD, and the project's commit count. If there is no branch yet, the name is
 * stored for the first one; null stores none. Throws ValidationFailed if only other branches exist.
 */
export async function changeDefaultBranch(
  context: Pick<Context, 'db' | 'repositories' | 'jobs'> & Auditing,
  project: RepositoryPlace,
  branch: string | null,
): Promise<void> {
  const { db, repositories } = context;
  const repository = await repositories.open(project);
  const refuse = () => new ValidationFailed({ default_branch: ['is not a branch of the repository'] });
  await withRepositoryLock(db, project.id, async (tx) => {
    const branches = (await repository?.branches()) ?? [];
    if (repository && branches.length > 0) {
      const found = branches.find(({ name }) => name === branch);
      if (!found || branch === null) throw refuse();
      await removeLeftLocks(repository.directory);
      await setDefaultBranch(repository.directory, branch);
      const commits = await repository.count({ start: found.commit });
      await tx.projectCounters.update({ where: { projectId: project.id }, data: { commits } });
    }
    await context.jobs.enqueue(tx, 'repositories.languages', { projectId: project.id });
    await context.jobs.enqueue(tx, 'code_search.index', { projectId: project.id });
    const before = await rowBefore(tx, 'Project', project.id);
    await tx.project.update({ where: { id: project.id }, data: { defaultBranch: branch } });
    const event = { action: 'project_updated', target: { type: 'Project', id: project.id } } as const;
    await auditChanges(tx, context, { ...event, place: { projectId: project.id } }, before);
  });
}
