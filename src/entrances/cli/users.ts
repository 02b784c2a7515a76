import { parseArgs } from 'node:util';
import { RESET_PATH } from '#src/access/credentials/mail/paths.ts';
import { onDatabase, print, type Run, required, settings } from '#src/entrances/cli/command.ts';
import type { Config } from '#src/platform/config/config.ts';
import { readHolder } from '#src/platform/database/lock.ts';
import { reachable } from '#src/platform/lifecycle/listen.ts';
import { newToken } from '#src/platform/secrets.ts';

/** The commands `gantry user …`. */
export const userCommands: Record<string, Run> = {
  'user create': createUser,
  'user block': (args) => setBlocked(args, true),
  'user unblock': (args) => setBlocked(args, false),
  'user reset-link': printResetLink,
  'user disable-two-factor': disableTwoFactor,
};

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
  const { createUserFromCommandLine } = await import('#src/domain/users/bootstrap.ts');
  const { id } = await onDatabase('gantry user create', (db, secret) =>
    createUserFromCommandLine(db, secret, { username, email, name, admin: values.admin, password }),
  );
  print(`Created user ${username} with ID ${id}.\n`);
  return values.password === undefined ? print(`Password: ${password}\n`) : 0;
}

async function printResetLink(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { username: { type: 'string' } } });
  const username = required(values.username, '--username');
  const base = serverUrl(settings());
  const { resetTokenFromCommandLine } = await import('#src/domain/users/reset_password.ts');
  const token = await onDatabase('gantry user reset-link', (db) => resetTokenFromCommandLine(db, username));
  return print(`${base}${RESET_PATH}?token=${token}\n`);
}

async function disableTwoFactor(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { username: { type: 'string' } } });
  const username = required(values.username, '--username');
  const { disableTwoFactorFromCommandLine } = await import('#src/access/sign_in/two_factor/disable.ts');
  const changed = await onDatabase('gantry user disable-two-factor', (db) =>
    disableTwoFactorFromCommandLine(db, username),
  );
  if (!changed) return print(`Nothing to do: user ${username} has no two-factor authentication.\n`);
  return print(`Two-factor authentication of ${username} is disabled.\n`);
}

/** The server's URL: the configured one, else that of the running server, else the one that it would have. Throws Error. */
function serverUrl({ externalUrl, dataDir, host, port }: Config): string {
  const url = externalUrl ?? readHolder(dataDir)?.url;
  if (url !== undefined) return url;
  if (port === 0) throw new Error("The server's address is unknown: set GANTRY_URL or PORT.");
  return reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

async function setBlocked(args: string[], blocked: boolean): Promise<number> {
  const options = { username: { type: 'string' }, directory: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  const username = required(values.username, '--username');
  const { blockFromCommandLine, unblockFromCommandLine } = await import('#src/domain/users/block.ts');
  const change = blocked ? blockFromCommandLine : unblockFromCommandLine;
  const changed = await onDatabase(`gantry user ${blocked ? 'block' : 'unblock'}`, (db) =>
    change(db, { username, directory: values.directory }),
  );
  if (!changed)
    return print(
      `Nothing to do: ${username} is ${blocked ? 'blocked already' : 'active already, or was blocked by somebody else'}.\n`,
    );
  return print(`User ${username} is now ${blocked ? 'blocked' : 'active'}.\n`);
}
