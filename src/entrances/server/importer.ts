import { setTimeout } from 'node:timers/promises';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { userNamed } from '#src/access/credentials/tokens/create.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { openUploads } from '#src/domain/uploads/open.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import type { ImportStatus } from '#src/generated/prisma/client.ts';
import { withQueue } from '#src/platform/background/boss.ts';
import type { JobName } from '#src/platform/background/queue.ts';
import type { Config } from '#src/platform/config/config.ts';
import { connect } from '#src/platform/database/db.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { NotFound } from '#src/platform/errors.ts';
import { withDatabase } from '#src/platform/lifecycle/database.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';
import { agreeOnSecret } from '#src/platform/lifecycle/secret.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { importSettings } from '#src/platform/outbound/options.ts';

/** A command that leaves jobs of a name for the server, in the name of a user. */
interface ImportCommand {
  name: string;
  /** Username of the importer. */
  user: string;
  job: JobName;
}

/** Runs work in the name of a user, beside the server of the settings. Throws an Error where there is no server, NotFound for the user. */
export async function asImporter<Result>(
  config: Config,
  log: Logger,
  command: ImportCommand,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  requireGantry(config);
  return withDatabase(config, log, command.name, async (url) => {
    await migrate(url);
    const db = connect(url);
    const repositories = new RepositoryStore(config.storages);
    try {
      const secret = await agreeOnSecret(db, config);
      const actor = await activeUser(db, await userNamed(db, command.user));
      if (!actor) throw new NotFound('User', `The user ${command.user} is not active.`);
      const imports = importSettings({
        hosts: config.importHosts,
        webhookHosts: config.webhookHosts,
        maxBytes: config.importMaxBytes,
      });
      const stores = { db, repositories, uploads: await openUploads(config), secret, imports, followers: FOLLOWERS };
      return await withQueue(url, [command.job], (jobs) => work({ ...stores, jobs, actor, clientAddress: null }));
    } finally {
      await repositories.close();
      await db.$disconnect();
    }
  });
}

/** Milliseconds after which nobody seems to work on an import, and between two looks at it. */
const NOBODY_WORKS_AFTER = 15_000;
const LOOK_AGAIN_AFTER = 500;

/** Looks at an import until it has ended. Null where no server works on it. */
export async function ended<Found extends { status: ImportStatus | 'none' }>(
  look: () => Promise<Found>,
  show: (found: Found) => void = () => undefined,
): Promise<(Found & { status: ImportStatus }) | null> {
  for (const begun = Date.now(); ; await setTimeout(LOOK_AGAIN_AFTER)) {
    const found = await look();
    const { status } = found;
    if (status !== 'scheduled' && status !== 'started') return status === 'none' ? null : { ...found, status };
    if (status === 'scheduled' && Date.now() > begun + NOBODY_WORKS_AFTER) return null;
    show(found);
  }
}
