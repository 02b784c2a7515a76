import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type LeftOut, PARTS, type Part } from '#src/domain/remote_imports/base/source.ts';
import type { ProviderName } from '#src/domain/remote_imports/providers.ts';
import { print, quietLog, type Run, required, settings, UsageError } from '#src/entrances/cli/command.ts';
import { refusal } from '#src/entrances/cli/explain.ts';
import { Progress } from '#src/entrances/cli/progress.ts';
import type { MoveProgress, OneOutcome, WantedMove, WantedMoves } from '#src/entrances/server/import_remote.ts';

/** The commands `gantry import …`: from an archive, and from each kind of server. */
export const importCommands: Record<string, Run> = {
  'import archive': importArchive,
  'import gitea': (args) => importRemote('gitea', args),
  'import github': (args) => importRemote('github', args),
  'import gitlab': (args) => importRemote('gitlab', args),
  'import gitlab-group': importGroup,
  'import update': updateRemote,
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
  const options = {
    ...{ into: text, user: text, name: text, url: text, parts: text, without: text },
    ...{ 'without-forks': flag, 'no-wait': flag, progress: flag },
  } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('name one OWNER/NAME');
  const isOfOwner = path.endsWith('/*');
  if (isOfOwner && values.name !== undefined) throw new UsageError('--name is for one project');
  if (!isOfOwner && values['without-forks']) throw new UsageError('--without-forks is for OWNER/*');
  const parts = givenParts(values.parts, values.without);
  const user = required(values.user, '--user');
  const token = await givenToken();
  const { into, name, url } = values;
  const wanted = { provider, token, user, into, url, parts, isLeft: values['no-wait'] };
  if (!isOfOwner) return importOne({ ...wanted, path, name }, values.progress);
  return importAll({ ...wanted, owner: path.slice(0, -'/*'.length), withoutForks: values['without-forks'] });
}

async function importOne(wanted: WantedMove, isProgressWanted: boolean): Promise<number> {
  const config = settings();
  const { importRemoteProject } = await import('#src/entrances/server/import_remote.ts');
  const progress = new Progress(isProgressWanted);
  const moved = await importRemoteProject(config, quietLog(config), wanted, (now) => progress.show(told(now))).finally(
    () => progress.end(),
  );
  const { path } = wanted;
  const { fullPath, status, error, leftOut } = moved;
  if (status === 'failed') throw new Error(`${path} was not imported: ${error}`);
  if (status === 'canceled') throw new Error(`The import of ${path} was canceled; ${fullPath} is empty.`);
  if (status === 'waiting') return print(`${fullPath} is filled while the server runs.\n`);
  return print(`Imported ${fullPath}.\n${listed('What did not come along', leftOut)}`);
}

async function updateRemote(args: string[]): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const options = { user: text, parts: text, 'no-wait': flag, progress: flag } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [project, ...others] = positionals;
  if (project === undefined || others.length > 0) throw new UsageError('name one PROJECT');
  const user = required(values.user, '--user');
  const parts = givenParts(values.parts, undefined);
  const token = await givenToken();
  const config = settings();
  const { updateRemoteProject } = await import('#src/entrances/server/import_remote.ts');
  const progress = new Progress(values.progress);
  const wanted = { project, token, user, parts, isLeft: values['no-wait'] };
  const { fullPath, status, error, leftOut } = await updateRemoteProject(config, quietLog(config), wanted, (now) =>
    progress.show(told(now)),
  ).finally(() => progress.end());
  if (status === 'failed') throw new Error(`${fullPath} was not updated: ${error}`);
  if (status === 'canceled') throw new Error(`The update of ${fullPath} was canceled.`);
  if (status === 'waiting') return print(`${fullPath} is updated while the server runs.\n`);
  return print(`Updated ${fullPath}.\n${listed('What was not updated', leftOut)}`);
}

/** What was left out, each on a line; nothing if that is nothing. */
function listed(heading: string, leftOut: readonly LeftOut[]): string {
  const lines = leftOut.map((one) => `  ${one.kind}${one.name === null ? '' : ` ${one.name}`}: ${one.message}\n`);
  return lines.length === 0 ? '' : `${heading}:\n${lines.join('')}`;
}

/** Prints a line for each project. */
async function importAll(wanted: WantedMoves): Promise<number> {
  const config = settings();
  const { importRemoteProjects } = await import('#src/entrances/server/import_remote.ts');
  let all = 0;
  let failed = 0;
  await importRemoteProjects(config, quietLog(config), wanted, (one) => {
    all += 1;
    if (one.status === 'failed' || one.status === 'canceled') failed += 1;
    print(`${outcomeOf(one)}\n`);
  });
  if (all === 0) return print(`${wanted.owner} has no projects that the token may read.\n`);
  if (failed > 0) throw new Error(`${failed} of ${all} projects were not imported.`);
  return 0;
}

function outcomeOf({ path, fullPath, status, error, refusal: refused, leftOut }: OneOutcome): string {
  const left = leftOut === 0 ? '' : `, without ${leftOut === 1 ? '1 thing' : `${leftOut} things`} that its page lists`;
  if (status === 'skipped') return `${path}: skipped, as there is a project at its path`;
  if (status === 'failed') return `${path}: failed: ${refused === null ? error : refusal(refused, 'import ')}`;
  if (status === 'canceled') return `${path}: canceled; ${fullPath} is empty`;
  if (status === 'waiting') return `${path}: ${fullPath} is filled while the server runs`;
  return `${path}: imported as ${fullPath}${left}`;
}

/** The parts that are to come along; all for none that are named. Throws UsageError. */
function givenParts(only: string | undefined, without: string | undefined): Part[] | undefined {
  if (only !== undefined && without !== undefined) throw new UsageError('give --parts or --without, not both');
  const given = only ?? without;
  if (given === undefined) return undefined;
  const named = given.split(',').map((name) => name.trim().replaceAll('-', '_'));
  const unknown = named.find((name) => !(PARTS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`there is no part ${JSON.stringify(unknown)}: name some of ${PARTS.join(', ')}`);
  }
  return PARTS.filter((part) => named.includes(part) === (only !== undefined));
}

async function importGroup(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const without = { 'without-projects': flag, 'without-members': flag } as const;
  const options = {
    into: text,
    user: text,
    path: text,
    url: text,
    'no-wait': flag,
    progress: flag,
    ...without,
  } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [source, ...others] = positionals;
  if (source === undefined || others.length > 0) throw new UsageError('name one GROUP');
  const user = required(values.user, '--user');
  const token = await givenToken();
  const config = settings();
  const { importRemoteGroup } = await import('#src/entrances/server/import_group.ts');
  const { into = '', path: slug = source.slice(source.lastIndexOf('/') + 1), url = 'https://gitlab.com' } = values;
  const parts = { withProjects: !values['without-projects'], withMembers: !values['without-members'] };
  const wanted = { url, source, token, slug, into, user, isLeft: values['no-wait'], ...parts };
  const progress = new Progress(values.progress);
  const show = ({ ended, all }: { ended: number; all: number }) => progress.show(`${ended} of ${all}`);
  const moved = await importRemoteGroup(config, quietLog(config), wanted, show).finally(() => progress.end());
  if (moved.status === 'waiting') return print(`${moved.fullPath} is filled while the server runs.\n`);
  const lines = moved.parts.flatMap(({ fullPath, status, error, leftOut }) => [
    `${fullPath}: ${error ?? status}\n`,
    ...leftOut.map((one) => `  ${one.kind}${one.name === null ? '' : ` ${one.name}`}: ${one.message}\n`),
  ]);
  print(lines.join(''));
  if (moved.status !== 'finished') throw new Error(`${source} was not imported`);
  return 0;
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
