import { buffer } from 'node:stream/consumers';
import type { Context } from '#src/access/permissions/actor.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import type { Places } from '#src/domain/packages/places.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** A recipe, or with `parts` a place within: its revision, then the ID and revision of one of its packages. */
export interface ConanReference {
  name: string;
  /** With the user and channel, if there are any: `1.0@user/channel`. */
  version: string;
  parts: readonly string[];
}

/** A revision, and when its first file was published. */
export interface ConanRevision {
  revision: string;
  time: string;
}

/** Revisions, files and packages that one answer has at most; bytes of the longest `conaninfo.txt`. */
const MAX_LISTED = 1_000;
const MAX_PACKAGES = 100;
const MAX_INFO_BYTES = 64 * 1024;

/** The ID of the package of a recipe. Throws NotFound. */
export async function findRecipe(
  { db }: Pick<Context, 'db'>,
  { before, has }: Places,
  { name, version }: Pick<ConanReference, 'name' | 'version'>,
): Promise<number> {
  const [found] = await db.$queryRaw<{ id: number }[]>`
    WITH ${before} found AS (SELECT id FROM packages
      WHERE ${has(sql`project_id`)} AND type = 'conan' AND name = ${name} AND version = ${version} ORDER BY id DESC LIMIT 1)
    SELECT id FROM found`;
  if (!found) throw new NotFound('Package');
  return found.id;
}

/**
 * The revisions of a recipe, or of a package of a revision of it, the newest first. Those of packages are two folders deeper. Throws
 * NotFound if there are none.
 */
export async function conanRevisions(
  context: Pick<Context, 'db'>,
  places: Places,
  reference: ConanReference,
): Promise<ConanRevision[]> {
  const packageId = await findRecipe(context, places, reference);
  const prefix = folderOf(reference);
  const depth = prefix.split('/').length;
  const found = await context.db.$queryRaw<{ revision: string; time: Date }[]>`
    SELECT split_part(file_name, '/', ${depth}::int) AS revision, min(created_at) AS time FROM package_files
    WHERE package_id = ${packageId} AND starts_with(file_name, ${prefix}) AND split_part(file_name, '/', ${depth + 1}::int) <> ''
    GROUP BY 1 ORDER BY min(id) DESC LIMIT ${MAX_LISTED}`;
  if (found.length === 0) throw new NotFound('Package');
  return found.map(({ revision, time }) => ({ revision, time: time.toISOString() }));
}

/** The names of the files directly in a revision of a recipe or package. Throws NotFound if there are none. */
export async function conanFiles(
  context: Pick<Context, 'db'>,
  places: Places,
  reference: ConanReference,
): Promise<string[]> {
  const packageId = await findRecipe(context, places, reference);
  const prefix = filesOf(reference);
  const depth = prefix.split('/').length;
  const found = await context.db.$queryRaw<{ name: string }[]>`
    SELECT DISTINCT split_part(file_name, '/', ${depth}::int) AS name FROM package_files
    WHERE package_id = ${packageId} AND starts_with(file_name, ${prefix}) AND split_part(file_name, '/', ${depth + 1}::int) = ''
    ORDER BY 1 LIMIT ${MAX_LISTED}`;
  if (found.length === 0) throw new NotFound('Package');
  return found.map(({ name }) => name);
}

/** What the packages of a revision of a recipe say of themselves, by their IDs: the newest revision of each, `MAX_PACKAGES` at most. */
export async function conanPackages(
  context: Pick<Context, 'db' | 'uploads'>,
  places: Places,
  reference: ConanReference,
): Promise<Record<string, { content: string }>> {
  const packageId = await findRecipe(context, places, reference);
  const files = await context.db.$queryRaw<{ id: string; projectId: number; secret: string; fileName: string }[]>`
    SELECT DISTINCT ON (id) split_part(file_name, '/', 3) AS id, project_id AS "projectId", secret, stored_as AS "fileName"
    FROM package_files WHERE package_id = ${packageId} AND starts_with(file_name, ${packagesOf(reference)})
      AND file_name LIKE '%/conaninfo.txt' AND size <= ${MAX_INFO_BYTES}
    ORDER BY id, package_files.id DESC LIMIT ${MAX_PACKAGES}`;
  const store = packagesStore(context);
  const found: Record<string, { content: string }> = {};
  for (const { id, ...place } of files) {
    const content = await store.read(place);
    if (content) found[id] = { content: (await buffer(content)).toString('utf8') };
  }
  return found;
}

/** The recipes whose reference matches a pattern with `*`, in any case. */
export async function searchRecipes(
  { db }: Pick<Context, 'db'>,
  { before, has }: Places,
  pattern: string,
): Promise<string[]> {
  const like = pattern
    .replaceAll('\0', '')
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%');
  const reference = sql`name || '/' || version`;
  const found = await db.$queryRaw<{ reference: string }[]>`
    WITH ${before} found AS (SELECT ${reference} AS reference FROM packages
      WHERE ${has(sql`project_id`)} AND type = 'conan' AND status = 'default' AND (${reference} ILIKE ${like} OR name ILIKE ${like}))
    SELECT DISTINCT reference FROM found ORDER BY reference LIMIT ${MAX_LISTED}`;
  return found.map((row) => row.reference);
}

/** Where all that belongs to a place is: the files of a recipe are below `RREV/export`, its packages below `RREV/package`. */
export function folderOf({ parts: [rrev, id, prev] }: ConanReference): string {
  if (rrev === undefined) return '';
  if (id === undefined) return `${rrev}/`;
  return `${rrev}/package/${id}/${prev === undefined ? '' : `${prev}/`}`;
}

/** Where the files of a revision of a recipe or package are. */
export function filesOf(reference: ConanReference): string {
  return reference.parts.length === 1 ? `${folderOf(reference)}export/` : folderOf(reference);
}

/** Where the packages of a revision of a recipe are. */
export function packagesOf({ parts: [rrev] }: ConanReference): string {
  return `${rrev}/package/`;
}
