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
  // Prisma asks for those of one moment together only by their IDs alone.
  const project = await db.project.findUnique({
    where: { id },
    select: {
      id: true,
      deletedAt: true,
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
  if (!project || project.deletedAt !== null) return null;
  return { ...project, fullPath: `${project.namespace.fullPath}/${project.path}` };
}
