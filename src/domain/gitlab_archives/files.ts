import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Output } from '#src/domain/gitlab_archives/relations/output.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import { AVATAR, PROJECT, REPOSITORY, SNIPPETS, WIKI } from '#src/domain/project_archives/place.ts';
import { DomainError } from '#src/platform/errors.ts';
import { readPicture } from '#src/platform/pictures.ts';

/** The directory, beside the files of our layout, of what of an archive of GitLab has to be translated. */
export const ORIGINAL = 'original';
/** The directory of its records, in {@link ORIGINAL}. */
export const RECORDS = 'records';

/** The files that only an archive of GitLab has, or that are something else there. */
const PLACES: Readonly<Record<string, string>> = {
  VERSION: `${ORIGINAL}/VERSION`,
  'project.json': PROJECT,
  'tree/project.json': `${ORIGINAL}/head.json`,
  'project.bundle': REPOSITORY,
  'project.wiki.bundle': WIKI,
};

/**
 * Where a file of an archive of GitLab is put in the directory of an import, and what it is called in messages; null for one that does not
 * come along. Names are those of the archive: no place leads out of the directory.
 */
export function placeOfFile(name: string): string | null {
  if (Object.hasOwn(PLACES, name)) return PLACES[name] ?? null;
  const [, relation] = /^tree\/project\/([a-z][a-z0-9_]{0,79})\.ndjson$/.exec(name) ?? [];
  if (relation !== undefined) return `${ORIGINAL}/${RECORDS}/${relation}.ndjson`;
  const [, oid] = /^lfs-objects\/([0-9a-f]{64})$/.exec(name) ?? [];
  if (oid !== undefined) return `lfs/${oid}`;
  const [, secret, fileName = ''] = /^uploads\/([0-9a-f]{32})\/([^/]+)$/.exec(name) ?? [];
  if (secret !== undefined && CHECKS.fileName(fileName)) return `uploads/${secret}/${fileName}`;
  return /^avatar\/[^/]+$/.test(name) ? AVATAR : null;
}

/** Files that say nothing that is missed: what the version of the exporting server was, and what objects of Git LFS belong to. */
const SILENT: ReadonlySet<string> = new Set(['GITLAB_VERSION', 'GITLAB_REVISION', 'lfs-objects.json']);

/** Remembers files that do not come along. */
export function leaveOutFiles(out: Output, names: readonly string[], count: number): void {
  for (const name of names) {
    if (SILENT.has(name)) continue;
    if (name === 'project.design.bundle') out.leaveOut({ relation: 'designs', line: 0 }, 'Designs do not come along.');
    else if (name.startsWith(`${SNIPPETS}/`))
      out.leaveOut({ relation: 'snippets', line: 0 }, 'Of snippets the first file comes along, without its history.');
    else out.leaveOut({ relation: 'files', line: 0 }, 'A file of the archive has no place here.');
  }
  if (count > names.length)
    out.leaveOut({ relation: 'files', line: 0 }, 'A file of the archive has no place here.', count - names.length);
}

/** Records the attached files, and leaves a picture out that is none. */
export async function takeFiles(out: Output, directory: string): Promise<void> {
  for (const secret of await readdir(path.join(directory, 'uploads'))) {
    for (const fileName of await readdir(path.join(directory, 'uploads', secret)))
      await out.add('uploads', { id: out.id('uploads'), secret, fileName }, { relation: 'uploads', line: 0 });
  }
  const file = path.join(directory, AVATAR);
  const found = await stat(file).catch(() => null);
  if (!found) return;
  try {
    await readPicture({ size: found.size, stream: () => createReadStream(file) });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    out.leaveOut({ relation: 'avatar', line: 0 }, 'The picture is not an image that is shown here.');
    await rm(file);
  }
}
