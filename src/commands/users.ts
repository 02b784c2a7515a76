import { parseArgs } from 'node:util';
import { onDatabase, print, type Run, required } from '#src/commands/command.ts';
import { newToken } from '#src/secrets.ts';

/** What `gantry user …` can do. */
export const userCommands: Record<string, Run> = {
  'user create': createUser,
  'user block': (args) => setBlocked(args, true),
  'user unblock': (args) => setBlocked(args, false),
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
  const { createUserFromCommandLine } = await import('#src/users/bootstrap.ts');
  const { id } = await onDatabase('gantry user create', (db, secret) =>
    createUserFromCommandLine(db, secret, { username, email, name, admin: values.admin, password }),
  );
  print(`Created user ${username} with ID ${id}.\n`);
  return values.password === undefined ? print(`Password: ${password}\n`) : 0;
}

async function setBlocked(args: string[], blocked: boolean): Promise<number> {
  const options = { username: { type: 'string' }, directory: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  const username = required(values.username, '--username');
  const { blockFromCommandLine, unblockFromCommandLine } = await import('#src/users/block.ts');
  const change = blocked ? blockFromCommandLine : unblockFromCommandLine;
  const changed = await onDatabase(`gantry user ${blocked ? 'block' : 'unblock'}`, (db) =>
    change(db, { username, directory: values.directory }),
  );
  if (!changed) return print(`Nothing to do: user ${username} is in that state, or was put into another by others.\n`);
  return print(`User ${username} is ${blocked ? 'blocked' : 'active'} from now on.\n`);
}
