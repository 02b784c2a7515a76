import { parseArgs } from 'node:util';
import { migrate } from '../../platform/database/migrate.ts';
import { withDatabase } from '../../platform/lifecycle/database.ts';
import { packageVersion } from '../../platform/package_root.ts';
import { backupCommands } from './backup.ts';
import { print, quietLog, type Run, settings } from './command.ts';
import { doctorCommands } from './doctor.ts';
import { explain } from './explain.ts';
import { fsckCommands } from './fsck.ts';
import { findCommand, helpOn, overview, WrongUse } from './help.ts';
import { importCommands } from './import.ts';
import { jobCommands } from './jobs.ts';
import { keyCommands } from './keys.ts';
import { mailInCommands } from './mail_in.ts';
import { runnerCommands } from './runner.ts';
import { seedCommands } from './seed.ts';
import { readServeOptions } from './serve_options.ts';
import { tokenCommands } from './tokens.ts';
import { upgradeCommands } from './upgrade.ts';
import { userCommands } from './users.ts';

/** The implementations of the commands; `gantry help` lists those in manual.ts. */
export const commands: Readonly<Record<string, Run>> = {
  serve,
  migrate: migrateDatabase,
  ...seedCommands,
  ...userCommands,
  ...tokenCommands,
  ...keyCommands,
  ...jobCommands,
  ...mailInCommands,
  ...importCommands,
  ...fsckCommands,
  ...backupCommands,
  ...upgradeCommands,
  ...doctorCommands,
  ...runnerCommands,
};

/**
 * Runs the program.
 *
 * @param args what follows the program's name
 * @returns the exit status: 0, 1 if it failed, 2 if the command line was wrong
 */
export async function main(args: string[]): Promise<number> {
  let command: string | undefined;
  try {
    const [first = ''] = args;
    if (['--version', '-v', '-V', 'version'].includes(first)) return print(`${packageVersion()}\n`);
    const firstOption = args.findIndex((arg) => arg.startsWith('-'));
    const words = args.slice(0, firstOption === -1 ? undefined : firstOption);
    if (first === 'help' || asksForHelp(args)) return print(help(words.filter((word) => word !== 'help')));
    if (words.length === 0 && first !== '') throw unknownOption(first);
    const { name, length } = findCommand(words);
    command = name;
    return await runOf(name)(args.slice(length));
  } catch (error) {
    const { text, status } = explain(error, command);
    process.stderr.write(`gantry: ${text}\n`);
    return status;
  }
}

/** After `--`, `--help` is not an option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

function help(words: readonly string[]): string {
  return words.length === 0 ? overview() : helpOn(words);
}

function unknownOption(option: string): WrongUse {
  return new WrongUse(`unknown option ${option}`, 'Run `gantry help` for the list of commands.');
}

function runOf(name: string): Run {
  const run = commands[name];
  if (run === undefined) throw new Error(`The manual has a command ${name} that there is not`);
  return run;
}

async function serve(args: string[]): Promise<number> {
  const options = readServeOptions(args);
  const { serve } = await import('../server/main.ts');
  return serve(settings(), options);
}

async function migrateDatabase(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const config = settings();
  const applied = await withDatabase(config, quietLog(config), 'gantry migrate', (url) => migrate(url));
  return print(applied.length === 0 ? 'The database is up to date.\n' : `Applied:\n  ${applied.join('\n  ')}\n`);
}
