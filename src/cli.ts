import { parseArgs } from 'node:util';
import { type Config, loadConfig } from './config.ts';
import { migrate } from './database/migrate.ts';
import type { Db } from './db.ts';
import { withDatabase } from './lifecycle/database.ts';
import { loadSecret } from './lifecycle/secret.ts';
import { createLogger, type Logger } from './log.ts';
import { packageVersion } from './package-root.ts';
import { newToken } from './secrets.ts';

const usage = `Usage: gantry <command> [options]

Commands:
  serve            run the server
    --ephemeral      with a temporary data directory and a free port, for test suites
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
  token create     create a personal access token and print it
    --user USERNAME --scopes api,read_user
    --name TEXT      what it is for
    --expires DATE   first day on which it is inactive, as YYYY-MM-DD
  token list       print the tokens of a user, without the tokens themselves
    --user USERNAME
  token revoke     make a token useless, at once
    --user USERNAME --id NUMBER

Options:
  --help, --version

The settings are read from the environment and from a file .env in the working directory: HOST, PORT, GANTRY_DATA,
DATABASE_URL, GANTRY_URL, GANTRY_SECRET, GANTRY_ROOT_PASSWORD, GANTRY_ROOT_TOKEN, LOG_LEVEL, TRUST_PROXY.
The commands other than serve work while the server runs and while it is stopped.
`;

/** The command line was wrong, as opposed to what it asked for. */
class UsageError extends Error {}

type Run = (args: string[]) => Promise<number>;

const commands: Record<string, Run> = {
  serve,
  migrate: migrateDatabase,
  'user create': createUser,
  'user block': (args) => setBlocked(args, true),
  'user unblock': (args) => setBlocked(args, false),
  'token create': createToken,
  'token list': listTokens,
  'token revoke': revokeToken,
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
    const name = args.slice(0, words === -1 ? undefined : words).join(' ');
    const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (run === undefined) throw new UsageError(name === '' ? 'a command is missing' : `there is no command "${name}"`);
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

async function serve(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { ephemeral: { type: 'boolean', default: false } } });
  const { serve } = await import('./main.ts');
  return serve(settings(), { ephemeral: values.ephemeral });
}

async function migrateDatabase(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  const config = settings();
  const applied = await withDatabase(config, quietLog(config), 'gantry migrate', (url) => migrate(url));
  return print(applied.length === 0 ? 'The database is up to date.\n' : `Applied:\n  ${applied.join('\n  ')}\n`);
}

async function createUser(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { username: text, email: text, name: text, password: text, admin: { type: 'boolean', default: false } },
  });
  const username = required(values.username, '--username');
  const email = required(values.email, '--email');
  const name = required(values.name, '--name');
  const password = values.password ?? newToken();
  const { createUserFromCommandLine } = await import('./users/bootstrap.ts');
  const { id } = await onDatabase('gantry user create', (db, secret) =>
    createUserFromCommandLine(db, secret, { username, email, name, admin: values.admin, password }),
  );
  print(`Created user ${username} with ID ${id}.\n`);
  return values.password === undefined ? print(`Password: ${password}\n`) : 0;
}

async function createToken(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { user: text, scopes: text, name: text, expires: text } });
  const user = required(values.user, '--user');
  const scopes = required(values.scopes, '--scopes')
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
  const expiresAt = values.expires === undefined ? undefined : day(values.expires);
  const name = values.name ?? 'Command line';
  const { createTokenFromCommandLine } = await import('./tokens/create.ts');
  const { token } = await onDatabase('gantry token create', (db) =>
    createTokenFromCommandLine(db, { user, name, scopes, expiresAt }),
  );
  return print(`${token}\n`);
}

async function setBlocked(args: string[], blocked: boolean): Promise<number> {
  const options = { username: { type: 'string' }, directory: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  const username = required(values.username, '--username');
  const { blockFromCommandLine, unblockFromCommandLine } = await import('./users/block.ts');
  const change = blocked ? blockFromCommandLine : unblockFromCommandLine;
  const changed = await onDatabase(`gantry user ${blocked ? 'block' : 'unblock'}`, (db) =>
    change(db, { username, directory: values.directory }),
  );
  if (!changed) return print(`Nothing to do: user ${username} is in that state, or was put into another by others.\n`);
  return print(`User ${username} is ${blocked ? 'blocked' : 'active'} from now on.\n`);
}

async function listTokens(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { user: { type: 'string' } } });
  const user = required(values.user, '--user');
  const { userNamed } = await import('./tokens/create.ts');
  const { listTokensFromCommandLine } = await import('./tokens/list.ts');
  const tokens = await onDatabase('gantry token list', async (db) =>
    listTokensFromCommandLine(db, await userNamed(db, user)),
  );
  const rows = tokens.map(({ id, active, revoked, expiresAt, scopes, impersonation, name }) => {
    const state = active ? 'active' : revoked ? 'revoked' : 'expired';
    const kind = impersonation ? 'impersonation' : 'personal';
    return [String(id), state, expiresAt ?? 'never', kind, scopes.join(','), name];
  });
  return print(table([['ID', 'STATE', 'EXPIRES', 'KIND', 'SCOPES', 'NAME'], ...rows]));
}

async function revokeToken(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { user: text, id: text } });
  const user = required(values.user, '--user');
  const id = required(values.id, '--id');
  if (!/^\d{1,9}$/.test(id)) throw new UsageError(`--id "${id}" is not a number`);
  const { userNamed } = await import('./tokens/create.ts');
  const { revokeTokenFromCommandLine } = await import('./tokens/revoke.ts');
  await onDatabase('gantry token revoke', async (db) =>
    revokeTokenFromCommandLine(db, await userNamed(db, user), Number(id)),
  );
  return print(`Token ${id} of ${user} is revoked.\n`);
}

/** Rows as lines, each column as wide as its widest cell. */
function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Runs work on the migrated database of the settings. */
async function onDatabase<Result>(command: string, work: (db: Db, secret: string) => Promise<Result>): Promise<Result> {
  const config = settings();
  const { connect } = await import('./db.ts');
  return withDatabase(config, quietLog(config), command, async (url) => {
    await migrate(url);
    const db = connect(url);
    try {
      return await work(db, loadSecret(config));
    } finally {
      await db.$disconnect();
    }
  });
}

function settings(): Config {
  return loadConfig(process.env, process.cwd());
}

/** Commands are run by people and scripts that read their output: only what is wrong is worth a log line in it. */
function quietLog(config: Config): Logger {
  return createLogger(config.logLevel === 'info' ? 'error' : config.logLevel);
}

function required(value: string | undefined, option: string): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new UsageError(`${option} is missing`);
}

function day(text: string): Date {
  const date = new Date(`${text}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text))
    return date;
  throw new UsageError(`--expires "${text}" is not a date of the form YYYY-MM-DD`);
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

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
