import type { Db } from '#src/platform/database/db.ts';

/** The full paths of projects by their IDs. */
export async function fullPathsOf({ db }: { db: Db }, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const found = await db.$queryRaw<{ id: number; path: string }[]>`
    SELECT p.id, n.full_path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
    WHERE p.id = ANY(${[...ids]}::int[])`;
  return new Map(found.map(({ id, path }) => [id, path]));
}
