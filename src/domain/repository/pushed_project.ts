import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** What recording a push needs of the project. */
export type PushedProject = Pick<
  ProjectRow,
  'id' | 'name' | 'description' | 'fullPath' | 'defaultBranch' | 'repositoryStorage' | 'creatorId'
>;

/** A project as pushes are recorded of it, for work that nobody asked for just now; null if it is gone. */
export async function findPushedProject(
  db: Pick<Db, 'project'> | Transaction,
  id: number,
): Promise<(PushedProject & Pick<ProjectRow, 'archived' | 'importStatus'>) | null> {
  const project = await db.project.findFirst({
    where: { id, deletedAt: null },
    select: {
      id: true,
      name: true,
      path: true,
      description: true,
      archived: true,
      importStatus: true,
      defaultBranch: true,
      repositoryStorage: true,
      creatorId: true,
      namespace: { select: { fullPath: true } },
    },
  });
  return project && { ...project, fullPath: `${project.namespace.fullPath}/${project.path}` };
}
