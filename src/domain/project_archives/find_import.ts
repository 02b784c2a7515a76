import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ImportStatus } from '#src/generated/prisma/client.ts';

/** How far the import of a project is. */
export interface ImportRow {
  project: ProjectRow;
  status: 'none' | ImportStatus;
  /** `gitlab_project` from an archive, `git` from another repository, else the kind of server; null without an import. */
  type: string | null;
  /** Why it failed; for others than masters only that it did. */
  error: string | null;
  correlationId: string | null;
  failedRelations: readonly FailedRelation[];
  /** What is known of an import from another server; null for others. */
  remote: RemoteImportFacts | null;
}

/** An import from another server, as it is stored. */
export interface RemoteImportFacts {
  provider: string;
  url: string;
  path: string;
  phase: string | null;
  counts: readonly { kind: string; fetched: number; total: number | null }[];
  /** For masters. */
  leftOut: readonly { kind: string; name: string | null; message: string }[];
  continuesAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** How far the imports of projects are that the actor can see, in their order; why they failed is for masters. */
export async function findImports({ db, actor }: Context, projects: readonly ProjectRow[]): Promise<ImportRow[]> {
  const rows = await db.project.findMany({
    where: { id: { in: projects.map(({ id }) => id) } },
    select: {
      id: true,
      importStatus: true,
      importError: true,
      archiveImport: { select: { correlationId: true, failedRelations: true } },
      remoteImport: { select: REMOTE },
    },
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return projects.map((project) => {
    const row = byId.get(project.id);
    const archive = row?.archiveImport ?? null;
    const isMaster = can(actor, 'update_project', project);
    const error = row?.importStatus === 'failed' ? (row.importError ?? '') : null;
    return {
      project,
      status: row?.importStatus ?? 'none',
      type: row ? importType(row) : null,
      error: error === null || isMaster ? error : 'The import failed. Masters of the project see why.',
      correlationId: archive?.correlationId ?? null,
      failedRelations: isMaster ? ((archive?.failedRelations ?? []) as unknown as FailedRelation[]) : [],
      remote: row?.remoteImport ? remoteFacts(row.remoteImport, isMaster) : null,
    };
  });
}

const REMOTE = {
  provider: true,
  url: true,
  path: true,
  phase: true,
  counts: true,
  leftOut: true,
  continuesAt: true,
  startedAt: true,
  finishedAt: true,
} as const;

function remoteFacts(
  { counts, leftOut, ...row }: Omit<RemoteImportFacts, 'counts' | 'leftOut'> & { counts: unknown; leftOut: unknown },
  isMaster: boolean,
): RemoteImportFacts {
  return {
    ...row,
    counts: counts as RemoteImportFacts['counts'],
    leftOut: isMaster ? (leftOut as RemoteImportFacts['leftOut']) : [],
  };
}

/**
 * Where a project comes from: `gitlab_project` from an archive, `git` from another repository, else the kind of server; null if it was not
 * imported.
 */
export function importType(project: {
  importStatus: ImportStatus | null;
  archiveImport: object | null;
  remoteImport: { provider: string } | null;
}): string | null {
  if (project.remoteImport) return project.remoteImport.provider;
  if (project.archiveImport) return 'gitlab_project';
  return project.importStatus ? 'git' : null;
}
