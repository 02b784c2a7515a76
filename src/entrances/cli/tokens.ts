import { parseArgs } from 'node:util';
import { onDatabase, print, type Run, required, UsageError } from '#src/entrances/cli/command.ts';

/** The commands `gantry token …`. */
export const tokenCommands: Record<string, Run> = {
  'token create': createToken,
  'token list': listTokens,
  'token revoke': revokeToken,
};

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
  const { createTokenFromCommandLine } = await import('#src/access/credentials/tokens/create.ts');
  const { TOKEN_SCOPES } = await import('#src/access/permissions/scopes.ts');
  const odd = scopes.find((scope) => !(TOKEN_SCOPES as readonly string[]).includes(scope));
  if (odd !== undefined) throw new UsageError(`--scopes "${odd}" is not one of ${TOKEN_SCOPES.join(', ')}`);
  const { token } = await onDatabase('gantry token create', (db) =>
    createTokenFromCommandLine(db, { user, name, scopes, expiresAt }),
  );
  return print(`${token}\n`);
}

async function listTokens(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { user: { type: 'string' } } });
  const user = required(values.user, '--user');
  const { userNamed } = await import('#src/access/credentials/tokens/create.ts');
  const { listTokensFromCommandLine } = await import('#src/access/credentials/tokens/list.ts');
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
  const { userNamed } = await import('#src/access/credentials/tokens/create.ts');
  const { revokeTokenFromCommandLine } = await import('#src/access/credentials/tokens/revoke.ts');
  await onDatabase('gantry token revoke', async (db) =>
    revokeTokenFromCommandLine(db, await userNamed(db, user), Number(id)),
  );
  return print(`Token ${id} of ${user} is revoked.\n`);
}

function day(text: string): Date {
  const date = new Date(`${text}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text))
    return date;
  throw new UsageError(`--expires "${text}" is not a date of the form YYYY-MM-DD`);
}

/** Formats rows as lines, each column as wide as its widest cell. */
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
