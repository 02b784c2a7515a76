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

/** What is taken, by field, and the project or subgroup that has it, unless it is gone by now. */
export interface Taken {
  fields: FieldErrors;
  existing: Existing | null;
}

/** Which of name and path are taken in the namespace, if the error says that one is; null for any other error. */
export async function takenIn(db: Db, error: unknown, wanted: Wanted): Promise<Taken | null> {
  if (!violates(error)) return null;
  const { namespaceId, name, path, id = 0 } = wanted;
  const [found] = await db.$queryRaw<
    { name: boolean; path: boolean; projectId: number | null; groupId: number | null }[]
  >`
    SELECT EXISTS (SELECT 1 FROM projects WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND id <> ${id}
        AND lower(name) = lower(${name})) AS name,
      EXISTS (SELECT 1 FROM projects WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND id <> ${id}
        AND lower(path) = lower(${path}))
      OR EXISTS (SELECT 1 FROM namespaces WHERE parent_id = ${namespaceId} AND deleted_at IS NULL
        AND lower(path) = lower(${path})) AS path,
      (SELECT min(id) FROM projects WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND id <> ${id}
        AND (lower(name) = lower(${name}) OR lower(path) = lower(${path}))) AS "projectId",
      (SELECT min(id) FROM namespaces WHERE parent_id = ${namespaceId} AND deleted_at IS NULL
        AND lower(path) = lower(${path})) AS "groupId"`;
  const fields = (['name', 'path'] as const).filter((field) => found?.[field]);
  // What was taken may be free again by now: then the error itself names it.
  if (fields.length === 0) fields.push(violates(error, 'projects_name_lower') ? 'name' : 'path');
  return {
    fields: Object.fromEntries(fields.map((field) => [field, ['has already been taken']])),
    existing: existingOf(found?.projectId, found?.groupId),
  };
}

function existingOf(projectId: number | null | undefined, groupId: number | null | undefined): Existing | null {
  if (projectId != null) return { type: 'Project', where: { id: projectId } };
  return groupId == null ? null : { type: 'Group', where: { id: groupId } };
}
