import { createHash } from 'node:crypto';

/** The name of a file on the pages of diffs: short, and the same wherever it is. */
export function fileId(path: string): string {
  return `f${createHash('sha1').update(path).digest('hex').slice(0, 8)}`;
}

/** The name of a line in a file. */
export function lineId(file: string, oldLine: number | null, newLine: number | null): string {
  return `${file}_${oldLine ?? ''}_${newLine ?? ''}`;
}

/** The numbers of a line on both sides, and the name of its file. */
export interface NamedLine {
  file: string;
  oldLine: number | null;
  newLine: number | null;
}

/** What a name of a line says; null if it is none. */
export function readLineId(text: unknown): NamedLine | null {
  const [, file, oldLine = '', newLine = ''] = /^(f[0-9a-f]{8})_(\d{0,9})_(\d{0,9})$/.exec(String(text ?? '')) ?? [];
  if (file === undefined || oldLine + newLine === '') return null;
  const number = (digits: string) => (digits === '' ? null : Number(digits));
  return { file, oldLine: number(oldLine), newLine: number(newLine) };
}

/** The name of a line or a whole file that a comment is to be written on; empty if the text is none. */
export function placeNamed(text: unknown): string {
  return /^f[0-9a-f]{8}$/.test(String(text)) || readLineId(text) ? String(text) : '';
}
