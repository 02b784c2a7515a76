import type { DatabaseFacts, Head, Manifest } from './manifest.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const integer: Check = (value) => typeof value === 'string' && /^-?\d{1,19}$/.test(value);

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function either(...checks: Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

/** Checks known fields; later versions may add others. */
function record(fields: Readonly<Record<string, Check>>): Check {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

const absent: Check = (value) => value === undefined;
const nothing: Check = (value) => value === null;

const link = { id: text, name: text, createdAt: text };
const sum = { path: text, size: count, sha256: text, members: either(count, absent), tag: either(text, absent) };
const missing = {
  kind: either(
    (value) => value === 'repository',
    (value) => value === 'upload',
    (value) => value === 'trace',
    (value) => value === 'artifacts',
  ),
  projectId: count,
  path: text,
  gone: flag,
};

const format = record({ format: count, version: text });
const head = record({
  ...link,
  earlier: listOf(record(link)),
  storages: listOf(text),
  sample: either(text, nothing),
  secret: flag,
});
const manifest = record({
  id: text,
  sums: listOf(record(sum)),
  elsewhere: listOf(record({ ...sum, in: text })),
  missing: listOf(record(missing)),
});
const database = record({
  migrations: listOf(record({ name: text, checksum: text })),
  sequences: listOf(record({ name: text, value: integer, called: flag })),
  tables: listOf(record({ name: text, columns: listOf(text), rows: count })),
});

/** Whether this states the format of a backup, even a later one. */
export function isFormat(value: unknown): value is Pick<Head, 'format' | 'version'> {
  return format(value);
}

/** Whether this is a head of this version's format. */
export function isHead(value: unknown): value is Head {
  return format(value) && head(value);
}

export function isManifest(value: unknown): value is Manifest {
  return manifest(value);
}

/** Whether this is the description of a database. */
export function isDatabaseFacts(value: unknown): value is DatabaseFacts {
  return database(value);
}
