import type { SiteFile, SiteIndex } from '#src/domain/sites/archive.ts';

/** What is at a path of a site. */
export type Resolved = { type: 'file'; path: string; file: SiteFile } | { type: 'directory' };

/** What is at a path of a site: a file, that with `.html`, or the `index.html` of a directory, whose path ends in a slash. Null if nothing is. */
export function resolvePath(files: SiteIndex, path: string): Resolved | null {
  const names = path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  for (const name of names) {
    const file = files.get(name);
    if (file) return { type: 'file', path: name, file };
  }
  return names.length > 1 && files.has(`${path}/index.html`) ? { type: 'directory' } : null;
}

/** The files beside others that have the same content compressed, best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A file as it is sent. */
export interface Representation {
  file: SiteFile;
  /** Its encoding, if it is compressed. */
  encoding: 'br' | 'gzip' | null;
  /** Whether there are others, for other clients. */
  varies: boolean;
}

/** The form of a file that is sent to a client that accepts these encodings. */
export function representationOf(files: SiteIndex, path: string, file: SiteFile, accepted: string): Representation {
  const found = ENCODINGS.flatMap(([encoding, extension]) => {
    const packed = files.get(path + extension);
    return packed ? [{ encoding, file: packed }] : [];
  });
  const best = found.find(({ encoding }) => accepts(accepted, encoding));
  return { file: best?.file ?? file, encoding: best?.encoding ?? null, varies: found.length > 0 };
}

/** Whether a header names the encoding and does not refuse it. */
function accepts(header: string, encoding: string): boolean {
  return header
    .slice(0, 1_000)
    .split(',')
    .some((entry) => {
      const [name = '', quality = ''] = entry.split(';', 2);
      return name.trim().toLowerCase() === encoding && !/^\s*q=0(?:\.0*)?\s*$/i.test(quality);
    });
}
