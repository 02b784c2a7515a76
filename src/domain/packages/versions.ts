import type { Context } from '#src/access/permissions/actor.ts';
import type { Places } from '#src/domain/packages/places.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Columns } from '#src/platform/records/model.ts';

const { sql } = Prisma;

/** What packages say of themselves, as JSON. */
export type Manifest = Record<string, unknown>;

/** The newest file of a name of a version; for each channel, where there are such. */
export interface ListedFile {
  id: number;
  fileName: string;
  /** In bytes. */
  size: number;
  md5: string;
  sha1: string;
  sha256: string;
  details: Manifest | null;
  /** As in ISO 8601. */
  createdAt: string;
}

/** A version of a package with its files. */
export interface ListedVersion {
  id: number;
  projectId: number;
  name: string;
  version: string;
  manifest: Manifest;
  createdAt: Date;
  files: ListedFile[];
}

/** Which versions an index has: those of a type, of one package if it is named, that are not hidden. */
export interface WantedVersions {
  type: Columns['Package']['type'];
  /** The name of the package, in any case. */
  name?: string | undefined;
  version?: string | undefined;
  /** What the name has anywhere, in any case. */
  search?: string | undefined;
  /** How many at most; `MAX_LISTED_VERSIONS` when absent. */
  limit?: number;
  /** Lists no files, which are empty then. */
  withoutFiles?: true;
}

/** Versions that an index has at most, the newest; bytes of what they say of themselves; and files of each. Older ones are still downloaded. */
export const MAX_LISTED_VERSIONS = 1_000;
const MAX_LISTED_BYTES = 4 * 1024 * 1024;
const MAX_LISTED_FILES = 500;

/** The versions of packages in these places, the newest first, in one statement. */
export async function listVersions(
  { db }: Pick<Context, 'db'>,
  { before, has }: Places,
  { type, name, version, search, limit = MAX_LISTED_VERSIONS, withoutFiles }: WantedVersions,
): Promise<ListedVersion[]> {
  if ([name, version, search].some((text) => text?.includes('\0'))) return [];
  const conditions = [
    sql`${has(sql`project_id`)} AND type = ${type}::package_type AND status = 'default'`,
    ...(name === undefined ? [] : [sql`lower(name) = lower(${name})`]),
    ...(version === undefined ? [] : [sql`lower(version) = lower(${version})`]),
    ...(search ? [sql`position(lower(${search}) in lower(name)) > 0`] : []),
  ];
  const files = withoutFiles
    ? sql`'[]'::json`
    : sql`COALESCE((SELECT json_agg(f ORDER BY f.id) FROM (
        SELECT DISTINCT ON (file_name, details ->> 'channel') id, file_name AS "fileName", size::float8 AS size, md5, sha1, sha256, details, created_at AS "createdAt"
        FROM package_files WHERE package_id = k.id ORDER BY file_name, details ->> 'channel', id DESC LIMIT ${MAX_LISTED_FILES}) f), '[]'::json)`;
  return db.$queryRaw<ListedVersion[]>`
    WITH ${before} newest AS (SELECT id, project_id, name, version, COALESCE(manifest, '{}'::jsonb) AS manifest, created_at FROM packages
        WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY id DESC LIMIT ${limit}),
      weighed AS (SELECT *, sum(octet_length(manifest::text)) OVER (ORDER BY id DESC) AS bytes FROM newest)
    SELECT k.id, k.project_id AS "projectId", k.name, k.version, k.manifest, k.created_at AS "createdAt", ${files} AS files
    FROM weighed k WHERE k.bytes <= ${MAX_LISTED_BYTES} ORDER BY k.id DESC`;
}

/** As `listVersions`, of one package. Throws NotFound if there are none. */
export async function versionsOf(
  context: Pick<Context, 'db'>,
  places: Places,
  wanted: WantedVersions & { name: string },
): Promise<ListedVersion[]> {
  const found = await listVersions(context, places, wanted);
  if (found.length === 0) throw new NotFound('Package');
  return found;
}

/** The names of packages of a type in these places, in alphabetical order, `MAX_NAMES` at most. */
export async function listNames(
  { db }: Pick<Context, 'db'>,
  { before, has }: Places,
  type: Columns['Package']['type'],
): Promise<string[]> {
  const found = await db.$queryRaw<{ name: string }[]>`
    WITH ${before} found AS (SELECT DISTINCT name FROM packages
      WHERE ${has(sql`project_id`)} AND type = ${type}::package_type AND status = 'default')
    SELECT name FROM found ORDER BY name LIMIT ${MAX_NAMES}`;
  return found.map(({ name }) => name);
}

const MAX_NAMES = 10_000;

/** Where a file is found: in a package of a type, by its name in any case. */
export interface WantedFile {
  type: Columns['Package']['type'];
  /** Absent where the name of the file tells it. */
  name?: string | undefined;
  version?: string | undefined;
  /** With folders, in any case. */
  fileName: string;
  /** What the details of the file must have. */
  details?: Manifest;
}

/** A file with what `ListedFile` says. */
export interface FoundFile extends ListedFile {
  packageId: number;
  projectId: number;
  name: string;
  version: string;
}

/** The newest file at an address in these places, also of hidden packages. Throws NotFound. */
export async function findFileIn(
  { db }: Pick<Context, 'db'>,
  { before, has }: Places,
  { type, name, version, fileName, details }: WantedFile,
): Promise<FoundFile> {
  const isNul = [name, version, fileName].some((text) => text?.includes('\0'));
  const [found] = isNul
    ? []
    : await db.$queryRaw<FoundFile[]>`
    WITH ${before} found AS (SELECT f.*, k.name, k.version FROM packages k JOIN package_files f ON f.package_id = k.id
      WHERE ${has(sql`k.project_id`)} AND k.type = ${type}::package_type
        ${name === undefined ? Prisma.empty : sql`AND lower(k.name) = lower(${name})`}
        ${version === undefined ? Prisma.empty : sql`AND lower(k.version) = lower(${version})`} AND lower(f.file_name) = lower(${fileName})
        ${details === undefined ? Prisma.empty : sql`AND f.details @> ${JSON.stringify(details)}::jsonb`}
      ORDER BY f.id DESC LIMIT 1)
    SELECT id, package_id AS "packageId", project_id AS "projectId", name, version, file_name AS "fileName", size::float8 AS size, md5, sha1, sha256,
      details, created_at AS "createdAt" FROM found`;
  if (!found) throw new NotFound('PackageFile');
  return found;
}
