import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LeftOut, RemoteProject } from '#src/domain/remote_imports/base/source.ts';
import { type Given, isGiven, objectsIn } from '#src/domain/remote_imports/base/values.ts';
import { mentionsLfs } from '#src/domain/remote_imports/fetch_repository.ts';
import { pointersIn } from '#src/domain/repository/lfs_links.ts';
import { type LfsPointer, POINTER_BYTES } from '#src/domain/repository/lfs_pointer.ts';
import type { RepositoryLimits } from '#src/domain/repository/limits.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { smallFiles } from '#src/git/remote/small_files.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { RemoteClient, RemoteRefused, RemoteUnavailable } from '#src/platform/outbound/remote_client.ts';

/** The directory of fetched objects in a staging, and in an archive. */
export const LFS = 'lfs';

/** Small files that are looked at, and objects that are fetched, of a repository. */
const MAX_FILES = 2_000_000;
const MAX_OBJECTS = 100_000;
/** Files that are looked at, and objects that the source is asked for, at a time. */
const FILE_BATCH_SIZE = 5_000;
const BATCH_SIZE = 50;
/** How many objects that do not come along are named. */
const MAX_NAMED = 50;
/** Headers of an action of a batch, and characters of one. */
const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 8_000;
/** Headers that belong to the connection. */
const OWN_HEADERS = /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|cookie)$/i;
const JSON_OF_LFS = 'application/vnd.git-lfs+json';
const REMEDY = 'Push objects of Git LFS: `git lfs push --all` from a clone of the source.';

export interface LfsFetch {
  /** The fetched repository, and its directory. */
  reader: RepositoryReader;
  repository: string;
  /** The directory of the staging. */
  staging: string;
  project: RemoteProject;
  token: string;
  imports: ImportSettings;
  limits: Pick<RepositoryLimits, 'lfsObjectBytes' | 'quotaBytes'>;
  /** The hashes of those that the project has. */
  known: ReadonlySet<string>;
  signal: AbortSignal;
  /** Called before each batch; it may throw to leave the rest to later. */
  progress(fetched: number, total: number): Promise<void>;
}

/**
 * Fetches the objects of Git LFS that files of a repository point to, into the staging, as far as they are not there yet; each is what its
 * name says. Returns what does not come along. Throws RemoteRateLimited, what `progress` throws, and the signal's reason.
 */
export async function fetchLfsObjects(fetch: LfsFetch): Promise<LeftOut[]> {
  const { reader, repository, staging, limits, imports } = fetch;
  if (!(await mentionsLfs(reader, repository))) return [];
  const left = new LeftObjects();
  const pointers = await pointersOf(fetch);
  if (pointers === null) return [{ kind: LFS, name: null, message: REMEDY }];
  await makeDurableDirectories(path.join(staging, LFS));
  const room = Math.min(imports.maxBytes, limits.quotaBytes);
  let bytes = 0;
  const wanted: LfsPointer[] = [];
  for (const pointer of pointers) {
    if (fetch.known.has(pointer.oid)) continue;
    if (pointer.size > limits.lfsObjectBytes) left.add(pointer, `It has more than ${limits.lfsObjectBytes} bytes.`);
    else if (bytes + pointer.size > room) left.add(pointer, `Objects would have more than ${room} bytes.`);
    else if (wanted.length === MAX_OBJECTS) left.add(pointer, `There are more than ${MAX_OBJECTS} objects.`);
    else {
      bytes += pointer.size;
      wanted.push(pointer);
    }
  }
  const source = new LfsSource(fetch);
  try {
    for (let at = 0; at < wanted.length; at += BATCH_SIZE) {
      await fetch.progress(at, wanted.length);
      const part = [];
      for (const one of wanted.slice(at, at + BATCH_SIZE)) if (!(await isThere(staging, one))) part.push(one);
      if (part.length > 0) await source.fetch(part, left);
      if (source.isAbsent) return [{ kind: LFS, name: null, message: REMEDY }];
    }
  } finally {
    source.close();
  }
  return left.told();
}

/** What objects the files of a repository point to, the smallest first, so that most come along; null if there are too many files. */
async function pointersOf({ reader, repository, imports, signal }: LfsFetch): Promise<LfsPointer[] | null> {
  const found = new Map<string, LfsPointer>();
  try {
    const options = { most: POINTER_BYTES.most, count: MAX_FILES, timeout: imports.timeout, signal };
    const files = await smallFiles(repository, options);
    for (let at = 0; at < files.length; at += FILE_BATCH_SIZE) {
      signal.throwIfAborted();
      for (const one of await pointersIn(reader, files.slice(at, at + FILE_BATCH_SIZE))) found.set(one.oid, one);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProgramFailed) return null;
    throw error;
  }
  return [...found.values()].sort((one, other) => one.size - other.size);
}

function placeOf(staging: string, { oid }: LfsPointer): string {
  return path.join(staging, LFS, oid);
}

/** Whether an object was fetched before. */
async function isThere(staging: string, pointer: LfsPointer): Promise<boolean> {
  const found = await stat(placeOf(staging, pointer)).catch(() => null);
  return found?.size === pointer.size;
}

/** The objects that do not come along, the first of them by name. */
class LeftObjects {
  readonly #named: LeftOut[] = [];
  #others = 0;

  add({ oid }: LfsPointer, message: string): void {
    if (this.#named.length < MAX_NAMED) this.#named.push({ kind: LFS, name: oid, message });
    else this.#others += 1;
  }

  told(): LeftOut[] {
    if (this.#others === 0) return this.#named;
    return [...this.#named, { kind: LFS, name: null, message: `${this.#others} more objects. ${REMEDY}` }];
  }
}

/** The batch API of the objects of a repository (git-lfs, docs/api/batch.md), with basic transfers. */
class LfsSource {
  readonly #options: LfsFetch;
  readonly #client: RemoteClient;
  /** Whether the source does not have the API, or the token may not use it. */
  isAbsent = false;

  constructor(options: LfsFetch) {
    const { project, token, imports, signal } = options;
    this.#options = options;
    const credentials = Buffer.from(`${project.gitUser}:${token}`).toString('base64');
    this.#client = new RemoteClient({
      origin: new URL(project.repository).origin,
      credentials: { authorization: `Basic ${credentials}` },
      headers: { accept: JSON_OF_LFS },
      settings: imports,
      signal,
    });
  }

  close(): void {
    this.#client.close();
  }

  /** Fetches objects into the staging. */
  async fetch(pointers: readonly LfsPointer[], left: LeftObjects): Promise<void> {
    const answered = await this.#ask(pointers);
    if (answered === null) return;
    for (const pointer of pointers) {
      const given = answered.get(pointer.oid);
      try {
        await this.#download(pointer, given);
      } catch (error) {
        if (!(error instanceof RemoteRefused) && !(error instanceof RemoteUnavailable)) throw error;
        left.add(pointer, error.message);
      }
    }
  }

  /** What is said of each object, by its hash; null without such an API. */
  async #ask(pointers: readonly LfsPointer[]): Promise<Map<string, Given> | null> {
    const { repository } = this.#options.project;
    const objects = pointers.map(({ oid, size }) => ({ oid, size }));
    const asked = { operation: 'download', transfers: ['basic'], objects };
    try {
      const url = new URL(`${repository}/info/lfs/objects/batch`);
      const { body } = await this.#client.post(url, asked, JSON_OF_LFS);
      const found = isGiven(body) ? objectsIn(body, 'objects') : [];
      return new Map(found.flatMap((one) => (typeof one.oid === 'string' ? [[one.oid, one]] : [])));
    } catch (error) {
      if (!(error instanceof RemoteRefused)) throw error;
      this.isAbsent = true;
      return null;
    }
  }

  async #download(pointer: LfsPointer, given: Given | undefined): Promise<void> {
    const download = isGiven(given?.actions) ? given.actions.download : null;
    const href = isGiven(download) ? download.href : null;
    if (!isGiven(download) || typeof href !== 'string' || href.length > MAX_HEADER_LENGTH || !URL.canParse(href)) {
      throw new RemoteRefused('The source does not have it.');
    }
    const url = new URL(href);
    if (!['http:', 'https:'].includes(url.protocol)) throw new RemoteRefused('Its address is not one of HTTP.');
    const place = placeOf(this.#options.staging, pointer);
    const draft = `${place}.new`;
    try {
      const size = await this.#client.file(url, draft, pointer.size, headersOf(download));
      if (size !== pointer.size) throw new RemoteRefused(`It has ${size} bytes, and not ${pointer.size}.`);
      if ((await hashOf(draft)) !== pointer.oid) throw new RemoteRefused('It is not what its hash says.');
      await rename(draft, place);
      await syncDirectory(path.dirname(place));
    } finally {
      await rm(draft, { force: true });
    }
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The headers that an action wants to be sent. */
function headersOf({ header }: Given): Record<string, string> {
  const found: Record<string, string> = { accept: '*/*' };
  for (const [name, value] of Object.entries(isGiven(header) ? header : {}).slice(0, MAX_HEADERS)) {
    const isUsable = typeof value === 'string' && value.length <= MAX_HEADER_LENGTH && /^[\x20-\x7e]*$/.test(value);
    if (isUsable && /^[\w-]{1,100}$/.test(name) && !OWN_HEADERS.test(name)) found[name.toLowerCase()] = value;
  }
  return found;
}
