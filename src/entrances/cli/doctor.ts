import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { print, type Run, settings } from '#src/entrances/cli/command.ts';
import type { Checked } from '#src/entrances/doctor/check.ts';
import { type Config, ConfigError } from '#src/platform/config/config.ts';
import type { DatabaseLog } from '#src/platform/database/embedded_options.ts';
import { withDatabase } from '#src/platform/lifecycle/database.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';

/** The command `gantry doctor`. */
export const doctorCommands: Record<string, Run> = { doctor };

/** Milliseconds that the embedded PostgreSQL of a stopped server may take to start; after a crash it must recover first. */
const OPENING = 60_000;

async function doctor(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
  const checked = await checkAll();
  const failed = checked.some(({ status }) => status === 'FAIL');
  print(values.json ? `${JSON.stringify({ ok: !failed, checks: checked }, null, 2)}\n` : tableOf(checked));
  return failed ? 1 : 0;
}

/** Invalid settings are the only result: nothing can be checked with them. */
async function checkAll(): Promise<Checked[]> {
  let config: Config;
  try {
    config = settings();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Correct it in the environment, or in the file .env.';
    return error.problems.map((summary) => ({ name: 'settings', status: 'FAIL', summary, advice }));
  }
  const right: Checked = { name: 'settings', status: 'OK', summary: 'all are well-formed' };
  return [right, ...(await examineAll(config))];
}

async function examineAll(config: Config): Promise<Checked[]> {
  const { examine } = await import('#src/entrances/doctor/examine.ts');
  const absent = config.databaseUrl === undefined ? absence(config) : null;
  if (absent) return examine(config, absent);
  let examining: Promise<Checked[]> | undefined;
  const work = (url: string) => (examining = examine(config, url));
  const without = (error: Error) => examining ?? examine(config, error);
  const opening = withDatabase(config, silent, 'gantry doctor', work).catch(without);
  const late = sleep(OPENING, null, { ref: false }).then(() =>
    without(new Error(`the embedded PostgreSQL did not start within ${OPENING / 1000} seconds`)),
  );
  return Promise.race([opening, late]);
}

/** Why there is nothing to open; null if there is. With DATABASE_URL the checks find out. */
function absence(config: Config): Error | null {
  try {
    requireGantry(config);
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** Formats one line per check, with advice below. */
function tableOf(checked: readonly Checked[]): string {
  const width = Math.max(...checked.map(({ name }) => name.length));
  const lines = checked.flatMap(({ name, status, summary, advice }) => [
    `${status.padEnd(4)}  ${name.padEnd(width)}  ${summary}`,
    ...(advice === undefined || status === 'OK' ? [] : [`${' '.repeat(width + 8)}→ ${advice}`]),
  ]);
  const count = (status: string) => checked.filter((check) => check.status === status).length;
  return `${lines.join('\n')}\n\n${count('OK')} OK, ${count('WARN')} WARN, ${count('FAIL')} FAIL\n`;
}

/** Errors are shown in the table instead. */
const silent: DatabaseLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
