import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Why the repository of a project is currently read-only, for the API and pushes; null if it is writable. */
export function writeRefusal(project: Pick<ProjectRow, 'archived' | 'importStatus'>): string | null {
  if (project.archived) return 'This project is archived: nothing can be pushed to it.';
  return isImporting(project) ? 'The repository is being imported: it can be written to when that is finished.' : null;
}

/** Whether the repository of a project is still being imported. */
export function isImporting({ importStatus }: Pick<ProjectRow, 'importStatus'>): boolean {
  return importStatus === 'scheduled' || importStatus === 'started';
}
