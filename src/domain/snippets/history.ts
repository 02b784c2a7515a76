import type { Context } from '#src/access/permissions/actor.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { BRANCH, openSnippetRepository } from '#src/domain/snippets/repository.ts';
import { entriesAt, textAt } from '#src/domain/snippets/tree.ts';
import type { Commit, Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';

/** A commit of a snippet. */
export interface SnippetCommitRow extends Commit {
  snippetId: number;
  repository: RepositoryReader;
}

/** A file of a snippet as it is in one of its commits. */
export interface CommittedFile {
  name: string;
  /** In bytes. */
  size: number;
  oid: Oid;
  /** Full hash of the commit. */
  commit: Oid;
  repository: RepositoryReader;
}

/** The commits of a snippet that the actor has found, newest first. */
export async function listSnippetCommits(
  context: Context,
  snippetId: number,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<SnippetCommitRow>> {
  const { reader: repository, tip } = await openSnippetRepository(context, snippetId);
  const query = { start: tip };
  const [commits, total] = await Promise.all([
    limit > 0 ? repository.log(query, { limit, offset }) : [],
    withTotal ? repository.count(query) : null,
  ]);
  return { nodes: commits.map((commit) => ({ ...commit, snippetId, repository })), offset, total };
}

/**
 * A commit of a snippet that the actor has found. Throws NotFound.
 *
 * @param ref `main`, `master` or `HEAD` for the latest, or the hash of a commit or the beginning of it, of 7 digits or more
 */
export async function findSnippetCommit(context: Context, snippetId: number, ref: string): Promise<SnippetCommitRow> {
  const { reader: repository, tip } = await openSnippetRepository(context, snippetId);
  const oid = isLatest(ref) ? tip : /^[0-9a-f]{7,40}$/.test(ref) ? await repository.resolve(ref) : null;
  const isKept = oid !== null && (oid === tip || (await repository.isAncestor(oid, tip)));
  const commit = isKept ? await repository.commit(oid) : null;
  if (!commit) throw new NotFound('Commit');
  return { ...commit, snippetId, repository };
}

/** Whether a ref names the files as they are now. `master` is what addresses of servers before had. */
export function isLatest(ref: string): boolean {
  return [BRANCH, 'master', 'HEAD', `refs/heads/${BRANCH}`].includes(ref);
}

/** The files of a commit, by name. */
export async function filesOfCommit({ repository, oid: commit }: SnippetCommitRow): Promise<CommittedFile[]> {
  const entries = await entriesAt(repository, commit);
  const sizes = await repository.blobSizes(entries.map(({ oid }) => oid));
  return entries.map(({ path, oid }) => ({
    ...{ name: path.toWellFormed(), oid, commit, repository },
    size: sizes.get(oid) ?? 0,
  }));
}

/** The text of a file of a commit. */
export function committedText(context: Context, { repository, oid }: CommittedFile): Promise<string> {
  return withEffort(context, () => textAt(repository, oid));
}

/** A file of a snippet at a ref, as findSnippetCommit takes it. Throws NotFound. */
export async function findCommittedFile(
  context: Context,
  snippetId: number,
  ref: string,
  name: string,
): Promise<CommittedFile> {
  const commit = await findSnippetCommit(context, snippetId, ref);
  const found = (await filesOfCommit(commit)).find((file) => file.name === name);
  if (!found) throw new NotFound('SnippetFile');
  return found;
}
