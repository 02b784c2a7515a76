import { parseArgs } from 'node:util';
import { backupCommands } from './operating/commands/backup.ts';
import { print, quietLog, type Run, settings, UsageError } from './operating/commands/command.ts';
import { doctorCommands } from './operating/commands/doctor.ts';
import { fsckCommands } from './operating/commands/fsck.ts';
import { jobCommands } from './operating/commands/jobs.ts';
import { keyCommands } from './operating/commands/keys.ts';
import { seedCommands } from './operating/commands/seed.ts';
import { readServeOptions } from './operating/commands/serve_options.ts';
import { tokenCommands } from './operating/commands/tokens.ts';
import { upgradeCommands } from './operating/commands/upgrade.ts';
import { userCommands } from './operating/commands/users.ts';
import { migrate } from './platform/database/migrate.ts';
import { withDatabase } from './platform/lifecycle/database.ts';
import { packageVersion } from './platform/package_root.ts';

const usage = `Usage: gantry <command> [options]

Commands:
  serve            run the server
    --ephemeral      with a temporary data directory and a free port, for test suites
    --port NUMBER    this port instead, of an ephemeral server
    --seed           filled with sample data, with known passwords and tokens; of an ephemeral server
    --expose-known-tokens
                     although HOST lets other machines reach them
  seed             fill a new server with sample data: people, groups, projects, issues, pipelines
    --beside         also where others are at work already; the passwords are random and printed
  migrate          bring the database up to date
  user create      create a user
    --username NAME --email ADDRESS --name "FULL NAME"
    --admin          as an administrator
    --password TEXT  generated and printed if left out
  user block       lock a user out, at once
    --username NAME
    --directory      for directory synchronisation: administrators cannot undo it through the API
  user unblock     let a user in again
    --username NAME
    --directory      only where directory synchronisation had locked the user out
  user reset-link  print a link with which a user chooses a new password; it is good for a day, and once
    --username NAME
  user disable-two-factor
                   for who has lost app and recovery codes
    --username NAME
  token create     create a personal access token and print it
    --user USERNAME --scopes api,read_user
    --name TEXT      what it is for
    --expires DATE   first day on which it is inactive, as YYYY-MM-DD
  token list       print the tokens of a user, without the tokens themselves
    --user USERNAME
  token revoke     revoke a token
    --user USERNAME --id NUMBER
  work             work on background jobs beside the server, on its machine or another one with the same files
    --queues a,b     only on these; all when left out
    --concurrency N  how many at once; 10 when left out
    --label TEXT     what the metrics show of it; may be repeated
  jobs dead        print the jobs that failed as often as they may
  jobs retry       try such jobs again
    --id ID, or --all
  fsck             check repositories and uploaded files, and compare them with the database
    --project PATH   only of this project
    --fix            remove what is safe to remove: leftovers of processes that died
  doctor           look at everything that the server needs; the exit status is 1 when something is broken
    --json           for programs
  backup FILE|-    write all of the server into a file, while it runs: database, repositories, uploads and secret
    --since EARLIER  leave out what this earlier backup, or what it builds on, has
    --without-secret leave out the key of what is stored encrypted
    --force          replace FILE
    --progress       show what is being done, also where there is no terminal
  backup verify FILE [EARLIER …]
                   read a backup, and those that it builds on, and compare it with its checksums
  restore FILE|- [EARLIER …]
                   make a server of a backup, in an empty data directory and database
    --progress
  upgrade          move the embedded PostgreSQL to the version that this Gantry comes with, while the server is stopped
    --from DIRECTORY where the programs of the old version are, if that is not a usual place
    --progress
  keys rotate      give OAuth new keys to sign ID tokens and cookies with

Options:
  --help, --version

The settings are read from the environment and from a file .env in the working directory: HOST, PORT, GANTRY_DATA,
DATABASE_URL, GANTRY_URL, GANTRY_SECRET, GANTRY_ROOT_PASSWORD, GANTRY_ROOT_TOKEN, GANTRY_STORAGES, GANTRY_IMPORT_HOSTS,
GANTRY_IMPORT_MAX_BYTES, GANTRY_MAX_INLINE_BYTES, GANTRY_QUEUES, GANTRY_CONCURRENCY, GANTRY_DRAIN_SECONDS,
GANTRY_GIT_GRACE_SECONDS, GANTRY_MIN_FREE_BYTES, GANTRY_METRICS_ADDRESSES, GANTRY_METRICS_PORT, GANTRY_SLOW_STATEMENT_MS,
GANTRY_SLOW_OPERATION_MS, LOG_LEVEL, TRUST_PROXY, SMTP_URL, MAIL_FROM. The README tells of all of them.
The commands other than serve, work, restore and upgrade run while the server runs and while it is stopped.
`;

const commands: Record<string, Run> = {
  serve,
  migrate: migrateDatabase,
  ...seedCommands,
  ...userCommands,
  ...tokenCommands,
  ...keyCommands,
  ...jobCommands,
  ...fsckCommands,
  ...backupCommands,
  ...upgradeCommands,
  ...doctorCommands,
};

/**
 * Runs the program.
 *
 * @param args what follows the program's name
 * @returns the exit status: 0, 1 if it failed, 2 if the command line was wrong
 */
export async function main(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) return print(usage);
  if (args.includes('--version')) return print(`${packageVersion()}\n`);
  try {
    const words = args.findIndex((arg) => arg.startsWith('-'));
    const { name, run } = findCommand(args.slice(0, words === -1 ? undefined : words));
    return await run(args.slice(name.split(' ').length));
  } catch (error) {
    if (isWrongUse(error)) {
      process.stderr.write(`gantry: ${error.message}\n\n${usage}`);
      return 2;
    }
    process.stderr.write(`gantry: ${describe(error)}\n`);
    return 1;
  }
}

/** The command whose name the words begin with: two of them, or one. What follows is for the command. */
function findCommand(words: string[]): { name: string; run: Run } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (run !== undefined) return { name, run };
  }
  throw new UsageError(words.length === 0 ? 'a command is missing' : `there is no command "${words.join(' ')}"`);
}

async function serve(args: string[]): Promise<number> {
  const options = readServeOptions(args);
  const { serve } = await import('./main.ts');
  return serve(settings(), options);
}

async function migrateDatabase(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const config = settings();
  const applied = await withDatabase(config, quietLog(config), 'gantry migrate', (url) => migrate(url));
  return print(applied.length === 0 ? 'The database is up to date.\n' : `Applied:\n  ${applied.join('\n  ')}\n`);
}

function isWrongUse(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
}

/** Refusals of the domain name the failing fields in their message; where something unexpected broke, the stack helps. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env.LOG_LEVEL === 'debug' ? `${error.message}\n${error.stack}` : error.message;
}
