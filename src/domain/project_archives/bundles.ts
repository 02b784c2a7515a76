import type { Context } from '#src/access/permissions/actor.ts';
import { MEGABYTE } from '#src/domain/project_archives/place.ts';
import { lockOwner, whileObjectsStay } from '#src/domain/repository/lock.ts';
import { OWN_REFS } from '#src/domain/repository/merge_request_refs.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { ArchiveRefused, type PackedFile, packFiles } from '#src/git/archive/files.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { type Ref, RefReader } from '#src/git/refs/read.ts';
import { writeBundle } from '#src/git/remote/bundle.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What keeps an archive from being made, in words for whoever asked for it. */
export class ExportFailed extends Error {
  override name = 'ExportFailed';
}

/** Packs the files of an archive. Throws ExportFailed for one that is larger than the settings allow. */
export async function packArchive(
  { db }: Pick<Context, 'db'>,
  files: AsyncIterable<PackedFile>,
  archive: string,
  signal: AbortSignal,
): Promise<void> {
  const { maxExportSize } = await currentSettings(db);
  const most = maxExportSize === 0 ? Number.POSITIVE_INFINITY : maxExportSize * MEGABYTE;
  await packFiles(files, archive, { most, signal }).catch((error) => {
    throw error instanceof ArchiveRefused
      ? new ExportFailed(`The archive has more than ${maxExportSize} megabytes (max_export_size).`)
      : error;
  });
}

/**
 * Writes a bundle of a repository with the refs of its merge requests; none if there is no repository, or nothing in it.
 *
 * @param withHead whether its HEAD is that of the repository, as `git clone` looks for one; it has none otherwise
 */
export async function writeRepository(
  { db, repositories }: Context,
  place: RepositoryPlace,
  file: string,
  signal: AbortSignal,
  withHead = false,
): Promise<void> {
  const reader = await repositories.open(place);
  if (reader === null) return;
  if ((await programVersion()) === null) {
    throw new ExportFailed('This server has no git program of version 2.38 or later, which exports need.');
  }
  const directory = repositories.directory(place);
  await whileObjectsStay(db, lockOwner(place), async () => {
    const refs = await archivedRefs(directory);
    const head = withHead ? `refs/heads/${await reader.defaultBranch()}` : null;
    const branch = refs.find(({ name }) => name === head);
    const all = branch ? [...refs, { ...branch, name: 'HEAD' }] : refs;
    if (all.length > 0) await writeBundle(directory, all, file, signal);
  });
}

async function archivedRefs(directory: string): Promise<Ref[]> {
  const reader = new RefReader(directory);
  const lists = await Promise.all(['refs/heads/', 'refs/tags/', ...OWN_REFS].map((prefix) => reader.list(prefix)));
  return lists.flat();
}
