import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fetchSource } from '#src/domain/imports/import.ts';
import { ImportFailed } from '#src/domain/imports/source.ts';
import { REPOSITORY, WIKI } from '#src/domain/project_archives/place.ts';
import type { LeftOut, RemoteProject } from '#src/domain/remote_imports/base/source.ts';
import type { Staging } from '#src/domain/remote_imports/staging.ts';
import { MERGE_REQUESTS } from '#src/domain/repository/merge_request_refs.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { initRepository } from '#src/git/init.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { type Ref, RefReader } from '#src/git/refs/read.ts';
import { writeBundle } from '#src/git/remote/bundle.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { parseImportUrl } from '#src/platform/outbound/url.ts';

/** The fetched repository in a staging. */
export const FETCHED = 'repository';

export interface FetchOptions {
  staging: Staging;
  project: RemoteProject;
  token: string;
  /** The refs of the heads of merge requests at the source. */
  heads: string;
  /** The numbers of the merge requests that come along. */
  mergeRequests: ReadonlySet<number>;
  withWiki: boolean;
  imports: ImportSettings;
  stopping: AbortSignal;
}

/**
 * Fetches the repository and the wiki of a project into the staging, as bundles of the archive, unless that was done. Returns what was
 * left out. Throws ImportFailed, and the signal's reason.
 */
export async function fetchRepositories(options: FetchOptions): Promise<LeftOut[]> {
  const { staging, project, withWiki } = options;
  if ((await programVersion()) === null) {
    throw new ImportFailed('This server has no git program of version 2.38 or later, which imports need.');
  }
  if (!staging.isDone(FETCHED)) {
    await fetchOne(options, { url: project.repository, folder: FETCHED, bundle: REPOSITORY });
    await staging.markDone(FETCHED);
  }
  if (!withWiki || project.wiki === null || staging.isDone('wiki')) return [];
  try {
    await fetchOne(options, { url: project.wiki, folder: 'wiki', bundle: WIKI });
    await staging.markDone('wiki');
    return [];
  } catch (error) {
    if (!(error instanceof ImportFailed)) throw error;
    // A wiki that nobody wrote to is not there.
    await rm(path.join(staging.directory, WIKI), { force: true });
    return [{ kind: 'wiki', name: null, message: error.message }];
  }
}

async function fetchOne(
  { staging, project, token, heads, mergeRequests, imports, stopping }: FetchOptions,
  { url, folder, bundle }: { url: string; folder: string; bundle: string },
): Promise<void> {
  const address = new URL(url);
  address.username = project.gitUser;
  address.password = encodeURIComponent(token);
  const source = parseImportUrl(address.href);
  if (typeof source === 'string') throw new ImportFailed(`The URL of the repository ${source}.`);
  const draft = path.join(staging.directory, folder);
  // What an attempt before has left.
  await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  await initRepository(draft, 'master');
  const isOwn = folder === FETCHED;
  const refspecs = isOwn && mergeRequests.size > 0 ? [`+${heads}:${MERGE_REQUESTS}*/head`] : [];
  await fetchSource({ imports, stopping }, source, draft, refspecs);
  const refs = await wantedRefs(draft, isOwn ? mergeRequests : new Set());
  await rm(path.join(staging.directory, bundle), { force: true });
  if (refs.length > 0) await writeBundle(draft, refs, path.join(staging.directory, bundle), stopping);
  if (!isOwn) await rm(draft, { recursive: true, force: true, maxRetries: 3 });
}

/** Branches, tags, and the heads of merge requests that come along. */
async function wantedRefs(draft: string, mergeRequests: ReadonlySet<number>): Promise<Ref[]> {
  const reader = new RefReader(draft);
  const lists = await Promise.all(['refs/heads/', 'refs/tags/', MERGE_REQUESTS].map((prefix) => reader.list(prefix)));
  return lists.flat().filter(({ name }) => {
    if (!name.startsWith(MERGE_REQUESTS)) return true;
    const [, number] = /^(\d{1,9})\/head$/.exec(name.slice(MERGE_REQUESTS.length)) ?? [];
    return number !== undefined && mergeRequests.has(Number(number));
  });
}

/** Bytes of the largest `.gitattributes` that is looked into. */
const MAX_ATTRIBUTES_BYTES = 1024 * 1024;

/** Whether a branch or tag says at its root that it has files in Git LFS. */
export async function mentionsLfs(reader: RepositoryReader, directory: string): Promise<boolean> {
  const refs = new RefReader(directory);
  const [branches, tags] = await Promise.all([refs.list('refs/heads/'), refs.list('refs/tags/')]);
  for (const commit of new Set([...branches, ...tags].slice(0, MAX_LOOKED_INTO).map(({ target }) => target))) {
    const file = await reader.entry(commit, '.gitattributes').catch(() => null);
    if (file?.type !== 'blob') continue;
    const content = await reader.blob(file.oid, MAX_ATTRIBUTES_BYTES).catch(() => null);
    if (content && /^[^#\n]*\bfilter=lfs\b/m.test(content.toString('latin1'))) return true;
  }
  return false;
}

/** How many branches and tags are looked into. */
const MAX_LOOKED_INTO = 100;
