import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProgramFailed } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import { FEW_BASES } from '../program/environment.ts';
import { killGroup, startGroup } from '../program/group.ts';
import { collectComplaint, lowerPriority } from '../program/run.ts';
import { KEPT_REFS } from '../refs/name.ts';
import { FLUSH, pktLine } from './pkt_line.ts';
import { CredentialsWanted, FetchRefused, WantGate } from './want_gate.ts';
import { requireWanted } from './wanted.ts';

export interface FetchOptions {
  /** The version of the protocol as the client asks for it, such as `version=2`. */
  protocol: string | undefined;
  /** Prefixes of refs that are hidden from this client, in full and without a final slash, besides those hidden from all. */
  hidden?: readonly string[] | undefined;
  /** Whether it might be shown these if it said who it is: CredentialsWanted is thrown where it asks for them then. */
  isGuest?: boolean | undefined;
  signal: AbortSignal;
  /** Called once when objects are sent, not only refs or what both sides have. */
  onPack?: (() => void) | undefined;
}

/**
 * Objects may be left out by their size and type, and directories by their depth, also in combination (WantGate bounds how many);
 * patterns of paths would take too much work.
 */
const ALLOWED = [
  ['uploadpack.allowFilter', 'true'],
  ['uploadpackfilter.allow', 'false'],
  ['uploadpackfilter.blob:none.allow', 'true'],
  ['uploadpackfilter.blob:limit.allow', 'true'],
  ['uploadpackfilter.tree.allow', 'true'],
  ['uploadpackfilter.object:type.allow', 'true'],
  ['uploadpackfilter.combine.allow', 'true'],
  ['uploadpack.allowReachableSHA1InWant', 'true'],
  // They keep objects that only the server needs.
  ['uploadpack.hideRefs', KEPT_REFS],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const SETTINGS = [...ALLOWED, ...FEW_BASES];

/** The advertisement before a fetch, streamed: the refs of the repository, or the capabilities of the server. */
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

/**
 * Answers a fetch, streamed both ways; refuses objects that are not reachable from the refs that the client sees. Throws
 * ProgramFailed, InvalidRequest, CredentialsWanted, or the signal's reason.
 */
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
  { protocol, hidden = [], isGuest = false, signal, onPack }: FetchOptions,
): Promise<number> {
  signal.throwIfAborted();
  const environment = isProtocol(protocol) ? { GIT_PROTOCOL: protocol } : {};
  const hiding = hidden.flatMap((prefix) => ['-c', `uploadpack.hideRefs=${prefix}`]);
  const program = startGroup([...SETTINGS, ...hiding, 'upload-pack', ...args], environment);
  lowerPriority(program);
  const kill = () => killGroup(program);
  signal.addEventListener('abort', kill);
  const complaint = collectComplaint(program.stderr);
  const ended = new Promise<number | null>((resolve, reject) => {
    program.once('error', (error) => reject(new ProgramFailed(`git cannot be run: ${error.message}`)));
    program.once('close', resolve);
  });
  ended.catch(() => undefined);
  const directory = args.at(-1) ?? '';
  const guarded = isGuest ? hidden : [];
  const allow = async (wants: Oid[]) => {
    const refusal = await refusalOf(requireWanted(directory, wants, hidden, signal));
    if (refusal === null) return;
    if (guarded.length === 0) throw refusal;
    await requireWanted(directory, wants, [], signal);
    throw new CredentialsWanted('these objects are not for everybody');
  };
  const fed = from === null ? program.stdin.end() : pipeline(from, new WantGate({ allow, guarded }), program.stdin);
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
  if (onPack) program.stdout.on('data', packWatch(onPack));
  try {
    await pipeline(program.stdout, into, { signal, end: false });
    const code = await ended;
    if (refused instanceof FetchRefused) {
      into.end(pktLine(`ERR ${refused.message}`));
      return REFUSED;
    }
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

/** How the objects begin: in version 2 of the protocol behind a line, else in a packet or by themselves. */
const PACK = ['000dpackfile\n', 'PACK\0\0\0\u0002'];

/** Bytes in which they must have begun, and the length of the longest beginning. */
const BEFORE_PACK = 1 << 20;
const BEGINNING_LENGTH = 13;

/** A listener to the answer of `git upload-pack` that tells once when objects come. */
function packWatch(onPack: () => void): (chunk: Buffer) => void {
  let left = BEFORE_PACK;
  let end = '';
  return (chunk) => {
    if (left <= 0) return;
    const text = end + chunk.toString('latin1');
    const isThere = PACK.some((beginning) => text.includes(beginning));
    left = isThere ? 0 : left - chunk.length;
    end = text.slice(-BEGINNING_LENGTH);
    if (isThere) onPack();
  };
}

async function refusalOf(work: Promise<void>): Promise<FetchRefused | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof FetchRefused) return error;
    throw error;
  }
}

/** The exit status for a client that was refused, as git has it. */
const REFUSED = 128;

function isProtocol(text: string | undefined): text is string {
  return text !== undefined && /^[a-z0-9=:.]{1,100}$/.test(text);
}

function isBrokenPipe(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? '');
}
