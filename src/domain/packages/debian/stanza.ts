import { fieldOf, type Paragraph, readParagraph, writeParagraph } from '#src/domain/packages/archives/deb822.ts';
import type { IndexedFile } from '#src/domain/packages/debian/indexed_files.ts';
import { debianPool } from '#src/domain/packages/types.ts';

/** What an index says of a file: what the package says of itself, and where it is. */
export function stanzaOf(file: IndexedFile, { isOfProject }: { isOfProject: boolean }): string {
  const { details, projectId, name, version, fileName, size, md5, sha256 } = file;
  const place = {
    ...{ distribution: details.distribution ?? '', name, version, fileName },
    ...(!isOfProject && { projectId }),
  };
  const path = debianPool(place);
  if (details.kind === 'dsc') return sourceStanza(file, path.slice(0, path.lastIndexOf('/')));
  return `${details.control ?? ''}${writeParagraph([
    ['Filename', path],
    ['Size', String(size)],
    ['MD5sum', md5],
    ['SHA256', sha256],
  ])}`;
}

/** The fields of a source package with its `.dsc` among its files, as apt reads `Sources`. */
function sourceStanza({ details, fileName, size, md5, sha256 }: IndexedFile, directory: string): string {
  const control = readParagraph(details.control ?? '', 'The .dsc file');
  const own = { files: `${md5} ${size} ${fileName}`, 'checksums-sha256': `${sha256} ${size} ${fileName}` };
  return writeParagraph([
    ['Package', fieldOf(control, 'Source')],
    ...[...control].flatMap(([name, value]): [string, string][] => {
      const key = name.toLowerCase();
      // SHA-1 of the `.dsc` would be missing among them.
      if (key === 'source' || key === 'checksums-sha1' || key === 'directory') return [];
      return [[name, isListed(key) ? `\n ${own[key]}${value}` : value]];
    }),
    ...missing(control, own),
    ['Directory', directory],
  ]);
}

function isListed(key: string): key is 'files' | 'checksums-sha256' {
  return key === 'files' || key === 'checksums-sha256';
}

/** Lists that the `.dsc` does not have. */
function missing(control: Paragraph, own: Record<'files' | 'checksums-sha256', string>): [string, string][] {
  const lists = [
    ['Files', own.files],
    ['Checksums-Sha256', own['checksums-sha256']],
  ] as const;
  return lists.flatMap(([name, line]): [string, string][] =>
    fieldOf(control, name) === undefined ? [[name, `\n ${line}`]] : [],
  );
}
