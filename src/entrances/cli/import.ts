import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { ProviderName } from '#src/domain/remote_imports/providers.ts';
import { print, quietLog, type Run, required, settings, UsageError } from '#src/entrances/cli/command.ts';
import { Progress } from '#src/entrances/cli/progress.ts';
import type { MoveProgress } from '#src/entrances/server/import_remote.ts';

/** The commands `gantry import …`: from an archive, and from each kind of server. */
export const importCommands: Record<string, Run> = {
  'import archive': importArchive,
  'import gitea': (args) => importRemote('gitea', args),
  'import github': (args) => importRemote('github', args),
  'import gitlab': (args) => importRemote('gitlab', args),
};

async function importArchive(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const options = { into: text, user: text, name: text } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError('name one FILE');
  const into = required(values.into, '--into');
  const user = required(values.user, '--user');
  const config = settings();
  const { importArchiveFile } = await import('#src/entrances/server/import_archive.ts');
  const wanted = { file, into, user, name: values.name };
  const { status, error, leftOut } = await importArchiveFile(config, quietLog(config), wanted);
  if (status === 'failed') throw new Error(`${into} was not imported: ${error}`);
  if (status === 'waiting') return print(`${into} is filled as soon as the server runs.\n`);
  const lines = leftOut.map(({ relation, line, message }) => `  ${relation}, line ${line}: ${message}\n`);
  const rest = lines.length === 0 ? '' : `What did not come along:\n${lines.join('')}`;
  return print(`Imported ${into}.\n${rest}`);
}

async function importRemote(provider: ProviderName, args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { into: text, user: text, name: text, url: text, 'no-wait': flag, progress: flag } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('name one OWNER/NAME');
  const user = required(values.user, '--user');
  const token = await givenToken();
  const config = settings();
  const { importRemoteProject } = await import('#src/entrances/server/import_remote.ts');
  const { into, name, url } = values;
  const wanted = { provider, path, token, user, into, name, url, isLeft: values['no-wait'] };
  const progress = new Progress(values.progress);
  const moved = await importRemoteProject(config, quietLog(config), wanted, (now) => progress.show(told(now))).finally(
    () => progress.end(),
  );
  const { fullPath, status, error, leftOut } = moved;
  if (status === 'failed') throw new Error(`${path} was not imported: ${error}`);
  if (status === 'canceled') throw new Error(`The import of ${path} was canceled; ${fullPath} is empty.`);
  if (status === 'waiting') return print(`${fullPath} is filled while the server runs.\n`);
  const lines = leftOut.map((one) => `  ${one.kind}${one.name === null ? '' : ` ${one.name}`}: ${one.message}\n`);
  const rest = lines.length === 0 ? '' : `What did not come along:\n${lines.join('')}`;
  return print(`Imported ${fullPath}.\n${rest}`);
}

/** The token of the other server, which other users of this machine would see on a command line. Throws UsageError. */
async function givenToken(): Promise<string> {
  const { GANTRY_IMPORT_TOKEN: kept } = process.env;
  const token = kept || (process.stdin.isTTY ? '' : (await readText(process.stdin)).trim());
  if (token !== '') return token;
  throw new UsageError('the token is missing: put it into GANTRY_IMPORT_TOKEN, or on the standard input');
}

/** How far an import is, on a line. */
function told({ phase, counts, continuesAt }: MoveProgress): string {
  if (continuesAt !== null) return `The server takes no more requests until ${continuesAt.toISOString()}`;
  const count = counts.find(({ kind }) => kind === phase);
  const number = count ? `: ${count.fetched}${count.total === null ? '' : ` of ${count.total}`}` : '';
  return phase === null ? 'Waiting' : `${phase.replaceAll('_', ' ')}${number}`;
}
