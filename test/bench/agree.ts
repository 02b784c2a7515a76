import { isDeepStrictEqual } from 'node:util';
import { type Call, send } from './load.ts';
import { type Measurement, rest } from './measurements.ts';

/** What is compared of headers. */
const HEADERS = ['x-total', 'x-total-pages', 'x-per-page', 'x-page', 'x-next-page', 'x-prev-page', 'link'];

/** Asked beside what is measured: another page, another state. */
const MORE = ['projects/2/issues?state=closed&page=3&per_page=20', 'projects/3/members?page=2', 'projects/4/labels'];

/** How many requests of each measurement are compared. */
const SAMPLES = 5;

/**
 * Makes sure that the two servers do the same work: equal answers but for the base URL.
 *
 * @throws Error with the first difference
 */
export async function requireAgreement(
  gantry: string,
  comparator: string,
  measurements: readonly Measurement[],
): Promise<void> {
  const samples = measurements.flatMap(({ call, own = [] }) =>
    // Twice each: what comes again may be answered in another way.
    Array.from({ length: 2 * SAMPLES }, (_, n) => ({ call: call(Math.floor(n / 2)), own })),
  );
  const more = MORE.map((path) => ({ call: rest(path), own: [] }));
  for (const { call, own } of [...samples, ...more]) {
    const [ours, theirs] = [await read(gantry, call, own), await read(comparator, call, own)];
    if (isDeepStrictEqual(ours, theirs)) continue;
    throw new Error(`The servers disagree on ${call.path}:\n${difference(ours, theirs)}`);
  }
}

async function read(url: string, call: Call, own: readonly string[]): Promise<unknown> {
  const { status, headers, text } = await send(url, call);
  if (status >= 300) throw new Error(`${url} answered ${status} for ${call.path}: ${text}`);
  // Registries of images are named without a protocol.
  const here = text.replaceAll(url, 'base:').replaceAll(new URL(url).host, 'host:');
  const body: unknown = JSON.parse(here, (key, value) => (own.includes(key) ? null : value));
  return { status, headers: HEADERS.map((name) => String(headers[name]).replaceAll(url, 'base:')), body };
}

/** Where two values part, as a path and what each has there. */
export function difference(ours: unknown, theirs: unknown, path = ''): string {
  if (isObject(ours) && isObject(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    for (const key of keys) {
      if (!isDeepStrictEqual(ours[key], theirs[key])) return difference(ours[key], theirs[key], `${path}.${key}`);
    }
  }
  return `${path}: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
