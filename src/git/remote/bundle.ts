import { createReadStream, createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { GitError, ProgramFailed } from '../base/errors.ts';
import { isOid, type Oid } from '../base/model.ts';
import { compareNames, decodeName, encodeName } from '../base/names.ts';
import { syncDirectory } from '../base/sync.ts';
import { ByteReader } from '../incoming/byte_reader.ts';
import { PackKeepLock } from '../incoming/pack_keep_lock.ts';
import { type PackLimits, Quarantine } from '../incoming/quarantine.ts';
import { initRepository } from '../init.ts';
import { killGroup, startGroup } from '../program/group.ts';
import { collectComplaint, lowerPriority } from '../program/run.ts';
import { mayBeKept } from '../refs/name.ts';
import type { Ref } from '../refs/read.ts';
import { setDefaultBranch } from '../refs/update.ts';

/** A file is no bundle, or not one that can be taken. The message says why. */
export class BadBundle extends GitError {
  override name = 'BadBundle';
}

const SIGNATURE = '# v2 git bundle';
/** In bytes, of a line and of all of them. */
const MAX_LINE_BYTES = 2_000;
const MAX_HEADER_BYTES = 64 * 1024 * 1024;

/**
 * Writes refs of a repository with all that they lead to as a bundle (gitformat-bundle), which git clones and fetches from. Nothing may
 * remove objects of the repository meanwhile. Throws ProgramFailed, or the signal's reason.
 */
export async function writeBundle(
  directory: string,
  refs: readonly Ref[],
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const lines = refs.map(({ name, target }) =>
    Buffer.concat([Buffer.from(`${target} `), encodeName(name), Buffer.from('\n')]),
  );
  await writeFile(file, Buffer.concat([Buffer.from(`${SIGNATURE}\n`), ...lines, Buffer.from('\n')]));
  signal.throwIfAborted();
  const args = ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'];
  const program = startGroup([`--git-dir=${directory}`, ...args]);
  lowerPriority(program);
  const complaint = collectComplaint(program.stderr);
  const kill = () => killGroup(program);
  signal.addEventListener('abort', kill);
  const ended = new Promise<number | null>((resolve) => {
    program.once('error', () => resolve(null));
    program.once('close', resolve);
  });
  try {
    program.stdin.on('error', () => undefined).end(refs.map(({ target }) => `${target}\n`).join(''));
    await pipeline(program.stdout, createWriteStream(file, { flags: 'a' }));
    const code = await ended;
    signal.throwIfAborted();
    if (code !== 0) throw new ProgramFailed(`git pack-objects ended with ${code}: ${complaint()}`);
  } finally {
    kill();
    signal.removeEventListener('abort', kill);
  }
}

export interface TakeOptions extends PackLimits {
  /** Ends it, with its reason. */
  signal: AbortSignal;
  /** Whether a ref may come along; others are left out, with the objects that only they lead to. */
  isWanted(ref: Ref): boolean;
}

/**
 * Makes a bare repository of a bundle, in a place where nothing is yet: its objects are checked as those of a push are. It is on disk
 * when this returns; the caller moves it into place. HEAD stands for `master`.
 *
 * @returns the refs of the repository
 * @throws BadBundle; RefusedObjects, InvalidRequest and TooMuchSent for its objects; the signal's reason
 */
export async function takeBundle(file: string, directory: string, options: TakeOptions): Promise<Ref[]> {
  await initRepository(directory, 'master');
  const source = createReadStream(file);
  try {
    const reader = new ByteReader(source);
    const { refs } = await readHeader(reader, options.signal);
    const quarantine = await Quarantine.open(directory, options.signal);
    const keepLock = new PackKeepLock(directory);
    try {
      await quarantine.takePack(reader, options);
      const tips = [...new Set(refs.map(({ target }) => target))];
      await quarantine.complete(tips, new Set());
      await requireCommits(quarantine, refs);
      await quarantine.migrate(keepLock);
    } finally {
      await quarantine.discard();
      await keepLock.release();
    }
    const kept = refs.filter(options.isWanted);
    await writeRefs(directory, kept);
    return kept;
  } finally {
    source.destroy();
  }
}

/** Makes HEAD of a repository stand for a branch, and syncs its directories: it can be moved into place then. */
export async function settleRepository(directory: string, defaultBranch: string | null): Promise<void> {
  if (defaultBranch !== null) await setDefaultBranch(directory, defaultBranch);
  for (const folder of ['objects/pack', 'objects', '.']) await syncDirectory(path.join(directory, folder));
}

/** Branches hold commits. */
async function requireCommits(quarantine: Quarantine, refs: readonly Ref[]): Promise<void> {
  const branches = refs.filter(({ name }) => name.startsWith('refs/heads/'));
  const others = await quarantine.otherThanCommits([...new Set(branches.map(({ target }) => target))]);
  const odd = branches.find(({ target }) => others.has(target));
  if (odd) throw new BadBundle(`the branch ${odd.name.toWellFormed()} holds something else than a commit`);
}

/** The branch that HEAD of a bundle seems to stand for: the first that holds the same. Null without HEAD, and for what is no bundle. */
export async function headOfBundle(file: string): Promise<string | null> {
  const source = createReadStream(file);
  try {
    const { refs, head } = await readHeader(new ByteReader(source), new AbortController().signal);
    const same = refs.filter(({ name, target }) => target === head && name.startsWith('refs/heads/'));
    const names = same.map(({ name }) => name.slice('refs/heads/'.length));
    return names.find((name) => ['main', 'master'].includes(name)) ?? names[0] ?? null;
  } catch {
    return null;
  } finally {
    source.destroy();
  }
}

async function readHeader(reader: ByteReader, signal: AbortSignal): Promise<{ refs: Ref[]; head: Oid | null }> {
  const refs = new Map<string, Oid>();
  let head: Oid | null = null;
  let left = MAX_HEADER_BYTES;
  const lines = new LineReader(reader);
  const first = await lines.next();
  if (first?.toString('latin1') !== SIGNATURE) throw new BadBundle('it is no git bundle of version 2');
  for (;;) {
    signal.throwIfAborted();
    const line = await lines.next();
    if (line === null) throw new BadBundle('it ends too early');
    if (line.length === 0) break;
    left -= line.length;
    if (left < 0) throw new BadBundle('it has too many refs');
    if (line[0] === 0x2d) throw new BadBundle('it lacks a part of the history');
    const oid = line.toString('latin1', 0, 40);
    const name = decodeName(line.subarray(41));
    if (!isOid(oid) || line[40] !== 0x20) throw new BadBundle('its list of refs is damaged');
    // `git bundle create --all` names it as well; it is none of the refs.
    if (name === 'HEAD') {
      head = oid;
      continue;
    }
    if (!mayBeKept(name) || line.length > 1_000) {
      throw new BadBundle(`it has a ref whose name is not allowed: ${name.toWellFormed().slice(0, 200)}`);
    }
    if (refs.has(name)) throw new BadBundle(`it has two refs of the name ${name.toWellFormed()}`);
    refs.set(name, oid);
  }
  const found = [...refs].map(([name, target]) => ({ name, target }));
  const sorted = found.sort((left, right) => compareNames(left.name, right.name));
  const nested = sorted.find(({ name }, at) => sorted[at + 1]?.name.startsWith(`${name}/`));
  if (nested) throw new BadBundle(`it has refs below the ref ${nested.name.toWellFormed()}`);
  return { refs: sorted, head };
}

/** Reads lines of a limited length, byte by byte, so that what comes behind them stays in the reader. */
class LineReader {
  readonly #reader: ByteReader;

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  /** The next line without its end; null at the end of the file. Throws BadBundle. */
  async next(): Promise<Buffer | null> {
    const bytes: number[] = [];
    for (;;) {
      const [byte] = (await this.#reader.exactly(1)) ?? [];
      if (byte === undefined) return null;
      if (byte === 0x0a) return Buffer.from(bytes);
      bytes.push(byte);
      if (bytes.length > MAX_LINE_BYTES) throw new BadBundle('a line of its header is too long');
    }
  }
}

async function writeRefs(directory: string, refs: readonly Ref[]): Promise<void> {
  const lines = refs.map(({ name, target }) =>
    Buffer.concat([Buffer.from(`${target} `), encodeName(name), Buffer.from('\n')]),
  );
  const content = Buffer.concat([Buffer.from('# pack-refs with: \n'), ...lines]);
  await writeFile(path.join(directory, 'packed-refs'), content, { flush: true });
}
