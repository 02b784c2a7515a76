import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectExport } from '#src/generated/prisma/client.ts';
import { NotFound } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** How far an export is. */
export type ExportStatus = 'none' | 'queued' | 'started' | 'finished' | 'regeneration_in_progress' | 'failed';

/** Milliseconds for which an archive is kept. */
export const KEPT = 24 * 60 * 60_000;

/** What tells whether an archive can be downloaded. */
type Kept = Pick<ProjectExport, 'secret' | 'finishedAt'>;

/** Whether there is an archive that can be downloaded. */
export function isThere({ secret, finishedAt }: Kept): boolean {
  return secret !== null && finishedAt !== null && finishedAt.getTime() > Date.now() - KEPT;
}

export function statusOf(row: Kept & Pick<ProjectExport, 'state'>): ExportStatus {
  const isUnderWay = row.state === 'queued' || row.state === 'started';
  if (isUnderWay) return isThere(row) ? 'regeneration_in_progress' : row.state;
  return row.state === 'finished' && !isThere(row) ? 'none' : row.state;
}

/** Throws NotFound where exports are switched off. */
export async function requireExports({ db }: Context): Promise<void> {
  const { projectExportEnabled } = await currentSettings(db);
  if (!projectExportEnabled) throw new NotFound('Export');
}
