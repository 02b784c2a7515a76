import { type Config, loadConfig } from '#src/platform/config/config.ts';
import type { Db } from '#src/platform/database/db.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { withDatabase } from '#src/platform/lifecycle/database.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';
import { agreeOnSecret } from '#src/platform/lifecycle/secret.ts';
import { createLogger, type Logger } from '#src/platform/observability/log.ts';

/** Thrown if the command line is wrong, as opposed to a failure of the command. */
export class UsageError extends Error {}

/** A command: takes the arguments after its name, returns the exit status. */
export type Run = (args: string[]) => Promise<number>;

/** Runs work on the migrated database of an existing server, given its URL. Throws an Error if there is none. */
export async function onDatabaseUrl<Result>(command: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const config = settings();
  requireGantry(config);
  return withDatabase(config, quietLog(config), command, async (url) => {
    await migrate(url);
    return work(url);
  });
}

/** Runs work on the migrated database of the configuration. */
export async function onDatabase<Result>(
  command: string,
  work: (db: Db, secret: string) => Promise<Result>,
): Promise<Result> {
  const config = settings();
  const { connect } = await import('#src/platform/database/db.ts');
  return withDatabase(config, quietLog(config), command, async (url) => {
    await migrate(url);
    const db = connect(url);
    try {
      return await work(db, await agreeOnSecret(db, config));
    } finally {
      await db.$disconnect();
    }
  });
}

let warned = false;

/** The settings of the environment and of the file .env. Unknown names that look like settings are reported once. */
export function settings(): Config {
  const config = loadConfig(process.env, process.cwd());
  if (!warned) for (const warning of config.warnings) process.stderr.write(`gantry: ${warning}\n`);
  warned = true;
  return config;
}

/** Logs warnings and errors only, as people and scripts read the output of commands. */
export function quietLog(config: Config): Logger {
  return createLogger(config.logLevel === 'info' ? 'error' : config.logLevel);
}

/** The value of a required option. Throws UsageError. */
export function required(value: string | undefined, option: string): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new UsageError(`${option} is missing`);
}

/** Writes to the standard output; returns the exit status of success. */
export function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
