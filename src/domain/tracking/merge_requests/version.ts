import { type ChangeOptions, changeRefs, type RefChange } from '#src/domain/repository/change_refs.ts';
import { headRef, keptRef, recordOwnRefs } from '#src/domain/repository/merge_request_refs.ts';
import { storable } from '#src/domain/repository/push_data.ts';
import type { PushedProject } from '#src/domain/repository/pushed_project.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { DEFAULT_LIMITS } from '#src/git/base/diff_limits.ts';
import { isLimit } from '#src/git/base/errors.ts';
import type { Commit, Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type Diff, diffTrees } from '#src/git/diff/diff.ts';
import type { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { RefReader } from '#src/git/refs/read.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** A state of a merge request between two moves of its source branch. */
export interface Version {
  head: Oid;
  /** The merge base; null for unrelated histories. */
  base: Oid | null;
  /** The tip of the target branch. */
  start: Oid;
  realSize: string;
  /** The hash of its changes; null if there are none, or too many. */
  patchIdSha: string | null;
  /** The latest commits that it brings. */
  commits: readonly Oid[];
  /** The addresses of those who wrote and committed them, in lower case. */
  emails: readonly string[];
}

/** How many commits of a version are stored, so that they lead to the merge request. */
const MAX_COMMITS = 1_000;

/** Determines the version for a head and a tip of the target branch that the repository has. */
export async function measureVersion(
  reader: RepositoryReader,
  { head, start }: { head: Oid; start: Oid },
): Promise<Version> {
  const [base = null] = await reader.mergeBases(start, head);
  const brought = await broughtCommits(reader, { head, start });
  const from = base ?? start;
  const { realSize, isWhole } = await filesChanged(reader, from, head);
  return { head, base, start, ...brought, realSize, patchIdSha: isWhole ? await reader.patchId(from, head) : null };
}

/** The latest commits of a head that a tip of the target branch lacks: their hashes, and the addresses of those who made them. */
export async function broughtCommits(
  reader: RepositoryReader,
  { head, start }: { head: Oid; start: Oid },
): Promise<Pick<Version, 'commits' | 'emails'>> {
  const found = await reader.between(start, head, { limit: MAX_COMMITS });
  return { commits: found.map(({ oid }) => oid), emails: emailsOf(found) };
}

/** The addresses of those who wrote and committed commits, in lower case. */
export function emailsOf(commits: readonly Commit[]): string[] {
  const all = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
  return [...new Set(all.map((email) => storable(email.trim().toLowerCase())))];
}

async function filesChanged(
  reader: RepositoryReader,
  from: Oid,
  to: Oid,
): Promise<{ realSize: string; isWhole: boolean }> {
  try {
    const { entries, overflow }: Diff = await diffTrees(reader, from, to, { text: false });
    return { realSize: overflow ? `${entries.length}+` : String(entries.length), isWhole: !overflow };
  } catch (error) {
    if (!isLimit(error, 'work')) throw error;
    return { realSize: `${DEFAULT_LIMITS.files}+`, isWhole: false };
  }
}

/** Whether there was something to merge when the version was recorded. */
export function hasCommits({ head, base }: Pick<Version, 'head' | 'base'>): boolean {
  return head !== base;
}

export interface VersionPlace {
  id: number;
  iid: number;
  target: PushedProject;
}

/**
 * Creates the refs of a version, then records it, in a transaction that holds the lock of the target's repository. The previous
 * head is kept: as an ancestor of the new one, or else by a hidden ref. Throws errors of the refs.
 */
export async function recordVersion(
  { db, repositories }: { db: Db; repositories: RepositoryStore },
  tx: Transaction,
  { id, iid, target }: VersionPlace,
  version: Version,
  keepLock: PackKeepLock | undefined,
): Promise<void> {
  const reader = await repositories.ensure(target, target.defaultBranch);
  const changes = await refChanges(reader, iid, version);
  const options: ChangeOptions = { atomic: true, keepLock, tx, isLocked: true };
  const record = (_tx: Transaction, made: readonly RefChange[]) => recordOwnRefs(tx, target.id, made);
  const outcomes = changes.length === 0 ? [] : await changeRefs({ db, repositories }, target, changes, record, options);
  for (const { error } of outcomes) if (error !== null) throw error;
  await storeVersion(tx, id, version);
}

/** Writes a version of a merge request, and which commits it brings. */
export async function storeVersion(tx: Transaction, mergeRequestId: number, version: Version): Promise<void> {
  const { head, base, start, realSize, patchIdSha } = version;
  const hashes = { headCommitSha: head, baseCommitSha: base, startCommitSha: start, patchIdSha };
  await tx.mergeRequestVersion.create({ data: { mergeRequestId, ...hashes, realSize, commitsStored: true } });
  await storeCommits(tx, mergeRequestId, version);
}

/** Writes which commits belong to a merge request, and the users who made them, besides those that are known already. */
export async function storeCommits(
  tx: Pick<Transaction, '$executeRaw'>,
  mergeRequestId: number,
  { commits, emails }: Pick<Version, 'commits' | 'emails'>,
): Promise<void> {
  await tx.$executeRaw`WITH commits AS (INSERT INTO merge_request_commits (merge_request_id, sha)
      SELECT ${mergeRequestId}, c.sha FROM unnest(${[...commits]}::text[]) AS c (sha) ON CONFLICT DO NOTHING),
    people AS (SELECT u.id FROM users u WHERE lower(u.email) = ANY(${[...emails]}::text[]) AND u.confirmed_at IS NOT NULL AND NOT u.ghost
      UNION SELECT e.user_id FROM emails e WHERE lower(e.email) = ANY(${[...emails]}::text[]) AND e.confirmed_at IS NOT NULL)
    INSERT INTO merge_request_committers (merge_request_id, user_id) SELECT ${mergeRequestId}, p.id FROM people p ON CONFLICT DO NOTHING`;
}

async function refChanges(reader: RepositoryReader, iid: number, { head, base, start }: Version): Promise<RefChange[]> {
  const refs = new RefReader(reader.directory);
  const name = headRef(iid);
  // A crash may have left it at any commit before it was recorded.
  const from = await refs.read(name);
  const changes: RefChange[] = from === head ? [] : [{ name, from, to: head }];
  const kept: Oid[] = [];
  if (from !== null && from !== head && !(await leadsTo(reader, head, from))) kept.push(from);
  // For unrelated histories, this commit is not referenced otherwise once the target branch has dropped it.
  if (base === null) kept.push(start);
  for (const oid of kept) {
    if ((await refs.read(keptRef(oid))) === null) changes.push({ name: keptRef(oid), from: null, to: oid });
  }
  return changes;
}

async function leadsTo(reader: RepositoryReader, head: Oid, oid: Oid): Promise<boolean> {
  return (await reader.commit(oid)) !== null && (await reader.isAncestor(oid, head));
}
