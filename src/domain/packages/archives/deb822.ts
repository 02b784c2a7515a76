import { BadRequest } from '#src/platform/errors.ts';

/** The fields of a paragraph of a control file (deb822), in its order, by their names as written; a value may have several lines. */
export type Paragraph = ReadonlyMap<string, string>;

/** Fields that a paragraph has at most. */
const MAX_FIELDS = 500;

/**
 * The only paragraph of a control file, which may be signed in the clear; its signature is not verified. Throws BadRequest.
 *
 * @param what the file in words, for errors
 */
export function readParagraph(text: string, what: string): Paragraph {
  const fields = new Map<string, string[]>();
  const names = new Set<string>();
  let last: string[] | undefined;
  for (const line of linesOf(text)) {
    if (line.startsWith('#')) continue;
    if (line.trim() === '') {
      if (fields.size > 0) last = undefined;
      continue;
    }
    if (/^[ \t]/.test(line)) {
      if (!last) throw new BadRequest(`${what} is not valid`);
      last.push(line.trimEnd());
      continue;
    }
    const mark = line.indexOf(':');
    const name = line.slice(0, Math.max(mark, 0));
    const isNew = !names.has(name.toLowerCase());
    // A further paragraph, or what is no field.
    const isFit = /^[!-9;-~]+$/.test(name) && (last !== undefined || fields.size === 0) && isNew;
    if (!isFit || fields.size >= MAX_FIELDS) throw new BadRequest(`${what} is not valid`);
    last = [line.slice(mark + 1).trim()];
    names.add(name.toLowerCase());
    fields.set(name, last);
  }
  return new Map([...fields].map(([name, lines]) => [name, lines.join('\n')]));
}

/** The lines, without what signs them. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== '-----BEGIN PGP SIGNED MESSAGE-----') return lines;
  const start = lines.indexOf('') + 1;
  const end = lines.indexOf('-----BEGIN PGP SIGNATURE-----');
  return lines.slice(start, end < 0 ? undefined : end).map((line) => line.replace(/^- /, ''));
}

/** The value of a field by its name in any case; undefined if it is absent or empty. */
export function fieldOf(paragraph: Paragraph, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (const [own, value] of paragraph) if (own.toLowerCase() === wanted) return value || undefined;
  return undefined;
}

/** A paragraph as text, without the blank line behind it. Empty fields are left out. */
export function writeParagraph(fields: Iterable<readonly [name: string, value: string | null | undefined]>): string {
  let text = '';
  for (const [name, value] of fields) if (value) text += `${name}:${value.startsWith('\n') ? '' : ' '}${value}\n`;
  return text;
}

/** A file as `Files` and `Checksums-…` list it. */
export interface ListedChecksum {
  checksum: string;
  /** In bytes. */
  size: number;
  name: string;
  /** `section` of `Files` in `.changes`: `contrib/net`. */
  section: string | null;
}

/** The lines of a field with checksums: checksum, size, in `.changes` section and priority, and name. Throws BadRequest. */
export function readChecksums(value: string, what: string): ListedChecksum[] {
  const lines = value.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const words = line.trim().split(/\s+/);
    const [checksum = '', size = '', section = null] = words;
    const name = words.at(-1) ?? '';
    if (![3, 5].includes(words.length) || !/^[0-9a-f]{32,64}$/i.test(checksum) || !/^\d{1,15}$/.test(size))
      throw new BadRequest(`${what} is not valid`);
    return { checksum: checksum.toLowerCase(), size: Number(size), name, section: words.length === 5 ? section : null };
  });
}
