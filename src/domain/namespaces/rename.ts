import type { HeldNamespace } from '#src/domain/namespaces/lock.ts';
import { redirectNamespace, takePathsBelow } from '#src/domain/namespaces/redirects.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The new names of a namespace; `title` is its part of full names, if that is not its name. */
export interface NewNames {
  path: string;
  name: string;
  title?: string;
}

/**
 * Renames a namespace that is locked with its descendants (lockNamespaceTree), and updates the full paths and full names of all
 * descendants. The old full paths redirect. Violates `namespaces_full_path_lower` if the path is taken.
 */
export async function renameNamespace(
  tx: Transaction,
  { id, parentId, ...old }: HeldNamespace,
  { path, name, title = name }: NewNames,
): Promise<void> {
  const newPath = `${old.fullPath.slice(0, old.fullPath.length - old.path.length)}${path}`;
  const around = parentId === null ? '' : old.fullName.slice(0, old.fullName.length - old.name.length);
  const newName = `${around}${title}`;
  if (newPath !== old.fullPath) {
    await redirectNamespace(tx, id);
    await tx.$executeRaw`UPDATE namespaces SET path = ${path} WHERE id = ${id}`;
    await tx.$executeRaw`
      UPDATE namespaces SET full_path = ${newPath} || substr(full_path, length(${old.fullPath}) + 1)
      WHERE lineage @> ARRAY[${id}]::int[]`;
    await takePathsBelow(tx, id);
  }
  if (name !== old.name) await tx.$executeRaw`UPDATE namespaces SET name = ${name} WHERE id = ${id}`;
  if (newName !== old.fullName) {
    await tx.$executeRaw`
      UPDATE namespaces SET full_name = ${newName} || substr(full_name, length(${old.fullName}) + 1)
      WHERE lineage @> ARRAY[${id}]::int[]`;
  }
}
