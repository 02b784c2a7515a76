import type { WriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import {
  type GroupContext,
  inApi,
  orNone,
  type StagedGroup,
  stagedGroups,
} from '#src/domain/bulk_imports/group_source.ts';
import { openFile, writeTo } from '#src/domain/gitlab_archives/relations/files.ts';
import { GitlabFiles } from '#src/domain/group_archives/gitlab_files.ts';
import { AVATARS, WIKIS } from '#src/domain/group_archives/place.ts';
import { fetchSource } from '#src/domain/imports/import.ts';
import { ImportFailed } from '#src/domain/imports/source.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import { fetchPicture } from '#src/domain/remote_imports/picture.ts';
import { initRepository } from '#src/git/init.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { RefReader } from '#src/git/refs/read.ts';
import { writeBundle } from '#src/git/remote/bundle.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { parseImportUrl } from '#src/platform/outbound/url.ts';

/** Numbers of archives of GitLab for the words of its API. */
const VISIBILITIES: Readonly<Record<string, number>> = { private: 0, internal: 10, public: 20 };
const PROJECT_CREATORS: Readonly<Record<string, number>> = {
  noone: 0,
  maintainer: 1,
  developer: 2,
  administrator: 3,
  owner: 4,
};
const GROUP_CREATORS: Readonly<Record<string, number>> = { owner: 0, maintainer: 1 };

/** The files of an archive that a staging became. */
export interface AssembledGroup {
  directory: string;
  /** The IDs, there, of the groups that have a wiki, and a picture. */
  wikis: readonly number[];
  avatars: readonly number[];
  leftOut: readonly LeftOut[];
}

/** Makes of what was fetched the files of an archive of ours, by way of those of one of GitLab. Throws ArchiveInvalid, and the signal's reason. */
export async function assembleGroup(
  context: GroupContext,
  imports: ImportSettings,
  signal: AbortSignal,
): Promise<AssembledGroup> {
  const groups = await stagedGroups(context);
  const directory = path.join(context.staging.directory, 'archive');
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  for (const name of ['tree', WIKIS, AVATARS]) await mkdir(path.join(directory, name), { recursive: true });
  const files = new GitlabFiles(directory);
  await write(
    files,
    '_all.ndjson',
    groups.map(({ id }) => id),
  );
  for (const { id, parent_id, settings } of groups) {
    const given = settings;
    const head = {
      ...given,
      parent_id,
      visibility_level: VISIBILITIES[String(given.visibility)] ?? null,
      project_creation_level: PROJECT_CREATORS[String(given.project_creation_level)] ?? null,
      subgroup_creation_level: GROUP_CREATORS[String(given.subgroup_creation_level)] ?? null,
    };
    await write(files, `${id}.json`, [head]);
    await write(files, `${id}/namespace_settings.ndjson`, [given]);
  }
  await writeRecords(context, files, signal);
  await files.translate(signal);
  const pictures = await fetchPictures(context, groups, directory, signal);
  const wikis = await fetchWikis(context, groups, directory, { imports, stopping: signal });
  return { directory, wikis: wikis.ids, avatars: pictures.ids, leftOut: [...pictures.leftOut, ...wikis.leftOut] };
}

/** The file of a name below `tree/groups`, as such archives have it. */
function placeOf(files: GitlabFiles, name: string): string {
  const place = files.placeOf(`tree/groups/${name}`);
  if (place === undefined) throw new Error(`There is no place for ${name}`);
  return place;
}

async function write(files: GitlabFiles, name: string, records: readonly unknown[]): Promise<void> {
  const file = openFile(placeOf(files, name));
  for (const record of records) await writeTo(file, `${JSON.stringify(record)}\n`);
  file.end();
  await finished(file);
}

/** Kinds of staged records that are no relations of archives. */
const NO_RELATIONS: ReadonlySet<string> = new Set(['groups', 'projects']);

/** Writes what belongs to groups, a file open at a time: records of a kind come group by group. */
async function writeRecords({ staging }: GroupContext, files: GitlabFiles, signal: AbortSignal): Promise<void> {
  const open: { name: string; file: WriteStream | null } = { name: '', file: null };
  const end = async () => {
    const { file } = open;
    open.file = null;
    file?.end();
    if (file) await finished(file);
  };
  try {
    for await (const { kind, record } of staging.records()) {
      signal.throwIfAborted();
      if (NO_RELATIONS.has(kind)) continue;
      const name = `${record.group}/${kind}.ndjson`;
      if (open.name !== name) await end();
      open.name = name;
      open.file ??= openFile(placeOf(files, name));
      await writeTo(open.file, `${JSON.stringify(record.record)}\n`);
    }
  } finally {
    await end();
  }
}

interface Fetched {
  ids: number[];
  leftOut: LeftOut[];
}

async function fetchPictures(
  { client, address }: GroupContext,
  groups: readonly StagedGroup[],
  directory: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const found: Fetched = { ids: [], leftOut: [] };
  for (const { id, full_path: fullPath, settings } of groups) {
    const given = settings.avatar_url;
    if (typeof given !== 'string' || !URL.canParse(given, address.url)) continue;
    signal.throwIfAborted();
    const file = path.join(directory, AVATARS, String(id));
    // Servers of before 14.0 have pictures at their public addresses alone.
    const places = [inApi(address, `/groups/${id}/avatar`).href, new URL(given, address.url).href];
    const message = await fetchPicture(client, places, file);
    if (message === null) found.ids.push(id);
    else found.leftOut.push({ kind: 'avatar', name: fullPath, message });
  }
  return found;
}

/** Fetches the wikis that the API tells of, as bundles. */
async function fetchWikis(
  context: GroupContext,
  groups: readonly StagedGroup[],
  directory: string,
  fetching: { imports: ImportSettings; stopping: AbortSignal },
): Promise<Fetched> {
  const { client, address, staging } = context;
  const found: Fetched = { ids: [], leftOut: [] };
  for (const { id, full_path: fullPath } of groups) {
    const pages = await orNone(() => client.json(inApi(address, `/groups/${id}/wikis?per_page=1`)));
    if (pages === null || !Array.isArray(pages.body) || pages.body.length === 0) continue;
    const draft = path.join(staging.directory, 'wiki');
    try {
      if ((await programVersion()) === null) throw new ImportFailed('Wikis need git 2.38 or later on this server.');
      const wiki = new URL(`${address.url}/${fullPath}.wiki.git`);
      wiki.username = 'oauth2';
      wiki.password = encodeURIComponent(address.token);
      const source = parseImportUrl(wiki.href);
      if (typeof source === 'string') throw new ImportFailed(`The URL of the wiki ${source}.`);
      await initRepository(draft, 'master');
      await fetchSource(fetching, source, draft);
      const refs = await new RefReader(draft).list('refs/heads/');
      if (refs.length === 0) continue;
      await writeBundle(draft, refs, path.join(directory, WIKIS, `${id}.bundle`), fetching.stopping);
      found.ids.push(id);
    } catch (error) {
      if (!(error instanceof ImportFailed)) throw error;
      found.leftOut.push({ kind: 'wiki', name: fullPath, message: error.message });
    } finally {
      await rm(draft, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  return found;
}
