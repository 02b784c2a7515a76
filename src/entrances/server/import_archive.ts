import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { userNamed } from '#src/access/credentials/tokens/create.ts';
import { importProject } from '#src/domain/project_archives/import_request.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { openUploads } from '#src/domain/uploads/open.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { withQueue } from '#src/platform/background/boss.ts';
import type { Config } from '#src/platform/config/config.ts';
import { connect, type Db } from '#src/platform/database/db.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { NotFound } from '#src/platform/errors.ts';
import { withDatabase } from '#src/platform/lifecycle/database.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';
import { agreeOnSecret } from '#src/platform/lifecycle/secret.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { importSettings } from '#src/platform/outbound/options.ts';

/** Milliseconds after which nobody seems to work on an import, and between two looks at it. */
const NOBODY_WORKS_AFTER = 15_000;
const LOOK_AGAIN_AFTER = 500;

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
  status: 'waiting' | 'finished' | 'failed';
  error: string | null;
  leftOut: readonly FailedRelation[];
}

/**
 * Has the server of the settings import an archive of a project, and waits for the end. Throws an Error where there is no server, and as
 * importProject does.
 */
export async function importArchiveFile(config: Config, log: Logger, wanted: WantedArchive): Promise<ImportOutcome> {
  requireGantry(config);
  const { size } = await stat(wanted.file);
  const parts = wanted.into.split('/');
  const own = parts.pop() ?? '';
  return withDatabase(config, log, 'gantry import archive', async (url) => {
    await migrate(url);
    const db = connect(url);
    const repositories = new RepositoryStore(config.storages);
    try {
      const secret = await agreeOnSecret(db, config);
      const actor = await activeUser(db, await userNamed(db, wanted.user));
      if (!actor) throw new NotFound('User', `The user ${wanted.user} is not active.`);
      const imports = importSettings({
        hosts: config.importHosts,
        webhookHosts: config.webhookHosts,
        maxBytes: config.importMaxBytes,
      });
      const stores = { db, repositories, uploads: await openUploads(config), secret, imports, followers: FOLLOWERS };
      return await withQueue(url, ['projects.import_archive'], async (jobs) => {
        const { id } = await importProject(
          { ...stores, jobs, actor, clientAddress: null },
          {
            file: { name: path.basename(wanted.file), size, stream: () => createReadStream(wanted.file) },
            ...{ path: own, name: wanted.name, namespace: parts.length === 0 ? null : parts.join('/') },
          },
        );
        return outcomeOf(db, id);
      });
    } finally {
      await repositories.close();
      await db.$disconnect();
    }
  });
}

async function outcomeOf(db: Db, id: number): Promise<ImportOutcome> {
  const select = { importStatus: true, importError: true, archiveImport: { select: { failedRelations: true } } };
  for (const begun = Date.now(); ; await setTimeout(LOOK_AGAIN_AFTER)) {
    const { importStatus, importError, archiveImport } = await db.project.findUniqueOrThrow({ where: { id }, select });
    const leftOut = (archiveImport?.failedRelations ?? []) as unknown as FailedRelation[];
    if (importStatus === 'finished' || importStatus === 'failed')
      return { status: importStatus, error: importError, leftOut };
    if (importStatus === 'scheduled' && Date.now() > begun + NOBODY_WORKS_AFTER)
      return { status: 'waiting', error: null, leftOut };
  }
}
