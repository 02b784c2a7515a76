import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Why nobody may write to the repository of a project now, by the API or by a push; null when those may who have the right. */
export function writeRefusal(project: Pick<ProjectRow, 'archived' | 'importStatus'>): string | null {
  if (project.archived) return 'This project is archived: nothing can be pushed to it.';
  return isImporting(project) ? 'The repository is being imported: it can be written to when that is finished.' : null;
}

/** Whether the repository of a project is still to come from elsewhere. */
export function isImporting({ importStatus }: Pick<ProjectRow, 'importStatus'>): boolean {
  return importStatus === 'scheduled' || importStatus === 'started';
}
