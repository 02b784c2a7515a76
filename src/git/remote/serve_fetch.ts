import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProgramFailed } from '../errors.ts';
import { FEW_BASES } from '../program/environment.ts';
import { calm, collectComplaint } from '../program/run.ts';
import { KEPT_REFS } from '../refs/name.ts';
import { FLUSH, pktLine } from './pkt_line.ts';
import { killGroup, startGroup } from './spawn.ts';

export interface FetchOptions {
  /** The version of the protocol as the client asks for it, such as `version=2`. */
  protocol: string | undefined;
  signal: AbortSignal;
}

/** Parts of objects may be left out by their size, and directories by their depth; the rest would take too much work. */
const ALLOWED = [
  ['uploadpack.allowFilter', 'true'],
  ['uploadpackfilter.allow', 'false'],
  ['uploadpackfilter.blob:none.allow', 'true'],
  ['uploadpackfilter.blob:limit.allow', 'true'],
  ['uploadpackfilter.tree.allow', 'true'],
  ['uploadpack.allowReachableSHA1InWant', 'true'],
  // They keep what the server still needs, and are for nobody else.
  ['uploadpack.hideRefs', KEPT_REFS],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const SETTINGS = [...ALLOWED, ...FEW_BASES];

/** What a client is told before it fetches, streamed: the refs of the repository, or what may be made use of. */
export async function advertiseFetch(directory: string, into: Writable, options: FetchOptions): Promise<void> {
  // Clients of version 2 get this line as well; they skip it.
  into.write(Buffer.concat([pktLine('# service=git-upload-pack\n'), FLUSH]));
  await run([...ONE_REQUEST, '--advertise-refs', directory], null, into, options);
}

/**
 * Tells a client on a connection of its own what there is, and answers what it asks for then. Returns the exit status of the
 * program, which has told the client what it did not like. Throws ProgramFailed, or the signal's reason.
 */
export async function converse(
  directory: string,
  from: Readable,
  into: Writable,
  options: FetchOptions,
): Promise<number> {
  return run(['--strict', directory], from, into, options);
}

/** Answers what a client asks for, streamed both ways. Throws ProgramFailed, or the signal's reason. */
export async function serveFetch(
  directory: string,
  from: Readable,
  into: Writable,
  options: FetchOptions,
): Promise<void> {
  await run([...ONE_REQUEST, directory], from, into, options);
}

/** Each request is answered by a program of its own. */
const ONE_REQUEST = ['--stateless-rpc', '--strict'];

async function run(
  args: string[],
  from: Readable | null,
  into: Writable,
  { protocol, signal }: FetchOptions,
): Promise<number> {
  signal.throwIfAborted();
  const environment = isProtocol(protocol) ? { GIT_PROTOCOL: protocol } : {};
  const program = startGroup([...SETTINGS, 'upload-pack', ...args], environment);
  calm(program);
  const kill = () => killGroup(program);
  signal.addEventListener('abort', kill);
  const complaint = collectComplaint(program.stderr);
  const ended = new Promise<number | null>((resolve, reject) => {
    program.once('error', (error) => reject(new ProgramFailed(`git cannot be run: ${error.message}`)));
    program.once('close', resolve);
  });
  ended.catch(() => undefined);
  const fed = from === null ? program.stdin.end() : pipeline(from, program.stdin);
  // The program may have heard enough before the client has said everything.
  let refused: unknown;
  const refuse = (error: unknown) => {
    refused = error;
    kill();
  };
  if (fed instanceof Promise) fed.catch((error) => (isBrokenPipe(error) ? undefined : refuse(error)));
  program.stdin.on('error', () => undefined);
  let answered = false;
  program.stdout.once('data', () => {
    answered = true;
  });
  try {
    await pipeline(program.stdout, into, { signal, end: false });
    const code = await ended;
    if (refused !== undefined) throw refused;
    // After an answer the program also complains of clients that go on in another request, as version 0 has it.
    if (code !== 0 && !answered) throw new ProgramFailed(`git upload-pack ended with ${code}: ${complaint()}`);
    into.end();
    return code ?? 1;
  } finally {
    kill();
    signal.removeEventListener('abort', kill);
  }
}

function isProtocol(text: string | undefined): text is string {
  return text !== undefined && /^[a-z0-9=:.]{1,100}$/.test(text);
}

function isBrokenPipe(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
