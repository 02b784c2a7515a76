import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import type { TreeEntry } from '#src/git/model.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { trimEnds } from '#src/platform/text.ts';

/** Bytes from which listing a directory counts as effort. */
const LARGE = 256 * 1024;

/** Filter of a tree listing. */
export interface TreeFilter {
  /** A directory; the root when absent. */
  path?: string | null | undefined;
  /** A branch, tag or hash; by default the default branch. */
  ref?: string | null | undefined;
  /** Whether to include all descendants. */
  recursive?: boolean | null | undefined;
}

/**
 * The entries of a directory: directories, files, submodules, each in git's order. Throws NotFound, Forbidden, Unauthenticated,
 * and LimitExceeded if it takes more work than allowed per request.
 */
export async function listTree(
  context: Context,
  project: ProjectRow,
  { path, ref, recursive }: TreeFilter,
  { offset, limit }: PageRequest,
): Promise<Page<TreeEntry>> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project, ref || null);
  const directory = trimSlashes(path ?? '');
  const wanted = { recursive: recursive ?? false, offset, limit };
  const size = await revision?.repository.treeSize(revision.oid, directory);
  if (!revision || size == null) throw new NotFound('Tree');
  const list = () => revision.repository.treePage(revision.oid, directory, wanted);
  const page = await (recursive || size > LARGE ? withEffort(context, list) : list());
  if (!page) throw new NotFound('Tree');
  return { nodes: page.entries, offset, total: page.total };
}

/** The path without surrounding slashes. */
export function trimSlashes(path: string): string {
  return trimEnds(path, '/');
}
