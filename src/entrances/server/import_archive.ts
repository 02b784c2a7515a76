import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { importProject } from '#src/domain/project_archives/import_request.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import { asImporter, ended } from '#src/entrances/server/importer.ts';
import type { ImportStatus } from '#src/generated/prisma/client.ts';
import type { Config } from '#src/platform/config/config.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { Logger } from '#src/platform/observability/log.ts';

export interface WantedArchive {
  file: string;
  /** Full path of the project that is made. */
  into: string;
  /** The name of the user in whose name it is imported. */
  user: string;
  name?: string | undefined;
}

/** How an import went: `waiting` until a server works on it. */
export interface ImportOutcome {
  status: 'waiting' | ImportStatus;
  error: string | null;
  leftOut: readonly FailedRelation[];
}

/**
 * Has the server of the settings import an archive of a project, and waits for the end. Throws an Error where there is no server, and as
 * importProject does.
 */
export async function importArchiveFile(config: Config, log: Logger, wanted: WantedArchive): Promise<ImportOutcome> {
  const { size } = await stat(wanted.file);
  const parts = wanted.into.split('/');
  const own = parts.pop() ?? '';
  const command = { name: 'gantry import archive', user: wanted.user, job: 'projects.import_archive' } as const;
  return asImporter(config, log, command, async (context) => {
    const { id } = await importProject(context, {
      file: { name: path.basename(wanted.file), size, stream: () => createReadStream(wanted.file) },
      ...{ path: own, name: wanted.name, namespace: parts.length === 0 ? null : parts.join('/') },
    });
    return outcomeOf(context.db, id);
  });
}

async function outcomeOf(db: Db, id: number): Promise<ImportOutcome> {
  const select = { importStatus: true, importError: true, archiveImport: { select: { failedRelations: true } } };
  const found = await ended(async () => {
    const { importStatus, importError, archiveImport } = await db.project.findUniqueOrThrow({ where: { id }, select });
    const leftOut = (archiveImport?.failedRelations ?? []) as unknown as FailedRelation[];
    return { status: importStatus ?? 'none', error: importError, leftOut };
  });
  return found ?? { status: 'waiting', error: null, leftOut: [] };
}
