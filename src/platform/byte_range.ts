import type { IncomingMessage } from 'node:http';

/** A range of bytes, counted from 0, both ends inclusive. */
export interface WantedRange {
  start: number;
  end: number;
}

/** The requested range; undefined for the whole, null if it is not satisfiable. Multiple ranges are not supported. */
export function wantedRange(
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  size: number,
  etag: string | null,
): WantedRange | undefined | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range?.trim() ?? '');
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (method !== 'GET' || (first === '' && last === '')) return undefined;
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return undefined;
  if (first === '')
    return Number(last) === 0 || size === 0 ? null : { start: Math.max(0, size - Number(last)), end: size - 1 };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return null;
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Whether the client has the content with this tag already. */
export function isKnown({ headers }: Pick<IncomingMessage, 'headers'>, etag: string): boolean {
  return headers['if-none-match']?.split(',').some((tag) => isSame(tag, etag)) ?? false;
}

function isSame(tag: string, etag: string): boolean {
  return tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag;
}
