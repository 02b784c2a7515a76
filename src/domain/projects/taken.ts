import { type Db, violates } from '#src/platform/database/db.ts';
import type { Existing, FieldErrors } from '#src/platform/errors.ts';

/** The intended name and path of a project. */
export interface Wanted {
  namespaceId: number;
  name: string;
  path: string;
  /** ID of the project, if it exists already. */
  id?: number;
}

/** Which of name and path are taken in the namespace, if the error says that one is; null for any other error. */
export async function takenFields(db: Db, error: unknown, wanted: Wanted): Promise<FieldErrors | null> {
  if (!violates(error)) return null;
  const { namespaceId, name, path, id = 0 } = wanted;
  const [found] = await db.$queryRaw<{ name: boolean; path: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM projects WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND id <> ${id}
        AND lower(name) = lower(${name})) AS name,
      EXISTS (SELECT 1 FROM projects WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND id <> ${id}
        AND lower(path) = lower(${path}))
      OR EXISTS (SELECT 1 FROM namespaces WHERE parent_id = ${namespaceId} AND deleted_at IS NULL
        AND lower(path) = lower(${path})) AS path`;
  const fields = (['name', 'path'] as const).filter((field) => found?.[field]);
  // What was taken may be free again by now: then the error itself names it.
  if (fields.length === 0) fields.push(violates(error, 'projects_name_lower') ? 'name' : 'path');
  return Object.fromEntries(fields.map((field) => [field, ['has already been taken']]));
}

/** The project, apart from the one that is renamed, that has the name or path in the namespace. */
export function existingProject({ namespaceId, name, path, id = 0 }: Wanted): Existing {
  const taken = [{ name: { equals: name, mode: 'insensitive' } }, { path: { equals: path, mode: 'insensitive' } }];
  return { type: 'Project', where: { namespaceId, deletedAt: null, id: { not: id }, OR: taken } };
}
