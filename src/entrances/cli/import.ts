import { parseArgs } from 'node:util';
import { print, quietLog, type Run, required, settings, UsageError } from '#src/entrances/cli/command.ts';

/** The command `gantry import archive`. */
export const importCommands: Record<string, Run> = { 'import archive': importArchive };

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
