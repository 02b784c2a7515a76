import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { traceFile } from '#src/domain/ci/job_logs/file.ts';
import type { RepositoryPlace, RepositoryStore } from '#src/domain/repository/store.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import { decodeName } from '#src/git/base/names.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { initRepository } from '#src/git/init.ts';
import { absentObjects } from '#src/git/objects/presence.ts';
import { isValidBranchName } from '#src/git/refs/name.ts';
import { parsePackedRefs } from '#src/git/refs/packed.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';
import type { Dump, DumpedTable } from '#src/platform/database/load.ts';
import { hostKeyOf } from './host_keys.ts';
import { BadBackup, MAX_MEMBER_BYTES, readJson, whole } from './input.ts';
import type { DatabaseFacts } from './manifest.ts';
import { orIfAbsent } from './present.ts';
import { isDatabaseFacts } from './shapes.ts';
import { tableOf } from './tables.ts';
import { BrokenArchive, type Entry } from './unarchive.ts';

/** Where repositories are kept in their storage until the whole backup is verified. */
const WAITING = '.restoring';
const WAITING_TRACES = '.restoring-traces';

/** How many refs with missing objects are listed. */
const NAMED = 20;

/** Keeps the contents of a backup in a staging area until they are put in place. */
export class Stage {
  readonly #directory: string;
  readonly #storages: Readonly<Record<string, string>>;
  secret: string | undefined;
  /** SSH host keys by file name. */
  readonly hostKeys = new Map<string, string>();
  #database: DatabaseFacts | undefined;
  /** The numbers of the tables' files. */
  readonly #tables = new Map<string, number>();

  /**
   * @param directory for the database and uploads
   * @param storages directories of the storages by name; repositories wait inside them
   */
  constructor(directory: string, storages: Readonly<Record<string, string>>) {
    this.#directory = directory;
    this.#storages = storages;
  }

  /** Stages a member of a backup. Throws BrokenArchive if it is of an unknown kind or cannot be read. */
  async take(entry: Entry): Promise<void> {
    const { path: name, content } = entry;
    const hostKey = hostKeyOf(name);
    if (name === 'secret') this.secret = (await whole(entry, MAX_MEMBER_BYTES.small)).toString().replace(/\n$/, '');
    else if (hostKey !== null) this.hostKeys.set(hostKey, (await whole(entry, MAX_MEMBER_BYTES.small)).toString());
    else if (name === 'database.json')
      this.#database = await readJson(entry, MAX_MEMBER_BYTES.database, isDatabaseFacts);
    else if (tableOf(name) !== null) await this.#write(this.#tableFile(String(tableOf(name))), content, 'a');
    else if (/^(?:uploads|artifacts|packages|pages|lfs|containers)\/\d+\/[0-9a-f]+\/[\w.+-]*[\w+-][\w.+-]*$/.test(name))
      await this.#write(name, content);
    else if (name.startsWith('traces/')) await this.#takeTrace(entry);
    else if (name.startsWith('repositories/')) await this.#takeOfRepository(entry);
    else throw new BrokenArchive(`it holds something unknown: ${name}`);
  }

  /**
   * The dump to load into the database. Throws BadBackup if part of it is missing.
   *
   * @param label the backup's name in messages
   */
  dump(label: string): Dump & { tables: DumpedTable[] } {
    if (!this.#database) throw new BadBackup(`${label} is damaged: database.json is not in it`);
    const lost = this.#database.tables.find(({ name, rows }) => rows > 0 && !this.#tables.has(name));
    if (lost) throw new BadBackup(`${label} is damaged: the rows of table ${lost.name} are not in it`);
    const files = (table: DumpedTable) => path.join(this.#directory, this.#tableFile(table.name));
    return { ...this.#database, rowsOf: (table) => readIfAny(files(table), table.rows) };
  }

  /** Moves the repositories to their final places. Returns some of the refs whose objects are missing. */
  async placeRepositories(repositories: RepositoryStore, signal?: AbortSignal): Promise<string[]> {
    const dangling: string[] = [];
    for (const [storage, root] of Object.entries(this.#storages)) {
      for (const name of await readdir(path.join(root, WAITING)).catch(orIfAbsent<string[]>([]))) {
        signal?.throwIfAborted();
        const from = path.join(root, WAITING, name);
        const [, owner, id, wiki] = /^(?:(snippet|group)-)?(\d+)(\.wiki)?\.git$/.exec(name) ?? [];
        const place = { id: Number(id), repositoryStorage: storage, wiki: wiki !== undefined };
        const to = repositories.directory({ ...place, owner: owner as RepositoryPlace['owner'] });
        if (dangling.length < NAMED) dangling.push(...(await danglingRefs(from)));
        await makeDurableDirectories(path.dirname(to));
        await rename(from, to);
        await syncDirectory(path.dirname(to));
      }
      await rm(path.join(root, WAITING), { recursive: true, force: true });
    }
    return dangling.slice(0, NAMED);
  }

  /** Moves the job logs to their final places. */
  async placeTraces(repositories: RepositoryStore, signal?: AbortSignal): Promise<void> {
    for (const [storage, root] of Object.entries(this.#storages)) {
      const waiting = path.join(root, WAITING_TRACES);
      for (const project of await readdir(waiting).catch(orIfAbsent<string[]>([]))) {
        for (const name of await readdir(path.join(waiting, project))) {
          signal?.throwIfAborted();
          const [jobId = 0, version = 0] = name.split('.').map(Number);
          const place = { id: Number(project), repositoryStorage: storage };
          const to = traceFile(repositories, { project: place, jobId, version });
          await makeDurableDirectories(path.dirname(to), 0o700);
          await rename(path.join(waiting, project, name), to);
          await syncDirectory(path.dirname(to));
        }
      }
      await rm(waiting, { recursive: true, force: true });
    }
  }

  /** Moves the files of a folder into their store. */
  async placeFiles(folder: string, store: UploadStore, signal: AbortSignal | undefined): Promise<void> {
    const root = path.join(this.#directory, folder);
    for (const project of await readdir(root).catch(orIfAbsent<string[]>([]))) {
      for (const secret of await readdir(path.join(root, project))) {
        for (const fileName of await readdir(path.join(root, project, secret))) {
          signal?.throwIfAborted();
          const file = path.join(root, project, secret, fileName);
          const { size } = await stat(file);
          await store.write({ projectId: Number(project), secret, fileName }, createReadStream(file), size);
          await rm(file);
        }
      }
    }
  }

  async #takeTrace({ path: name, content }: Entry): Promise<void> {
    const [, storage = '', project = '', file = ''] =
      /^traces\/([A-Za-z0-9_-]+)\/(\d+)\/(\d+\.\d+\.log)$/.exec(name) ?? [];
    if (file === '') throw new BrokenArchive(`it holds something unknown: ${name}`);
    await save(path.join(this.#rootOf(storage, name), WAITING_TRACES, project, file), content, 0o600);
  }

  /** Throws BadBackup if there is no such storage. */
  #rootOf(storage: string, name: string): string {
    const root = Object.hasOwn(this.#storages, storage) ? this.#storages[storage] : undefined;
    if (root === undefined) throw new BadBackup(`The storage of ${name} is missing from GANTRY_STORAGES`);
    return root;
  }

  async #takeOfRepository({ path: name, content, size }: Entry): Promise<void> {
    const [, storage = '', id = '', rest = ''] =
      /^repositories\/([A-Za-z0-9_-]+)\/((?:(?:snippet|group)-)?\d+(?:\.wiki)?)\.git\/(.+)$/.exec(name) ?? [];
    const directory = path.join(this.#rootOf(storage, name), WAITING, `${id}.git`);
    if (rest === 'HEAD') {
      const head = decodeName(await whole({ path: name, size, content }, MAX_MEMBER_BYTES.small));
      const branch = /^ref: refs\/heads\/(.+)\n$/.exec(head)?.[1] ?? '';
      await initRepository(directory, isValidBranchName(branch) ? branch : 'master');
    } else if (rest === 'packed-refs') {
      await writeFile(path.join(directory, 'packed-refs'), Readable.from(content), { flush: true });
      await syncDirectory(directory);
    } else if (/^objects\/([0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(pack|idx|rev))$/.test(rest)) {
      await save(path.join(directory, rest), content, 0o444);
    } else throw new BrokenArchive(`it holds something unknown: ${name}`);
  }

  /** Numbered, as file systems may confuse names such as `Users` and `users`. */
  #tableFile(table: string): string {
    const number = this.#tables.get(table) ?? this.#tables.size + 1;
    this.#tables.set(table, number);
    return `database/${number}.copy`;
  }

  async #write(name: string, content: AsyncIterable<Buffer>, flags = 'wx'): Promise<void> {
    await save(path.join(this.#directory, name), content, 0o600, flags);
  }
}

async function save(file: string, content: AsyncIterable<Buffer>, mode: number, flags = 'wx'): Promise<void> {
  const directory = path.dirname(file);
  await makeDurableDirectories(directory, 0o700);
  await pipeline(Readable.from(content, { objectMode: false }), createWriteStream(file, { mode, flags, flush: true }));
  await syncDirectory(directory);
}

async function* readIfAny(file: string, rows: number): AsyncGenerator<Buffer> {
  if (rows > 0) yield* createReadStream(file, { highWaterMark: 1024 * 1024 });
}

async function danglingRefs(directory: string): Promise<string[]> {
  const refs = parsePackedRefs(await readFile(path.join(directory, 'packed-refs')));
  const absent = new Set(await absentObjects(directory, [...refs.values()]));
  return [...refs].flatMap(([name, oid]) => (absent.has(oid) ? [`${path.basename(directory)}: ${name} (${oid})`] : []));
}
