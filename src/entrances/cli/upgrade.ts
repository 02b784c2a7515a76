import { parseArgs } from 'node:util';
import { print, quietLog, type Run, settings } from '#src/entrances/cli/command.ts';
import { Progress } from '#src/entrances/cli/progress.ts';
import { lockDataDirectory } from '#src/platform/database/lock.ts';

/** The command `gantry upgrade`. */
export const upgradeCommands: Record<string, Run> = { upgrade };

async function upgrade(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { from: { type: 'string' }, progress: { type: 'boolean', default: false } },
  });
  const config = settings();
  if (config.databaseUrl !== undefined) {
    throw new Error(
      'The PostgreSQL of DATABASE_URL is upgraded as its own documentation says, or by `gantry backup` and `gantry restore`.',
    );
  }
  const { upgradeCluster } = await import('#src/entrances/backup/upgrade.ts');
  const progress = new Progress(values.progress);
  const lock = lockDataDirectory(config.dataDir, 'gantry upgrade');
  try {
    const onStep = (text: string) => progress.show(text);
    const done = await upgradeCluster({ dataDir: config.dataDir, from: values.from, log: quietLog(config), onStep });
    progress.end();
    if (done === null) return print('Nothing to do: PostgreSQL already has the version that comes with Gantry.\n');
    for (const table of done.foreign)
      print(`Skipped table ${table}, which does not belong to Gantry. It is still in the old data.\n`);
    return print(
      `PostgreSQL ${done.from} is now ${done.to}: ${done.rows} rows of ${done.tables} tables were copied and compared.\n` +
        `The old one is kept in ${done.kept}. Remove it when you are content.\n`,
    );
  } finally {
    lock.release();
  }
}
