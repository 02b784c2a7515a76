import { existsSync } from 'node:fs';
import path from 'node:path';
import { GitError, ProgramFailed } from '../errors.ts';
import { collectComplaint } from '../program/run.ts';
import { killGroup, startGroup } from './spawn.ts';

/** Blemishes of old histories that do no harm. */
const TOLERATED = ['zeroPaddedFilemode', 'missingSpaceBeforeDate', 'badTimezone'];

/** What the program may take of memory in one piece, in bytes: a list of eight million objects, or one object. */
const LARGEST_PIECE = 1024 ** 3;

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
  'fetch.recurseSubmodules=false',
  'fetch.fsckObjects=true',
  // Refs are synced to the disk when they are packed: one by one that takes long.
  'core.fsync=none,objects',
  // All of it in one pack, however little it is.
  'fetch.unpackLimit=1',
  ...TOLERATED.map((name) => `fetch.fsck.${name}=ignore`),
].flatMap((setting) => ['-c', setting]);

/** The history of the source is cut off: its oldest commits have parents that it does not have. */
export class ShallowSource extends GitError {
  override name = 'ShallowSource';
}

/**
 * Fetches all branches and tags from a URL into a bare repository, where they are on disk when this returns.
 *
 * @returns the full name of the ref that HEAD stands for at the source; null if that is not told
 * @throws ShallowSource, ProgramFailed, or the signal's reason
 */
export async function fetchAll(url: string, directory: string, signal: AbortSignal): Promise<string | null> {
  const told = await run(directory, ['ls-remote', '--quiet', '--symref', '--', url, 'HEAD'], signal);
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
  // Branches of a cut-off history would be left out with nothing but a warning: they come along, so that it is noticed.
  await run(
    directory,
    ['fetch', ...options, '--update-shallow', '--', url, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
    signal,
  );
  if (existsSync(path.join(directory, 'shallow'))) throw new ShallowSource(`${url} is shallow`);
  await run(directory, ['-c', 'core.fsync=objects,reference', 'pack-refs', '--all'], signal);
  return /^ref: (\S+)\tHEAD$/m.exec(told)?.[1] ?? null;
}

function run(directory: string, args: string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const environment = {
      GIT_ALLOC_LIMIT: String(LARGEST_PIECE),
      GIT_ALLOW_PROTOCOL: 'http',
      NO_PROXY: '*',
      GIT_CURL_VERBOSE: '',
      GIT_TRACE: '',
    };
    const program = startGroup([...ALONE, `--git-dir=${directory}`, ...args], environment);
    const kill = () => killGroup(program);
    signal.addEventListener('abort', kill);
    const complaint = collectComplaint(program.stderr);
    let output = '';
    program.stdin.on('error', () => undefined).end();
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(0, 100_000);
    });
    program.once('error', (error) => reject(new ProgramFailed(`git cannot be run: ${error.message}`)));
    program.once('close', (code) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve(output);
      else reject(new ProgramFailed(complaint()));
    });
  });
}
