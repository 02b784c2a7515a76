import type { IncomingMessage } from 'node:http';
import { type Endpoint, fieldsOf } from '#rest/engine/compile.ts';

/**
 * Where the record of a path, as a GET of it answers, says when it changed last: the keys of a time. Null if it does not, and a
 * DELETE of it then has no condition on that (RFC 9110, 13.1.4).
 */
export function changedAt({ route }: Endpoint, reading: Endpoint | undefined): readonly string[] | null {
  if (route.method !== 'DELETE' || !reading || reading.paginated || reading.list) return null;
  if (reading.parameters.some(({ required, in: place }) => required && place !== 'path')) return null;
  const keys = (route.changedAt ?? 'updated_at').split('.');
  const { selection, fragments } = reading;
  return fieldsOf(selection, fragments).some(({ name }) => name === keys[0]) ? keys : null;
}

/** The time in the header `If-Unmodified-Since`, in seconds since 1970; null without one, or if it is no date. */
export function unmodifiedSince({ headers }: IncomingMessage): number | null {
  const time = Date.parse(headers['if-unmodified-since'] ?? '');
  return Number.isNaN(time) ? null : Math.floor(time / 1000);
}

/** Whether the record changed after that second. */
export function isNewer(record: unknown, keys: readonly string[], seconds: number): boolean {
  const value = keys.reduce((at: unknown, key) => (at as Record<string, unknown> | null | undefined)?.[key], record);
  return typeof value === 'string' && Math.floor(Date.parse(value) / 1000) > seconds;
}
