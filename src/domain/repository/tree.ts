import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { trimEnds } from '#src/base/text.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import type { Oid, TreeEntry } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** Bytes from which listing a directory counts as effort. */
const LARGE = 256 * 1024;

/** Entries among which the one after which a page begins is looked for, if only its hash is known. */
const MAX_SKIPPED_ENTRIES = 100_000;

/** Filter of a tree listing. */
export interface TreeFilter {
  /** A directory; the root when absent. */
  path?: string | null | undefined;
  /** A branch, tag or hash; by default the default branch. */
  ref?: string | null | undefined;
  /** Whether to include all descendants. */
  recursive?: boolean | null | undefined;
  /** Only what follows the first entry with this hash. */
  afterSha?: string | null | undefined;
  /** Only entries of this type; those of a directory with very many are counted to a limit. */
  type?: TreeEntry['type'] | null | undefined;
}

/**
 * The entries of a directory: directories, files, submodules, each in git's order. Throws NotFound, Forbidden, Unauthenticated,
 * and LimitExceeded if it takes more work than allowed per request.
 */
export async function listTree(
  context: Context,
  project: ProjectRow,
  { path, ref, recursive, afterSha, type }: TreeFilter,
  { offset: skipped, limit }: PageRequest,
): Promise<Page<TreeRow>> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project, ref || null);
  const directory = trimSlashes(path ?? '');
  const size = await revision?.repository.treeSize(revision.oid, directory);
  if (!revision || size == null) throw new NotFound('Tree');
  let offset = skipped;
  const list = async () => {
    const { repository, oid } = revision;
    const wanted = { recursive: recursive ?? false, limit };
    if (afterSha != null) {
      const all = await repository.treePage(oid, directory, { ...wanted, offset: 0, limit: MAX_SKIPPED_ENTRIES });
      const at = all?.entries.findIndex((entry) => entry.oid === afterSha) ?? -1;
      if (at < 0) throw new BadRequest('page_token is invalid', 'page_token');
      offset = at + 1 + skipped;
    }
    if (type == null) return repository.treePage(oid, directory, { ...wanted, offset });
    const all = await repository.treePage(oid, directory, { ...wanted, offset: 0, limit: MAX_SKIPPED_ENTRIES });
    const entries = all?.entries.filter((entry) => entry.type === type);
    return entries && { entries: entries.slice(offset, offset + limit), total: entries.length };
  };
  const page = await (recursive || afterSha != null || type != null || size > LARGE
    ? withEffort(context, list)
    : list());
  if (!page) throw new NotFound('Tree');
  const { repository, oid } = revision;
  const of = { projectId: project.id, commitOid: oid };
  if (recursive)
    return { nodes: page.entries.map((entry) => ({ ...entry, ...of, lastCommit: NONE })), offset, total: page.total };
  const names = page.entries.map(({ name }) => name);
  let found: Promise<ReadonlyMap<string, CommitRow>> | undefined;
  const lastCommit = async (name: string) => {
    found ??= lastCommitsIn(context, project, { repository, start: oid, path: directory, names });
    return (await found).get(name) ?? null;
  };
  const nodes = page.entries.map((entry) => ({ ...entry, ...of, lastCommit: () => lastCommit(entry.name) }));
  return { nodes, offset, total: page.total };
}

/** An entry of a commit by its path. Throws NotFound, Forbidden, Unauthenticated. */
export async function findTreeEntry(
  context: Context,
  project: ProjectRow,
  commit: string,
  path: string,
): Promise<TreeRow> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project, commit);
  const entry = await revision?.repository.entry(revision.oid, path);
  if (!revision || !entry) throw new NotFound('Tree');
  const { repository, oid } = revision;
  const slash = path.lastIndexOf('/');
  const directory = path.slice(0, Math.max(0, slash));
  const name = path.slice(slash + 1);
  const lastCommit = async () => {
    const found = await lastCommitsIn(context, project, { repository, start: oid, path: directory, names: [name] });
    return found.get(name) ?? null;
  };
  return { ...entry, name, path, projectId: project.id, commitOid: oid, lastCommit };
}

const NONE = async () => null;

/** An entry of a directory, with what is only read when it is asked for. */
export interface TreeRow extends TreeEntry {
  projectId: number;
  /** The commit in which it is. */
  commitOid: Oid;
  /** The latest commit that changed it; null as `lastCommitsIn`. */
  lastCommit(): Promise<CommitRow | null>;
}

interface Listed {
  repository: RepositoryReader;
  start: Oid;
  /** The directory. */
  path: string;
  /** Of entries in it. */
  names: readonly string[];
}

/**
 * The latest commits that changed entries of a directory, by name, found in one walk. Without those that a long walk did not
 * come to; none for those who may not read commits.
 */
async function lastCommitsIn(
  context: Context,
  project: ProjectRow,
  { repository, ...query }: Listed,
): Promise<ReadonlyMap<string, CommitRow>> {
  if (!can(context.actor, 'read_commit', project)) return new Map();
  const { start, path, names } = query;
  const key = `last commits ${start} ${path}/${names[0]} ${names.length}`;
  const { commits } = await remembered(repository, key, () =>
    withEffort(context, () => repository.lastCommits({ ...query, ...WALK })),
  );
  const rows = await commitRows(project, repository, [...new Set(commits.values())]);
  const byOid = new Map(rows.map((row) => [row.oid, row]));
  return new Map(
    [...commits].flatMap(([name, oid]): [string, CommitRow][] => {
      const row = byOid.get(oid);
      return row ? [[name, row]] : [];
    }),
  );
}

/** How many commits are looked at for the last ones of a directory, and for how long, in milliseconds. */
const WALK = { steps: 5_000, milliseconds: 2_000 };

/** The path without surrounding slashes. */
export function trimSlashes(path: string): string {
  return trimEnds(path, '/');
}
