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
  /** What was taken besides the repository, settings, labels and milestones. */
  parts: readonly string[];
  phase: string | null;
  counts: readonly { kind: string; fetched: number; total: number | null }[];
  /** For masters. */
  leftOut: readonly { kind: string; name: string | null; message: string }[];
  continuesAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** Whether the project can be brought up to date from there. */
  canBeUpdated: boolean;
  /** The last update of the project from there; null before the first one. */
  update: RemoteUpdateFacts | null;
}

/** An update from another server, as it is stored. */
export interface RemoteUpdateFacts
  extends Omit<RemoteImportFacts, 'provider' | 'url' | 'path' | 'parts' | 'update' | 'canBeUpdated'> {
  status: ImportStatus;
  /** Why it failed; for others than masters only that it did. */
  error: string | null;
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
      remoteUpdate: { select: { ...FAR, status: true, error: true } },
      remoteRecords: { where: { kind: 'project' }, select: { kind: true }, take: 1 },
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
      remote: row?.remoteImport
        ? {
            ...remoteFacts(row.remoteImport, isMaster),
            canBeUpdated: row.remoteRecords.length > 0,
            update: row.remoteUpdate ? updateFacts(row.remoteUpdate, isMaster) : null,
          }
        : null,
    };
  });
}

const FAR = {
  phase: true,
  counts: true,
  leftOut: true,
  continuesAt: true,
  startedAt: true,
  finishedAt: true,
} as const;
const REMOTE = { ...FAR, provider: true, url: true, path: true, parts: true } as const;

/** As the database has it. */
type Stored<Facts> = Omit<Facts, 'counts' | 'leftOut' | 'update' | 'canBeUpdated'> & {
  counts: unknown;
  leftOut: unknown;
};

function updateFacts({ error, ...row }: Stored<RemoteUpdateFacts>, isMaster: boolean): RemoteUpdateFacts {
  const told = error === null || isMaster ? error : 'The update failed. Masters of the project see why.';
  return { ...remoteFacts(row, isMaster), error: told };
}

function remoteFacts<Facts extends object>(
  { counts, leftOut, ...row }: Facts & { counts: unknown; leftOut: unknown },
  isMaster: boolean,
): Omit<Facts, 'counts' | 'leftOut'> & Pick<RemoteImportFacts, 'counts' | 'leftOut'> {
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
