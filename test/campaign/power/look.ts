import { tmpdir } from 'node:os';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { openUploads } from '#src/domain/uploads/open.ts';
import { check } from '#src/entrances/fsck/check.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { serve } from '#src/entrances/server/main.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { connect } from '#src/platform/database/db.ts';

/** What the campaign asks of this process. */
export type Wanted = { serve: NodeJS.ProcessEnv } | { fsck: NodeJS.ProcessEnv } | { stop: true };

const OPTIONS = { ephemeral: false, seed: false, exposeKnownTokens: false, control: false, port: undefined };

/**
 * Serves one data directory after another and checks it, as `gantry serve` and `gantry fsck` do, in a process that has loaded the
 * server once: loading it takes longer than everything else that is done after a power cut.
 */
async function handle(wanted: Wanted): Promise<void> {
  if ('stop' in wanted) {
    process.emit('SIGTERM');
  } else if ('fsck' in wanted) {
    process.send?.({ findings: await findings(wanted.fsck) });
  } else {
    // Each server would end the process at a second signal.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
    const ended = await serve(loadConfig(wanted.serve, tmpdir()), OPTIONS).catch((error) => String(error));
    process.send?.({ ended });
  }
}

async function findings(env: NodeJS.ProcessEnv): Promise<string[]> {
  const config = loadConfig(env, tmpdir());
  const db = connect(config.databaseUrl ?? '');
  const repositories = new RepositoryStore(config.storages);
  try {
    const stores = { db, repositories, uploads: await openUploads(config), followers: FOLLOWERS };
    const found: string[] = [];
    for await (const { project, place, what } of check(stores, { fix: false }))
      found.push(`${project} ${place}: ${what}`);
    return found;
  } finally {
    await repositories.close();
    await db.$disconnect();
  }
}

process.on('message', (wanted) => {
  handle(wanted as Wanted).catch((error) => {
    process.send?.({ ended: String(error), findings: [String(error)] });
  });
});
process.send?.({ isReady: true });
