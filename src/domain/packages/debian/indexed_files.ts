import type { Context } from '#src/access/permissions/actor.ts';
import type { DebianFacts } from '#src/domain/packages/debian/facts.ts';
import type { Places } from '#src/domain/packages/places.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A file that an index names. */
export interface IndexedFile {
  id: number;
  projectId: number;
  /** Of the source package. */
  name: string;
  version: string;
  fileName: string;
  /** In bytes. */
  size: number;
  md5: string;
  sha256: string;
  details: DebianFacts;
}

/** Files that the indexes of a distribution have at most, the newest, and bytes of what they say of themselves. */
export const MAX_INDEXED_FILES = 5_000;
const MAX_INDEXED_BYTES = 4 * 1024 * 1024;

/** The IDs of the files that the indexes of a distribution have, in these places; in rising order. */
export async function indexedIds(
  { db }: Pick<Context, 'db'>,
  { before, has }: Places,
  codename: string,
): Promise<number[]> {
  const found = await db.$queryRaw<{ id: number }[]>`
    WITH ${before} newest AS (SELECT f.id, octet_length(f.details::text) AS weight FROM packages k JOIN package_files f ON f.package_id = k.id
        WHERE ${has(sql`k.project_id`)} AND k.type = 'debian' AND k.status = 'default' AND k.manifest ->> 'distribution' = ${codename}
          AND f.details ->> 'kind' IN ('deb', 'udeb', 'dsc') ORDER BY f.id DESC LIMIT ${MAX_INDEXED_FILES}),
      weighed AS (SELECT id, sum(weight) OVER (ORDER BY id DESC) AS bytes FROM newest)
    SELECT id FROM weighed WHERE bytes <= ${MAX_INDEXED_BYTES} ORDER BY id`;
  return found.map(({ id }) => id);
}

/** These files, in rising order. */
export function indexedFiles({ db }: Pick<Context, 'db'>, ids: readonly number[]): Promise<IndexedFile[]> {
  return db.$queryRaw<IndexedFile[]>`
    SELECT f.id, f.project_id AS "projectId", k.name, k.version, f.file_name AS "fileName", f.size::float8 AS size, f.md5, f.sha256, f.details
    FROM package_files f JOIN packages k ON k.id = f.package_id WHERE f.id = ANY(${[...ids]}::int[]) ORDER BY f.id`;
}
