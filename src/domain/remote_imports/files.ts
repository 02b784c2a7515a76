import { hash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { attachmentsIn } from '#src/domain/remote_imports/base/rewrite.ts';
import type { LeftOut, Page, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import type { Staging } from '#src/domain/remote_imports/staging.ts';
import { fileNameOf } from '#src/domain/uploads/create.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';
import { type RemoteClient, RemoteRefused, RemoteUnavailable } from '#src/platform/outbound/remote_client.ts';

/** A file that is fetched to become an attached one here. */
interface WantedFile {
  /** As texts have it. */
  address: string;
  url: string;
  /** Where it is as well, for servers that do not have it there; null for nowhere. */
  otherUrl: string | null;
  accept: string | null;
  name: string;
  /** The release that it is a file of; null for one that texts link to. */
  releaseId: unknown;
  createdAt: unknown;
}

/** Files of an import, how many are fetched for a page of the staging, and bytes of one. */
const MAX_FILES = 20_000;
const PAGE_SIZE = 10;
const MAX_FILE_BYTES = 2 * 1024 ** 3;

/** The directory of the fetched files in a staging: `files/<secret>/<name>`. */
export const FILES = 'files';

export const FILES_PHASE = 'files';

/** What files are wanted: those of releases, and those that texts link to. */
export async function wantedFiles(
  staging: Staging,
  { parts }: Pick<PhaseContext, 'parts'>,
  attachments: RegExp,
): Promise<WantedFile[]> {
  const found = new Map<string, WantedFile>();
  for await (const { kind, record } of staging.records()) {
    if (found.size >= MAX_FILES) break;
    if (kind === 'downloads') {
      const {
        url,
        other_url: otherUrl = null,
        address,
        accept,
        name,
        release_id: releaseId,
        created_at: createdAt,
      } = record as Record<string, string | null>;
      found.set(String(address), { address, url, otherUrl, accept, name, releaseId, createdAt } as WantedFile);
    }
    const text = record.description ?? record.body;
    if (typeof text !== 'string' || !parts.has('attachments')) continue;
    for (const address of attachmentsIn(text, attachments)) {
      if (found.has(address)) continue;
      const name = path.posix.basename(new URL(address).pathname);
      const one = { address, url: address, otherUrl: null, accept: null, name, releaseId: null };
      found.set(address, { ...one, createdAt: record.created_at });
    }
  }
  return [...found.values()].slice(0, MAX_FILES);
}

/**
 * Fetches some of the wanted files into the staging. The cursor counts them. What cannot be fetched stays a link, and is named.
 *
 * @param known the secrets of those that came before: they are not fetched again
 */
export async function filesPage(
  { client }: Pick<PhaseContext, 'client'>,
  staging: Staging,
  wanted: readonly WantedFile[],
  cursor: string | null,
  known: ReadonlySet<string> = new Set(),
): Promise<Page> {
  const from = Number(cursor ?? 0);
  const records: StagedRecord[] = [];
  const leftOut: LeftOut[] = [];
  let fileBytes = 0;
  const some = wanted.slice(from, from + PAGE_SIZE);
  for (const [at, file] of some.entries()) {
    const secret = hash('sha256', file.address).slice(0, 32);
    const name = fileNameOf(file.name);
    try {
      if (!known.has(secret)) {
        const folder = path.join(staging.directory, FILES, secret);
        await makeDurableDirectories(folder);
        const place = path.join(folder, name);
        fileBytes += await fetchFile(client, file, `${place}.new`);
        await rename(`${place}.new`, place);
        await syncDirectory(folder);
      }
      const { address, releaseId: release_id, name: title, createdAt: created_at } = file;
      const record = {
        id: from + at + 1,
        secret,
        file_name: name,
        user_id: null,
        created_at,
        address,
        release_id,
        title,
      };
      records.push({ kind: 'uploads', record });
    } catch (error) {
      if (!(error instanceof RemoteRefused) && !(error instanceof RemoteUnavailable)) throw error;
      await rm(path.join(staging.directory, FILES, secret), { recursive: true, force: true });
      leftOut.push({ kind: 'uploads', name: file.address.slice(0, 500), message: error.message });
    }
  }
  const next = from + PAGE_SIZE < wanted.length ? String(from + PAGE_SIZE) : null;
  return { records, leftOut, next, seen: some.length, total: wanted.length, fileBytes };
}

/** Fetches a file. Returns its size in bytes. Throws what RemoteClient throws. */
async function fetchFile(client: RemoteClient, { url, otherUrl, accept }: WantedFile, place: string): Promise<number> {
  const at = (address: string) => {
    if (!URL.canParse(address)) throw new RemoteRefused('Its address is not valid.');
    return client.file(new URL(address), place, MAX_FILE_BYTES, { accept: accept ?? '*/*' });
  };
  try {
    return await at(url);
  } catch (error) {
    if (!(error instanceof RemoteRefused) || error.status === null || otherUrl === null) throw error;
    return at(otherUrl);
  }
}
