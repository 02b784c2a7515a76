import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { GitError } from '../base/errors.ts';
import { repositoryExists } from '../base/existence.ts';
import type { Oid } from '../base/model.ts';
import { decodeName, encodeName } from '../base/names.ts';
import { absentObjects } from '../objects/presence.ts';
import { alternatePath, MAX_ALLOCATION_BYTES } from '../program/environment.ts';
import { type GroupProgram, killGroup, startGroup } from '../program/group.ts';
import type { RunKind } from '../program/observe.ts';
import { collectComplaint, lowerPriority } from '../program/run.ts';
import { ProgramStore } from '../program/store.ts';
import type { ByteReader } from './byte_reader.ts';
import { type CheckedObject, checkObjects, OversizedObject } from './check_objects.ts';
import { findReadable } from './find_readable.ts';
import { startHeartbeat } from './heartbeat.ts';
import { InvalidRequest, TooMuchSent } from './invalid_request.ts';
import { INCOMING, type PackKeepLock } from './pack_keep_lock.ts';
import { commitLinks, findSelfContained, type HeldObject } from './self_contained.ts';
import { allocationFor, UnpackPatience } from './unpack_limits.ts';

/** The pushed objects are damaged or incomplete. The message is for the pusher. */
export class RefusedObjects extends GitError {
  override name = 'RefusedObjects';
}

/** Blemishes of old histories that do no harm. */
const TOLERATED = ['zeroPaddedFilemode', 'missingSpaceBeforeDate', 'badTimezone'].map((name) => `${name}=ignore`);

/** Milliseconds between two heartbeats: after an hour without any, received objects count as left behind. */
const HEARTBEAT = 5 * 60_000;

/** Milliseconds that reading the sizes of unpacked objects may take. */
const CHECK_TIMEOUT = 5 * 60_000;

/** Commits of a push that are looked at for paths that they change, of those that change any of these. */
const MAX_TOUCHING_COMMITS = 100;

/** Bytes of the longest line on an entry of a tree, whose path has as many as git writes at most, and some more. */
const MAX_TREE_LINE_BYTES = 4_200;

/** Small files that are read at a time. */
const FILE_BATCH_SIZE = 5_000;

/** What a push may bring, in bytes. */
export interface PackLimits {
  /** The pack as it is sent. */
  packBytes: number;
  /** Each blob in it. */
  objectBytes: number;
  /** Whether what sends it goes on when the pack has ended: its end tells that it is complete. */
  goesOn?: boolean | undefined;
}

/** A push of at most so many objects is looked at object by object, if commits, directories and small files have no more bytes. */
const MAX_HELD_OBJECTS = 1_000;
const MAX_HELD_BYTES = 4 * 1024 * 1024;

/** How many commits of one push are looked at for what they lead to. */
const MAX_LOOKED_AT = 10_000;

/** The largest file that is read with the directories of a push. */
const MAX_SMALL_FILE_BYTES = 1_024;

/**
 * Pushed objects, apart from those of the repository and invisible to it until they have been checked. Leftovers of a
 * crash are removed an hour later.
 */
export class Quarantine {
  readonly #repository: string;
  readonly #objects: string;
  readonly #signal: AbortSignal;
  readonly #sources: readonly string[];
  readonly #endHeartbeat: () => void;
  /** The objects of a push of few; null while that is not known, and of larger ones. `complete` reads them. */
  #checked: ReadonlyMap<Oid, CheckedObject> | null = null;
  #held: ReadonlyMap<Oid, HeldObject> | null = null;
  #lookedAt = 0;
  /** The files that these tips bring and no parent has, if `complete` found that without walking over whole trees. */
  #brought: { tips: ReadonlySet<Oid>; bounds: ReadonlySet<Oid>; files: ReadonlySet<Oid> } | null = null;

  private constructor(repository: string, objects: string, signal: AbortSignal, sources: readonly string[]) {
    this.#repository = repository;
    this.#objects = objects;
    this.#signal = signal;
    this.#sources = sources;
    this.#endHeartbeat = startHeartbeat(() => [objects], HEARTBEAT);
  }

  /**
   * @param signal aborts, with its reason
   * @param sources other repositories from which objects may be taken
   */
  static async open(repository: string, signal: AbortSignal, sources: readonly string[] = []): Promise<Quarantine> {
    const objects = path.join(repository, 'objects', `${INCOMING}${randomBytes(8).toString('hex')}`);
    // One after the other: what is above them is not made anew where it was removed.
    for (const folder of [objects, path.join(objects, 'pack')]) await mkdir(folder);
    return new Quarantine(repository, objects, signal, sources);
  }

  /**
   * Takes in a pack as it comes and checks its objects one by one. Reads what does not go on to its end even if it is refused, so
   * that the client learns why, unless there is too much of it. Throws RefusedObjects, InvalidRequest, TooMuchSent, or what the stream
   * throws when the client is gone.
   */
  async takePack(reader: ByteReader, { packBytes, objectBytes, goesOn }: PackLimits): Promise<void> {
    const header = await reader.exactly(12);
    if (header === null || header.toString('latin1', 0, 4) !== 'PACK') throw new InvalidRequest('There is no pack');
    const strict = `--strict=${TOLERATED.join(',')}`;
    const args = ['index-pack', '--stdin', '--fix-thin', strict];
    const count = header.readUInt32BE(8);
    const program = this.#start(args, { GIT_ALLOC_LIMIT: String(allocationFor(count)) });
    const result = this.#outcome(program);
    const patience = new UnpackPatience(program);
    try {
      await patience.during(() => write(program, header));
      for await (const chunk of goesOn ? until(result, reader.remaining()) : reader.remaining()) {
        if (patience.count(chunk.length) > packBytes)
          throw new TooMuchSent(`The push has more than ${packBytes} bytes (GANTRY_MAX_PUSH_BYTES).`);
        await patience.during(() => write(program, chunk));
      }
      program.stdin.end();
    } catch (error) {
      killGroup(program);
      await result;
      throw error;
    }
    const { code, complaint } = await patience.during(() => result);
    this.#signal.throwIfAborted();
    if (patience.isOver) throw new RefusedObjects('unpacking it takes too long');
    if (code !== 0) throw new RefusedObjects(reasonIn(complaint));
    const checked = await this.#checkSizes(objectBytes, count > 0 && count <= MAX_HELD_OBJECTS);
    // A push of existing objects brings an empty pack.
    if (count === 0) await this.#drop();
    this.#checked = checked;
  }

  /** Reads commits, directories and small files of a push; null if that is much. */
  async #readHeld(checked: ReadonlyMap<Oid, CheckedObject>): Promise<ReadonlyMap<Oid, HeldObject> | null> {
    const wanted = [...checked].filter(([, { type, size }]) => type !== 'blob' || size <= MAX_SMALL_FILE_BYTES);
    const bytes = wanted.reduce((sum, [, { size }]) => sum + size, 0);
    // Bases of differences come to what was sent.
    if (bytes > MAX_HELD_BYTES || checked.size > 2 * MAX_HELD_OBJECTS) return null;
    const held = new Map<Oid, HeldObject>();
    for (const [oid, object] of checked) held.set(oid, { ...object, content: null });
    if (wanted.length === 0) return held;
    const { code, output } = await this.#ask(
      ['cat-file', '--buffer', OBJECT_FORMAT],
      lines(wanted.map(([oid]) => oid)),
    );
    if (code !== 0) return null;
    for (const { oid, content } of objectsIn(output)) {
      const object = held.get(oid);
      if (object?.size === content.length) held.set(oid, { ...object, content: Buffer.from(content, 'latin1') });
    }
    return held;
  }

  async #checkSizes(objectBytes: number, few: boolean): Promise<Map<Oid, CheckedObject> | null> {
    const late = AbortSignal.timeout(CHECK_TIMEOUT);
    const signal = AbortSignal.any([this.#signal, late]);
    try {
      return await checkObjects(this.#repository, this.#objects, { objectBytes, few, signal });
    } catch (error) {
      if (error instanceof OversizedObject) throw new RefusedObjects(error.message);
      throw late.aborted && !this.#signal.aborted ? new RefusedObjects('looking through it takes too long') : error;
    }
  }

  /**
   * Checks that everything reachable from these objects exists, and takes in objects that are neither here nor reachable from
   * the bounds, as no ref protects them. Throws RefusedObjects.
   *
   * @param bounds values of refs
   * @param kept names of packs in the repository that are kept as well
   */
  async complete(tips: readonly Oid[], bounds: ReadonlySet<Oid>, kept: readonly string[] = []): Promise<void> {
    const open = tips.filter((oid) => !bounds.has(oid));
    if (open.length === 0 || (await this.#isSelfContained(open, bounds))) return;
    if (await this.#gather(open, bounds, kept)) return;
    // A ref may have been broken for long, or a repack was in the way.
    const broken = new Set(await absentObjects(this.#repository, [...bounds]));
    const present = [...bounds].filter((oid) => !broken.has(oid));
    if (await this.#gather(open, new Set(present), kept)) return;
    // What is damaged is there, and cannot be read.
    const readable = await findReadable(present, (part, signal) => this.#areReadable(part, signal));
    if (readable.length < present.length && (await this.#gather(open, new Set(readable), kept))) return;
    throw new RefusedObjects('objects are missing: the history that was pushed is not complete');
  }

  /** Whether all that the tips lead to was brought or is what refs lead to, as far as that shows in what commits change. */
  async #isSelfContained(tips: readonly Oid[], bounds: ReadonlySet<Oid>): Promise<boolean> {
    if (this.#checked === null || this.#sources.length > 0) return false;
    this.#held ??= await this.#readHeld(this.#checked);
    if (this.#held === null) return false;
    const found = await findSelfContained(tips, bounds, this.#held, new ProgramStore(this.#repository));
    this.#signal.throwIfAborted();
    if (found === null || !(await this.#areReached([...found.parents], bounds))) return false;
    this.#brought = { tips: new Set(tips), bounds, files: found.files };
    return true;
  }

  /** Whether the bounds lead to all of these commits. */
  async #areReached(commits: readonly Oid[], bounds: ReadonlySet<Oid>): Promise<boolean> {
    if (commits.length === 0) return true;
    const revisions = lines([...commits, ...[...bounds].map((oid) => `^${oid}`)]);
    const { code, output } = await this.#ask(['rev-list', '--max-count=1', '--stdin'], revisions);
    return code === 0 && output === '';
  }

  /** Of these objects, those that are no commits. */
  async otherThanCommits(all: readonly Oid[]): Promise<Set<Oid>> {
    const oids = all.filter((oid) => this.#checked?.get(oid)?.type !== 'commit');
    if (oids.length === 0) return new Set();
    const { output } = await this.#ask(['cat-file', '--batch-check=%(objectname) %(objecttype)'], lines(oids));
    const commits = new Set(
      output.split('\n').flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, 40)] : [])),
    );
    return new Set(oids.filter((oid) => !commits.has(oid)));
  }

  /** Whether `descendant` reaches `ancestor`; false too if one of them is no commit. */
  async isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    if (this.#leadsTo(descendant, ancestor)) return true;
    const { code } = await this.#ask(['merge-base', '--is-ancestor', ancestor, descendant], '', { codes: [0, 1] });
    return code === 0;
  }

  /** Whether commits of the push alone lead from one to the other; false too if that is not known, or more than a few were looked at. */
  #leadsTo(from: Oid, to: Oid): boolean {
    const seen = new Set([from]);
    for (const oid of seen) {
      const object = this.#held?.get(oid);
      if (object?.type !== 'commit' || object.content === null) continue;
      if (this.#lookedAt++ > MAX_LOOKED_AT) return false;
      const parents = commitLinks(object.content)?.parents ?? [];
      if (parents.includes(to)) return true;
      for (const parent of parents) seen.add(parent);
    }
    return false;
  }

  /** Those of the paths that new commits change; merges only as far as they differ from all that they merge. */
  async changedAmong(paths: readonly string[], tips: readonly Oid[], bounds: ReadonlySet<Oid>): Promise<string[]> {
    const revisions = lines([...tips, ...[...bounds].map((oid) => `^${oid}`)]);
    const named = paths
      .filter((path) => !path.includes('\n'))
      .map((path) => `${encodeName(path).toString('latin1')}\n`);
    const args = ['log', '--format=', '--name-only', '--no-renames', '--root', '-z', '-c', '--full-history', '--stdin'];
    const { output } = await this.#ask(
      [...args, `--max-count=${MAX_TOUCHING_COMMITS}`],
      `${revisions}--\n${named.join('')}`,
    );
    const changed = output.split('\0').map((name) => decodeName(Buffer.from(name.trim(), 'latin1')));
    const wanted = new Set(paths);
    return [...new Set(changed.filter((path) => wanted.has(path)))];
  }

  /** The commits that the tips lead to and the bounds do not, as they are stored; null if there are more than `count`, or bytes than `most`. */
  async newCommits(
    tips: readonly Oid[],
    bounds: ReadonlySet<Oid>,
    { count, most }: { count: number; most: number },
  ): Promise<{ oid: Oid; content: Buffer }[] | null> {
    const revisions = lines([...tips, ...[...bounds].map((oid) => `^${oid}`)]);
    const listed = await this.#ask(['rev-list', `--max-count=${count + 1}`, '--stdin'], revisions);
    const oids = listed.output.split('\n').filter(Boolean);
    if (listed.code !== 0 || oids.length > count) return null;
    const { code, output } = await this.#ask(['cat-file', '--buffer', OBJECT_FORMAT], lines(oids), { limit: most });
    if (code !== 0) return null;
    const found: { oid: Oid; content: Buffer }[] = [];
    for (const { oid, content } of objectsIn(output)) {
      if (found.length % OBJECT_BATCH_SIZE === 0) await yieldToEventLoop();
      found.push({ oid, content: Buffer.from(content, 'latin1') });
    }
    return found;
  }

  /**
   * The files that new commits add or change, each with its object, once; merges only as far as they differ from all that they merge.
   * Null if there are more than `count`, or bytes in the list than `most`.
   */
  async newPaths(
    tips: readonly Oid[],
    bounds: ReadonlySet<Oid>,
    { count, most }: { count: number; most: number },
  ): Promise<{ path: string; oid: Oid }[] | null> {
    const revisions = lines([...tips, ...[...bounds].map((oid) => `^${oid}`)]);
    const args = ['log', '--format=', '--raw', '--no-abbrev', '--no-renames', '--root', '-z', '-c', '--stdin'];
    const { code, output } = await this.#ask(args, revisions, { limit: most });
    return code === 0 ? pathsIn(output, count) : null;
  }

  /** The sizes of these objects in bytes; objects that are not here, such as commits of other repositories, are left out. */
  async sizes(oids: readonly Oid[]): Promise<Map<Oid, number>> {
    if (oids.length === 0) return new Map();
    const { output } = await this.#ask(
      ['cat-file', '--buffer', '--batch-check=%(objectname) %(objectsize)'],
      lines(oids),
    );
    const found = output.split('\n').flatMap((line): [Oid, number][] => {
      const [, oid, size] = /^([0-9a-f]{40}) (\d+)$/.exec(line) ?? [];
      return oid === undefined ? [] : [[oid, Number(size)]];
    });
    return new Map(found);
  }

  /**
   * All entries below the tree of a commit, submodules too, at most `count`; null if there are more. Sizes are in bytes, 0 for what is no
   * file.
   */
  async treeFiles(
    commit: Oid,
    count: number,
  ): Promise<{ mode: string; type: string; oid: Oid; size: number; path: string }[] | null> {
    const limit = (count + 1) * MAX_TREE_LINE_BYTES;
    const { code, output } = await this.#ask(['ls-tree', '-r', '-z', '-l', '--full-tree', commit], '', { limit });
    const found = output.split('\0').filter(Boolean);
    if (code !== 0 || found.length > count) return null;
    return found.map((line) => {
      const at = line.indexOf('\t');
      const [mode = '', type = '', oid = '', size = '0'] = line.slice(0, at).split(/ +/);
      return { mode, type, oid, size: Number(size) || 0, path: decodeName(Buffer.from(line.slice(at + 1), 'latin1')) };
    });
  }

  /** The contents of these blobs, which have together no more bytes than `most`; null if they have. */
  async blobs(oids: readonly Oid[], most: number): Promise<Map<Oid, Buffer> | null> {
    const wanted = [...new Set(oids)];
    const limit = most + wanted.length * MAX_TREE_LINE_BYTES;
    const { code, output } = await this.#ask(['cat-file', '--buffer', OBJECT_FORMAT], lines(wanted), { limit });
    if (code !== 0) return null;
    return new Map([...objectsIn(output)].map(({ oid, content }) => [oid, Buffer.from(content, 'latin1')]));
  }

  /**
   * The contents of all files of at most `most` bytes, 1,024 at most, that these tips bring, and perhaps of some that other tips bring or
   * that are elsewhere already; null if they are not known yet.
   */
  knownFiles(tips: readonly Oid[], bounds: ReadonlySet<Oid>, most: number): string[] | null {
    const [held, brought] = [this.#held, this.#brought];
    if (held === null || brought?.bounds !== bounds || most > MAX_SMALL_FILE_BYTES) return null;
    if (!tips.every((oid) => bounds.has(oid) || brought.tips.has(oid))) return null;
    const small = [...brought.files].flatMap((oid) => held.get(oid) ?? []).filter(({ size }) => size <= most);
    const contents = small.flatMap(({ content }) => content?.toString('latin1') ?? []);
    return contents.length === small.length ? contents : null;
  }

  /** The contents of new files of these sizes, each once, as bytes in a text; nothing if there are more than `count`. */
  async *newFiles(
    tips: readonly Oid[],
    bounds: ReadonlySet<Oid>,
    { least, most, count }: { least: number; most: number; count: number },
  ): AsyncGenerator<string> {
    const listed = await this.#listFiles(tips, bounds, most, count);
    if (listed === null) return;
    const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
    const { output } = await this.#ask(['cat-file', '--buffer', format], listed);
    const sizes = output.split('\n').flatMap((line): [Oid, string][] => {
      const [oid = '', type, size = ''] = line.split(' ');
      return type === 'blob' ? [[oid, size]] : [];
    });
    const wanted = sizes.filter(([, size]) => Number(size) >= least && Number(size) <= most).map(([oid]) => oid);
    if (wanted.length > count) return;
    for (let at = 0; at < wanted.length; at += FILE_BATCH_SIZE) {
      const part = wanted.slice(at, at + FILE_BATCH_SIZE);
      const { output: contents } = await this.#ask(['cat-file', '--buffer', OBJECT_FORMAT], lines(part));
      for (const { content } of objectsIn(contents)) yield content;
    }
  }

  /** The files of at most `most` bytes that the tips lead to and the bounds do not, as lines; null if there are more than `count`. */
  async #listFiles(
    tips: readonly Oid[],
    bounds: ReadonlySet<Oid>,
    most: number,
    count: number,
  ): Promise<string | null> {
    const filter = `--filter=combine:object:type=blob+blob:limit=${most + 1}`;
    const args = ['rev-list', '--objects', '--no-object-names', filter, '--filter-provided-objects', '--stdin'];
    const revisions = lines([...tips, ...[...bounds].map((oid) => `^${oid}`)]);
    const listed = await this.#ask(args, revisions, { limit: count * 41 });
    return listed.code === 0 ? listed.output : null;
  }

  /** Moves the objects into the repository, where they are kept and on disk when this returns. No ref leads to them yet. */
  async migrate(keepLock: PackKeepLock): Promise<void> {
    for (const name of await this.#packs()) {
      await keepLock.take(path.join(this.#objects, 'pack', name.slice(0, -'.pack'.length)));
    }
  }

  /** Removes what has not been moved. */
  async discard(): Promise<void> {
    this.#endHeartbeat();
    await rm(this.#objects, { recursive: true, force: true, maxRetries: 3 });
    await removeSkeleton(this.#repository);
  }

  /** Packs what the tips lead to, the bounds do not, and no kept pack has; returns whether all of it was there. */
  async #gather(tips: readonly Oid[], bounds: ReadonlySet<Oid>, kept: readonly string[]): Promise<boolean> {
    const listing = this.#start(['rev-list', '--objects', '--no-object-names', '--stdin']);
    const keep = [...kept, ...(await this.#packs())].map((name) => `--keep-pack=${name}`);
    const quiet = ['-q', '--non-empty', '--delta-base-offset', '--window=0'];
    const packing = this.#start(['pack-objects', ...quiet, ...keep, path.join(this.#objects, 'pack', 'pack')]);
    const listed = this.#outcome(listing, false);
    const packed = this.#outcome(packing).finally(() => killGroup(listing));
    listing.stdout.pipe(packing.stdin);
    listing.stdin.end(lines([...tips, ...[...bounds].map((oid) => `^${oid}`)]));
    const codes = (await Promise.all([listed, packed])).map(({ code }) => code);
    this.#signal.throwIfAborted();
    return codes.every((code) => code === 0);
  }

  /** Whether the history of all of these objects can be walked. */
  async #areReadable(oids: readonly Oid[], signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(['rev-list', '--count', '--stdin'], lines(oids), { late: signal })).code === 0;
  }

  async #drop(): Promise<void> {
    const folder = path.join(this.#objects, 'pack');
    for (const name of await readdir(folder)) await rm(path.join(folder, name), { force: true });
  }

  async #packs(): Promise<string[]> {
    return (await readdir(path.join(this.#objects, 'pack'))).filter((name) => name.endsWith('.pack'));
  }

  #start(args: string[], environment: NodeJS.ProcessEnv = {}, kind?: RunKind): GroupProgram {
    const synced = ['-c', 'core.fsync=objects', '-c', 'core.fsyncMethod=batch'];
    const others = [this.#repository, ...this.#sources].map((directory) => path.join(directory, 'objects'));
    const places = {
      GIT_OBJECT_DIRECTORY: this.#objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternatePath(others),
      GIT_QUARANTINE_PATH: this.#objects,
    };
    const command = [...synced, `--git-dir=${this.#repository}`, ...args];
    return startGroup(command, { ...places, ...environment }, kind);
  }

  /** Never rejects: a program that cannot be started ends with null. */
  #outcome(program: GroupProgram, collect = true): Promise<{ code: number | null; complaint: string; output: string }> {
    lowerPriority(program);
    const complaint = collectComplaint(program.stderr);
    const kill = () => killGroup(program);
    this.#signal.addEventListener('abort', kill);
    if (this.#signal.aborted) kill();
    program.stdin.on('error', () => undefined);
    let output = '';
    if (collect) {
      program.stdout.setEncoding('latin1').on('data', (text: string) => {
        output += text;
      });
    }
    return new Promise((resolve) => {
      const end = (code: number | null) => {
        this.#signal.removeEventListener('abort', kill);
        resolve({ code, complaint: complaint(), output });
      };
      program.once('error', () => end(null));
      program.once('close', end);
    });
  }

  /** The input is bytes as a text. `late` ends the program, and so do more than `limit` bytes; its code is null then. `codes` are the exit codes that are answers. */
  async #ask(
    args: string[],
    input: string,
    {
      late,
      codes,
      limit = Number.POSITIVE_INFINITY,
    }: { late?: AbortSignal; codes?: readonly number[]; limit?: number } = {},
  ): Promise<{ code: number | null; output: string }> {
    const program = this.#start(args, {}, { codes });
    let received = 0;
    program.stdout.on('data', (chunk: string | Buffer) => {
      received += chunk.length;
      if (received > limit) killGroup(program);
    });
    const outcome = this.#outcome(program);
    const kill = () => killGroup(program);
    late?.addEventListener('abort', kill);
    program.stdin.end(input, 'latin1');
    const { code, output } = await outcome;
    late?.removeEventListener('abort', kill);
    this.#signal.throwIfAborted();
    return { code, output };
  }
}

/**
 * Removes what programs made anew of a repository that was removed while they were at work: they make the directories above
 * their files.
 */
async function removeSkeleton(repository: string): Promise<void> {
  if (await repositoryExists(repository).catch(() => true)) return;
  for (const folder of ['objects/pack', 'objects', '.']) {
    await rmdir(path.join(repository, folder)).catch(() => undefined);
  }
}

/** What comes until the program has ended, which knows by itself where a pack does. */
async function* until(ended: Promise<unknown>, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let isOver = false;
  let wake: () => void = () => undefined;
  // A race with what ends would keep every chunk until then.
  void ended.then(() => {
    isOver = true;
    wake();
  });
  while (!isOver) {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Buffer> | null>();
    wake = () => resolve(null);
    chunks.next().then(resolve, reject);
    const next = await promise;
    if (next === null || next.done) return;
    yield next.value;
  }
}

/** Waits where the program is slower than the client; does nothing for one that has ended. */
async function write({ stdin }: GroupProgram, chunk: Buffer): Promise<void> {
  if (stdin.destroyed || stdin.writableEnded || stdin.write(chunk)) return;
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([once(stdin, 'drain', { signal }), once(stdin, 'close', { signal })]).catch(() => undefined);
  settled.abort();
}

function lines(oids: readonly Oid[]): string {
  return `${oids.join('\n')}\n`;
}

/** How objects are asked for that `objectsIn` reads, and how many commits are read in one turn of the event loop. */
const OBJECT_FORMAT = '--batch=%(objectname) %(objectsize)';
const OBJECT_BATCH_SIZE = 200;

/** The objects in the output of `cat-file`, each behind a line with its hash and size; contents as bytes in a text. */
function* objectsIn(output: string): Generator<{ oid: Oid; content: string }> {
  for (let start = 0, end = output.indexOf('\n'); end >= 0; end = output.indexOf('\n', start)) {
    const [oid = '', size] = output.slice(start, end).split(' ');
    const length = Number(size);
    if (!Number.isInteger(length)) break;
    yield { oid, content: output.slice(end + 1, end + 1 + length) };
    start = end + length + 2;
  }
}

/** The entry of a file in a raw difference: modes and hashes before, of each parent, and after; and how it changed. */
const RAW_ENTRY = /^:+[0-7]{6}[0-7 ]* (?:[0-9a-f]{40} )+?([0-9a-f]{40}) ([A-Z]+)$/;

/** Entries that are read in one turn of the event loop. */
const ENTRY_BATCH_SIZE = 2_000;

/** What is added or changed in the output of `log --raw -z`, each path with each of its objects once; null if that is more than `count`. */
async function pathsIn(output: string, count: number): Promise<{ path: string; oid: Oid }[] | null> {
  const found = new Map<string, { path: string; oid: Oid }>();
  const next = (from: number) => {
    const end = output.indexOf('\0', from);
    return end < 0 ? output.length : end;
  };
  for (let at = 0, entries = 1; at < output.length; entries += 1) {
    if (entries % ENTRY_BATCH_SIZE === 0) await yieldToEventLoop();
    const end = next(at);
    const [entry, oid = '', how = ''] = RAW_ENTRY.exec(output.slice(at, end).trimStart()) ?? [];
    at = end + 1;
    if (entry === undefined) continue;
    const path = output.slice(at, next(at));
    at += path.length + 1;
    if (!how.includes('D')) found.set(`${oid} ${path}`, { path: decodeName(Buffer.from(path, 'latin1')), oid });
    if (found.size > count) return null;
  }
  return [...found.values()];
}

/** What a program said of objects that it refused, without its own name. */
function reasonIn(complaint: string): string {
  const fatal = complaint.split('\n').filter((line) => /^(fatal|error): /.test(line));
  const text = fatal.map((line) => line.replace(/^(fatal|error): /, '')).join('; ');
  if (/attempting to allocate|out of memory/i.test(text)) {
    return `an object of it takes more than ${MAX_ALLOCATION_BYTES} bytes of memory to unpack: push it with -c core.bigFileThreshold=100m`;
  }
  return text === '' ? 'the pack is damaged' : text;
}
