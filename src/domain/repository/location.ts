import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { type FileRow, findFile } from '#src/domain/repository/file.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { defaultBranch, resolveRevision } from '#src/domain/repository/revision.ts';
import { READMES } from '#src/domain/repository/root_files.ts';
import { trimSlashes } from '#src/domain/repository/tree.ts';
import type { EntryType, Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** What a ref is. A `commit` is also one by steps, such as `master~1`. */
export type RefKind = 'branch' | 'tag' | 'commit';

/** A path in the files of a ref. */
export interface LocationRow {
  project: ProjectRow;
  repository: RepositoryReader;
  ref: string;
  refKind: RefKind;
  commitOid: Oid;
  /** Without surrounding slashes; empty for the root. */
  path: string;
  kind: EntryType;
  /** Of the directory, file, or commit of a submodule. */
  oid: Oid;
}

/** How a location is named: ref and path in one, as in addresses of pages, or apart. */
export interface LocationName {
  refAndPath?: string | null | undefined;
  /** By default the default branch. */
  ref?: string | null | undefined;
  /** By default the root. */
  path?: string | null | undefined;
}

/** How many names of branches may be looked for in one address: more slashes are part of the path. */
const MAX_BRANCH_SEGMENTS = 30;

/**
 * What lies at a path of a ref. Of a ref and path in one the ref is the longest beginning that is a branch or tag, else the first
 * part if that is a commit. Throws NotFound, Forbidden, Unauthenticated, ValidationFailed.
 */
export async function findLocation(
  context: Context,
  project: ProjectRow,
  { refAndPath, ref, path }: LocationName,
): Promise<LocationRow> {
  authorize(context.actor, 'read_repository', project);
  if (refAndPath && (ref || path)) throw new ValidationFailed({ ref_and_path: ['is given without ref and path'] });
  const repository = await context.repositories.open(project);
  if (!repository) throw new NotFound('Commit');
  const found = refAndPath
    ? await splitRef(context, project, repository, refAndPath)
    : await named(context, project, repository, ref || null, path ?? '');
  if (!found) throw new NotFound('Commit');
  const wanted = trimSlashes(found.path);
  const at = { project, repository, ...found, path: wanted };
  if (wanted === '') {
    const commit = await repository.commit(found.commitOid);
    if (!commit) throw new NotFound('Commit');
    return { ...at, kind: 'tree', oid: commit.tree };
  }
  const entry = await repository.entry(found.commitOid, wanted);
  if (!entry) throw new NotFound('File');
  return { ...at, path: entry.path, kind: entry.type, oid: entry.oid };
}

type Found = Pick<LocationRow, 'ref' | 'refKind' | 'commitOid' | 'path'>;

async function splitRef(
  context: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  refAndPath: string,
): Promise<Found | null> {
  const parts = trimSlashes(refAndPath).split('/');
  for (let length = Math.min(parts.length, MAX_BRANCH_SEGMENTS); length > 0; length--) {
    const ref = parts.slice(0, length).join('/');
    const found = await tipOf(repository, ref);
    if (found) return { ...found, ref, path: parts.slice(length).join('/') };
  }
  const [ref = '', ...path] = parts;
  const commitOid = await resolveRevision(context, project, repository, ref);
  return commitOid === null ? null : { ref, refKind: 'commit', commitOid, path: path.join('/') };
}

async function named(
  context: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  name: string | null,
  path: string,
): Promise<Found | null> {
  const ref = name ?? (await defaultBranch(project, repository));
  if (ref === null) return null;
  const found = await tipOf(repository, ref);
  if (found) return { ...found, ref, path };
  const commitOid = await resolveRevision(context, project, repository, ref);
  return commitOid === null ? null : { ref, refKind: 'commit', commitOid, path };
}

/** The commit of a branch or, without one of that name, of a tag. */
async function tipOf(repository: RepositoryReader, name: string): Promise<Pick<Found, 'refKind' | 'commitOid'> | null> {
  const branch = await repository.branch(name);
  if (branch) return { refKind: 'branch', commitOid: branch.commit };
  const tag = await repository.tag(name);
  return tag?.commit ? { refKind: 'tag', commitOid: tag.commit } : null;
}

/** The file there; null if there is something else. */
export function fileAt(
  context: Context,
  { project, kind, path, commitOid, ref }: LocationRow,
): Promise<FileRow> | null {
  if (kind !== 'blob') return null;
  return findFile(context, project, path, commitOid).then((file) => ({ ...file, ref }));
}

/** The file that introduces the directory; null if there is none. */
export async function readmeAt(context: Context, at: LocationRow): Promise<FileRow | null> {
  if (at.kind !== 'tree') return null;
  for (const name of READMES) {
    const path = at.path === '' ? name : `${at.path}/${name}`;
    const entry = await at.repository.entry(at.commitOid, path);
    if (entry?.type === 'blob') return fileAt(context, { ...at, kind: 'blob', path });
  }
  return null;
}

/** The latest commit that changed what is there; null for those who may not read commits. */
export async function lastCommitAt(context: Context, at: LocationRow): Promise<CommitRow | null> {
  const { project, repository, commitOid, path } = at;
  if (!can(context.actor, 'read_commit', project)) return null;
  const found = await remembered(repository, `last ${commitOid} ${path}`, async () => {
    return path === '' ? commitOid : ((await repository.lastCommit(commitOid, path))?.oid ?? commitOid);
  });
  const [row] = await commitRows(project, repository, [found]);
  return row ?? null;
}

/** Directories and files that are looked at for their paths. */
const MAX_PATHS = 50_000;
const MAX_WORDS = 10;

/** Paths of files below the directory that have all words of a text in them, in any case; any files without words. */
export async function searchPaths(
  context: Context,
  { repository, commitOid, path, kind }: LocationRow,
  text: string,
  most: number,
): Promise<string[]> {
  if (kind !== 'tree') return [];
  const words = text
    .toLowerCase()
    .split(/\s+/, MAX_WORDS)
    .filter((word) => word !== '');
  const request = { recursive: true, offset: 0, limit: MAX_PATHS };
  const page = await withEffort(context, () => repository.treePage(commitOid, path, request));
  const isWanted = (name: string) => words.every((word) => name.includes(word));
  const found = (page?.entries ?? []).filter((entry) => entry.type !== 'tree' && isWanted(entry.path.toLowerCase()));
  return found.slice(0, most).map((entry) => entry.path.toWellFormed());
}
