import { listZipFiles, type ZipEntry, type ZipSource } from '#src/domain/ci/artifacts/zip.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** Files of one site. */
export const MAX_FILES = 50_000;

/** Characters of the longest path of a file, and of all together: the list of files is read as a whole. */
const MAX_PATH_LENGTH = 1_000;
const MAX_PATHS_LENGTH = 4_000_000;

/**
 * The files of an archive that are the site, by their paths in it. They are counted, and their sizes added up, before anything is unpacked.
 *
 * @param directory of the archive that is published
 * @param maxBytes of all files together; none for no limit
 * @throws ValidationFailed for what cannot be a site, and as findZipEntry
 */
export async function publishedFiles(
  source: ZipSource,
  directory: string,
  maxBytes: number | null,
): Promise<Map<string, ZipEntry>> {
  const root = plainPath(directory);
  const found = await listZipFiles(source, root);
  if (found.size === 0) throw refused(`the artifacts have no files in ${root === '' ? 'their top directory' : root}`);
  if (found.size > MAX_FILES) throw refused(`a site can have at most ${MAX_FILES} files`);
  const files = new Map<string, ZipEntry>();
  let [size, characters] = [0, 0];
  for (const [path, entry] of found) {
    if (path.length > MAX_PATH_LENGTH) throw refused(`a path can have at most ${MAX_PATH_LENGTH} characters`);
    if (leaves(path)) throw refused(`${path.slice(0, 100)} leads out of the site`);
    if (entry === 'special')
      throw refused(`${path.slice(0, 100)} is a symbolic link or a device, which sites cannot have`);
    size += entry.size;
    characters += path.length;
    if (characters > MAX_PATHS_LENGTH) throw refused('the paths of its files are too long together');
    files.set(path, entry);
  }
  if (maxBytes !== null && size > maxBytes) {
    throw refused(
      `a site can have at most ${maxBytes / 1024 / 1024} MB (max_pages_size), and this one has ${Math.ceil(size / 1024 / 1024)} MB`,
    );
  }
  return files;
}

/** The directory as archives name it. */
function plainPath(directory: string): string {
  const segments = directory.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw refused(`${directory.slice(0, 100)} leads out of the artifacts`);
  return segments.join('/');
}

/** Whether a path is none of a file below the directory. */
function leaves(path: string): boolean {
  return (
    path.includes('\0') || path.includes('\\') || path.split('/').some((segment) => ['', '.', '..'].includes(segment))
  );
}

function refused(problem: string): ValidationFailed {
  return new ValidationFailed({ artifacts: [problem] });
}
