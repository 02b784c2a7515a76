import { Readable } from 'node:stream';
import { openZipEntry, type ZipEntry, type ZipSource } from '#src/domain/ci/artifacts/zip.ts';

/**
 * The files of a site as they are stored: the list of files as JSON, then their contents, one behind the other. Nothing in the store
 * has a name that a project chose, and each file is read by one range.
 */
export interface PackedSite {
  index: Buffer;
  /** In bytes: of the files together. */
  size: number;
  content(): AsyncIterable<Uint8Array>;
}

/** A file of a site. */
export interface SiteFile {
  /** Where its content begins, behind the list. */
  offset: number;
  /** In bytes. */
  size: number;
  crc32: number;
}

/** The files of a site by their paths, which begin with no slash. */
export type SiteIndex = ReadonlyMap<string, SiteFile>;

/** What the list has of each file. */
type Line = readonly [path: string, offset: number, size: number, crc32: number];

/** Packs files of an archive, by the paths that they have in the site. */
export function packSite(source: ZipSource, files: ReadonlyMap<string, ZipEntry>): PackedSite {
  const lines: Line[] = [];
  let size = 0;
  for (const [path, entry] of files) {
    lines.push([path, size, entry.size, entry.crc32]);
    size += entry.size;
  }
  const index = Buffer.from(JSON.stringify(lines));
  async function* content(): AsyncGenerator<Uint8Array> {
    yield index;
    for (const entry of files.values()) yield* await openZipEntry(source, entry);
  }
  return { index, size, content: () => Readable.from(content(), { objectMode: false }) };
}

/** Reads the list of a packed site. */
export function readIndex(bytes: Buffer): SiteIndex {
  const lines = JSON.parse(bytes.toString('utf8')) as Line[];
  return new Map(lines.map(([path, offset, size, crc32]) => [path, { offset, size, crc32 }]));
}
