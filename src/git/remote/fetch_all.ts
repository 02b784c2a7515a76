import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GitError, ProgramFailed } from '../base/errors.ts';
import { initRepository } from '../init.ts';
import { killGroup, startGroup } from '../program/group.ts';
import { collectComplaint } from '../program/run.ts';
import { RefReader } from '../refs/read.ts';

/** Blemishes of old histories that do no harm. */
const TOLERATED = ['zeroPaddedFilemode', 'missingSpaceBeforeDate', 'badTimezone'];

/** What the program may take of memory in one piece, in bytes: a list of eight million objects, or one object. */
const MAX_ALLOCATION_BYTES = 1024 ** 3;

/** Nothing is connected to but the URL that is given, by HTTP alone, as it is. */
const ALONE = [
  'protocol.allow=never',
  'protocol.http.allow=always',
  'http.followRedirects=false',
  'http.proxy=',
  'http.maxRequests=1',
  'credential.helper=',
  'transfer.bundleURI=false',
  'fetch.uriProtocols=',
  'fetch.fsckObjects=true',
  'core.fsync=objects,reference',
  // What a HEAD that names nothing comes to.
  'init.defaultBranch=main',
  'init.defaultObjectFormat=sha1',
  'init.defaultRefFormat=files',
  ...TOLERATED.map((name) => `fetch.fsck.${name}=ignore`),
].flatMap((setting) => ['-c', setting]);

/** The history of the source is cut off: its oldest commits have parents that it does not have. */
export class ShallowSource extends GitError {
  override name = 'ShallowSource';
}

/** The source names its objects by other hashes than SHA-1. */
export class ForeignHashes extends GitError {
  override name = 'ForeignHashes';
}

/**
 * Fetches all branches and tags from a URL into a bare repository that is empty. All files are synced to the disk when this
 * returns; the directories have to be synced thereafter.
 *
 * @returns the full name of the branch that HEAD stands for at the source; null if it stands for none
 * @throws ShallowSource, ForeignHashes, ProgramFailed, or the signal's reason
 */
export async function fetchAll(url: string, directory: string, signal: AbortSignal): Promise<string | null> {
  // A clone writes all refs to one file; a fetch gives each a file of its own, which takes fifteen times as long for 20,000.
  const clone = path.join(directory, 'clone');
  await run(['clone', '--quiet', '--bare', '--template=', '--no-local', '--', url, clone], signal);
  // A clone takes over what the source has.
  const config = await readFile(path.join(clone, 'config'), 'utf8');
  if (/^[ \t]*objectformat[ \t]*=[ \t]*(?!sha1[ \t]*$)/im.test(config))
    throw new ForeignHashes(`${url} has no SHA-1 hashes`);
  if (existsSync(path.join(clone, 'shallow'))) throw new ShallowSource(`${url} is shallow`);
  const head = await readFile(path.join(clone, 'HEAD'), 'utf8');
  await rm(path.join(directory, 'objects'), { recursive: true });
  await rename(path.join(clone, 'objects'), path.join(directory, 'objects'));
  // Sources without branches and tags leave none.
  if (existsSync(path.join(clone, 'packed-refs'))) {
    await rename(path.join(clone, 'packed-refs'), path.join(directory, 'packed-refs'));
  }
  await rm(clone, { recursive: true });
  return /^ref: (.+)\n/.exec(head)?.[1] ?? null;
}

/**
 * Fetches all branches and tags from a URL to a draft that does not exist yet, with those objects alone that another repository lacks,
 * from which the draft borrows the others.
 *
 * @returns as fetchAll; null where the other repository has refs already
 * @throws as fetchAll
 */
export async function fetchMissing(
  url: string,
  draft: string,
  other: string,
  signal: AbortSignal,
): Promise<string | null> {
  await initRepository(draft, 'master');
  if ((await new RefReader(other).list('refs/')).length === 0) return fetchAll(url, draft, signal);
  await writeFile(path.join(draft, 'objects', 'info', 'alternates'), `${path.resolve(other, 'objects')}\n`);
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
  await run([`--git-dir=${draft}`, 'fetch', ...quiet, '--', url, ...refspecs], signal);
  if (existsSync(path.join(draft, 'shallow'))) throw new ShallowSource(`${url} is shallow`);
  return null;
}

/**
 * Fetches further refs from a URL into a repository. Throws ProgramFailed, or the signal's reason.
 *
 * @param refspecs as git takes them, of full names
 */
export async function fetchRefs(
  url: string,
  directory: string,
  refspecs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  await run([`--git-dir=${directory}`, 'fetch', ...quiet, '--', url, ...refspecs], signal);
}

/**
 * Pushes refs of a repository to a URL.
 *
 * @param refspecs as git takes them, of full names
 * @returns the full names of refs that the other side did not take
 * @throws ProgramFailed, or the signal's reason
 */
export async function pushTo(
  directory: string,
  url: string,
  { refspecs, prune }: { refspecs: readonly string[]; prune: boolean },
  signal: AbortSignal,
): Promise<string[]> {
  const args = [`--git-dir=${directory}`, 'push', '--porcelain', '--no-verify', ...(prune ? ['--prune'] : [])];
  const { output, failure } = await spoken([...args, '--', url, ...refspecs], signal);
  const refused = output.split('\n').flatMap((line) => /^!\t[^\t]*:(\S+)\t/.exec(line)?.[1] ?? []);
  if (failure !== null && refused.length === 0) throw failure;
  return refused;
}

async function run(args: string[], signal: AbortSignal): Promise<void> {
  const { failure } = await spoken(args, signal);
  if (failure !== null) throw failure;
}

/** Characters of the output that are kept. */
const MAX_OUTPUT_CHARACTERS = 4 * 1024 * 1024;

/** What git says on its standard output, and how it failed, if it did. Throws the signal's reason. */
function spoken(args: string[], signal: AbortSignal): Promise<{ output: string; failure: ProgramFailed | null }> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const environment = {
      GIT_ALLOC_LIMIT: String(MAX_ALLOCATION_BYTES),
      GIT_ALLOW_PROTOCOL: 'http',
      NO_PROXY: '*',
      GIT_CURL_VERBOSE: '',
      GIT_TRACE: '',
    };
    const program = startGroup([...ALONE, ...args], environment);
    const kill = () => killGroup(program);
    signal.addEventListener('abort', kill);
    const complaint = collectComplaint(program.stderr);
    program.stdin.on('error', () => undefined).end();
    let output = '';
    program.stdout.on('data', (chunk: Buffer) => {
      if (output.length < MAX_OUTPUT_CHARACTERS) output += chunk.toString('latin1');
    });
    program.once('error', (error) => reject(new ProgramFailed(`git cannot be run: ${error.message}`)));
    program.once('close', (code) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason);
      else resolve({ output, failure: code === 0 ? null : new ProgramFailed(complaint()) });
    });
  });
}
