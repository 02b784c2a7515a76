import type { Signature } from '../base/model.ts';

/** Characters at the end of a line in which its time stands: a line may be as long as an object. */
const MAX_TIME_LENGTH = 100;

/** Reads `Name <mail> seconds zone`. What cannot be read is empty or zero. */
export function parseSignature(line: string): Signature {
  const open = line.indexOf('<');
  const close = line.indexOf('>', open);
  const time = /(\d+)(?:\s+([+-]\d+))?\s*$/.exec(line.slice(line.lastIndexOf('>') + 1).slice(-MAX_TIME_LENGTH));
  const known = open >= 0 && close > open;
  return {
    name: (known ? line.slice(0, open) : line).trim(),
    email: known ? line.slice(open + 1, close).trim() : '',
    seconds: time === null ? 0 : Number(time[1]),
    offset: parseZone(time?.[2] ?? '+0000'),
  };
}

/** Writes `Name <mail> seconds zone`; what would break the line apart is left out of name and address. */
export function formatSignature({ name, email, seconds, offset }: Signature): string {
  return `${clean(name) || 'unknown'} <${clean(email)}> ${Math.floor(seconds)} ${formatZone(offset)}`;
}

/** The seconds between which years have four digits: those after the year 9999 or before the year 0 become the nearest. */
const CALENDAR = { first: -62_167_219_200, last: 253_402_300_799 };

/** The time of a signature. */
type SignatureTime = Pick<Signature, 'seconds' | 'offset'>;

/** The time that was formatted last: most commits have the same one as author date, committer date and date of creation. */
let last: SignatureTime & { text: string } = { seconds: Number.NaN, offset: 0, text: '' };

/** ISO 8601 with milliseconds and the signer's offset: `2012-09-20T11:50:22.000+03:00` (behaviour.md 7). */
export function signatureTime({ seconds, offset }: SignatureTime): string {
  if (seconds !== last.seconds || offset !== last.offset) last = { seconds, offset, text: format(seconds, offset) };
  return last.text;
}

function format(seconds: number, offset: number): string {
  const local = Math.max(CALENDAR.first, Math.min(CALENDAR.last, seconds + offset * 60));
  const zone = formatZone(offset);
  return `${new Date(local * 1000).toISOString().slice(0, -1)}${zone.slice(0, 3)}:${zone.slice(3)}`;
}

function parseZone(zone: string): number {
  const value = Math.abs(Number(zone));
  const minutes = Math.floor(value / 100) * 60 + (value % 100);
  if (minutes >= 24 * 60) return 0;
  return zone.startsWith('-') && minutes > 0 ? -minutes : minutes;
}

function formatZone(offset: number): string {
  const minutes = Math.abs(offset);
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${String(minutes % 60).padStart(2, '0')}`;
}

/** As git does: no angle brackets, no line breaks, no NUL, and no punctuation at the ends. */
function clean(text: string): string {
  const inner = text.toWellFormed().replace(/[<>\n\r\0]/g, '');
  const isCrud = (at: number) => inner.charCodeAt(at) <= 0x20 || `,:;"\\'`.includes(inner.charAt(at));
  let start = 0;
  let end = inner.length;
  while (start < end && isCrud(start)) start++;
  while (end > start && isCrud(end - 1)) end--;
  return inner.slice(start, end);
}
