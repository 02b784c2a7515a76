import { recognizeLicense } from '#src/domain/administration/templates/recognize.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** Names of the files that introduce a directory, the first that is there. */
export const READMES = ['README.md', 'readme.md', 'Readme.md', 'README.markdown', 'README', 'README.txt', 'readme.txt'];
const LICENSE = /^(?:licen[cs]e|copying|unlicense)(?:[.-][\w.-]*)?$/i;

/** Entries of the root directory that are looked at, and files of licenses that are read. */
const MAX_ENTRIES = 1_000;
const MAX_LICENSES = 5;
/** In bytes, of the longest text that is compared with licenses. */
const MAX_LICENSE_BYTES = 100_000;

/** What the files in the root directory tell of a project. */
export interface RootFiles {
  readme: string | null;
  /** The first file with a known license. */
  licenseFile: string | null;
  licenseKey: string | null;
}

/** Looks at the files in the root directory of a commit. */
export async function rootFiles(repository: RepositoryReader, commit: Oid): Promise<RootFiles> {
  const listing = { recursive: false, offset: 0, limit: MAX_ENTRIES };
  const files = ((await repository.treePage(commit, '', listing))?.entries ?? []).filter(({ type }) => type === 'blob');
  const readme = READMES.find((name) => files.some((file) => file.name === name)) ?? null;
  for (const { name, oid } of files.filter((file) => LICENSE.test(file.name)).slice(0, MAX_LICENSES)) {
    const size = await repository.blobSize(oid);
    const content = size !== null && size <= MAX_LICENSE_BYTES ? await repository.blob(oid, MAX_LICENSE_BYTES) : null;
    const license = content && (await recognizeLicense(content.toString('utf8')));
    if (license) return { readme, licenseFile: name, licenseKey: license.key };
  }
  return { readme, licenseFile: null, licenseKey: null };
}
