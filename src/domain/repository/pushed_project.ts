import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import type { Columns } from '#src/platform/records/model.ts';

/** The columns of the project that recording a push needs. */
export type PushedProject = Pick<
  ProjectRow,
  'id' | 'name' | 'description' | 'fullPath' | 'defaultBranch' | 'repositoryStorage' | 'creatorId' | 'ciConfigPath'
>;

/** A project for recording pushes without a request; null if it is gone. */
export async function findPushedProject(
  db: Pick<Db, 'project'> | Transaction,
  id: number,
): Promise<
  (PushedProject & Pick<Columns['Project'], 'archived' | 'importStatus' | 'autocloseReferencedIssues'>) | null
> {
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
      ciConfigPath: true,
      autocloseReferencedIssues: true,
      namespace: { select: { fullPath: true } },
    },
  });
  return project && { ...project, fullPath: `${project.namespace.fullPath}/${project.path}` };
}
