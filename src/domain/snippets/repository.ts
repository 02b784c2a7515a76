import type { Context } from '#src/access/permissions/actor.ts';
import { addCommit } from '#src/domain/repository/commit_files.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { lockOwner, withRepositoryLock } from '#src/domain/repository/lock.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { pickStorage } from '#src/domain/repository/storages.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import { lockFiles, type SnippetText, writeFurtherFiles } from '#src/domain/snippets/files.ts';
import { storableFiles } from '#src/domain/snippets/names.ts';
import { arranged, changesBetween, textsAt } from '#src/domain/snippets/tree.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The only branch of the repository of a snippet. */
export const BRANCH = 'main';

/** Bytes that the repository of a snippet may take on the disk. */
const QUOTA_BYTES = 100 * 1024 ** 2;

/** The place of the repository of a snippet. */
export interface SnippetPlace extends RepositoryPlace {
  owner: 'snippet';
  defaultBranch: typeof BRANCH;
  quotaBytes: number;
}

/** The repository of a snippet, and the commit that its files are of. */
export interface SnippetRepository {
  place: SnippetPlace;
  reader: RepositoryReader;
  tip: Oid;
}

/** The same while no other writes to it, with the files in the order of the snippet. */
export interface LockedSnippet extends SnippetRepository {
  tx: Transaction;
  files: SnippetText[];
}

export function snippetPlace(id: number, repositoryStorage: string): SnippetPlace {
  return { id, repositoryStorage, owner: 'snippet', defaultBranch: BRANCH, quotaBytes: QUOTA_BYTES };
}

/**
 * The repository of a snippet, whose tip has the files that the database has. It is made when it is first needed. The caller has checked
 * permissions. Throws NotFound, RateLimited.
 */
export async function openSnippetRepository(context: Context, id: number): Promise<SnippetRepository> {
  const select = { repositoryStorage: true, repositoryCommit: true };
  const kept = await context.db.snippet.findUnique({ where: { id }, select });
  if (!kept) throw new NotFound('Snippet');
  if (kept.repositoryStorage !== null && kept.repositoryCommit !== null) {
    const place = snippetPlace(id, kept.repositoryStorage);
    const reader = await context.repositories.open(place);
    const tip = await reader?.branch(BRANCH);
    if (reader && tip?.commit === kept.repositoryCommit) return { place, reader, tip: tip.commit };
  }
  // Each holds a connection to the database: a list of snippets must not take all of them.
  return withEffort(context, () =>
    withSnippetRepository(context, id, async ({ place, reader, tip }) => ({ place, reader, tip })),
  );
}

/** Runs work while no other writes to the repository of a snippet, which is made if it is missing. Throws NotFound, Unavailable. */
export function withSnippetRepository<T>(
  context: Opening,
  id: number,
  work: (locked: LockedSnippet) => Promise<T>,
): Promise<T> {
  const owner = lockOwner({ id, owner: 'snippet' });
  return withRepositoryLock(context.db, owner, async (tx) => work(await settle(context, tx, id)));
}

type Opening = WithRepositories & { jobs?: Context['jobs'] | undefined };

/** Puts files that a commit has into the database, in a transaction that holds the lock. */
export async function recordFiles(
  tx: Transaction,
  { id, repositoryStorage }: RepositoryPlace,
  files: readonly SnippetText[],
  commit: Oid,
): Promise<void> {
  const [first] = files;
  if (!first) throw new Error(`The commit ${commit} of snippet ${id} has no files`);
  await writeFurtherFiles(tx, id, files);
  const own = { fileName: first.name, content: first.content };
  await tx.snippet.update({ where: { id }, data: { ...own, repositoryStorage, repositoryCommit: commit } });
}

interface KeptSnippet {
  authorId: number;
  createdAt: Date;
  updatedAt: Date;
  repositoryStorage: string | null;
  repositoryCommit: Oid | null;
}

/** Brings the repository and the rows of a snippet together, under the lock. */
async function settle(context: Opening, tx: Transaction, id: number): Promise<LockedSnippet> {
  const files = await lockFiles(tx, id);
  const select = {
    authorId: true,
    createdAt: true,
    updatedAt: true,
    repositoryStorage: true,
    repositoryCommit: true,
  };
  const kept: KeptSnippet = await tx.snippet.findUniqueOrThrow({ where: { id }, select });
  const place = snippetPlace(id, kept.repositoryStorage ?? (await pickStorage(context)));
  const reader = await context.repositories.ensure(place, BRANCH);
  const tip = (await reader.branch(BRANCH))?.commit ?? null;
  const opened = { tx, place, reader };
  if (tip === null || kept.repositoryCommit === null) return commitRows(context, { ...opened, tip, files }, kept);
  if (tip === kept.repositoryCommit) return { ...opened, tip, files };
  // A crash came between git and the database.
  const found = arranged(files, await textsAt(reader, tip));
  await recordFiles(tx, place, found, tip);
  return { ...opened, tip, files: found };
}

/** Commits the rows of a snippet: the first time, or where a server of the version before changed them. */
async function commitRows(
  context: Opening,
  { tx, place, reader, tip, files }: Omit<LockedSnippet, 'tip'> & { tip: Oid | null },
  { authorId, createdAt, updatedAt }: KeptSnippet,
): Promise<LockedSnippet> {
  const stored = storableFiles(files);
  const actions = changesBetween(tip === null ? [] : await textsAt(reader, tip), stored);
  const seconds = Math.floor((tip === null ? createdAt : updatedAt).getTime() / 1000);
  const author = { ...signatureOf(await findPusher(context.db, authorId)), seconds };
  const message = tip === null ? 'Initial commit' : 'Update snippet';
  const added = { branch: BRANCH, tip, actions, author, committer: author, message, unchanged: UNCHANGED };
  const commit = tip !== null && actions.length === 0 ? tip : await addCommit(context, tx, place, reader, added);
  const { id, repositoryStorage } = place;
  if (stored.some(({ name }, index) => name !== files[index]?.name)) await recordFiles(tx, place, stored, commit);
  else
    await tx.$executeRaw`UPDATE snippets SET repository_storage = ${repositoryStorage}, repository_commit = ${commit}
      WHERE id = ${id}`;
  return { tx, place, reader, tip: commit, files: stored };
}

/** Said where a commit would change nothing. */
export const UNCHANGED = 'The snippet has these files already';
