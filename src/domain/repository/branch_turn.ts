import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { BranchLines, type LineTask } from '#src/domain/repository/branch_line.ts';
import { branchTaken, branchTip } from '#src/domain/repository/branch_tip.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { holdRepositoryLock, withBranchLock } from '#src/domain/repository/lock.ts';
import { branchRules, sharedWith } from '#src/domain/repository/protection.ts';
import type { Pusher } from '#src/domain/repository/push_data.ts';
import { findPushedProject, type PushedProject } from '#src/domain/repository/pushed_project.ts';
import { pushRefs, type Step } from '#src/domain/repository/record.ts';
import { changeRefusal, NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { writeRefusal } from '#src/domain/repository/writable.ts';
import { MissingObject, RefChanged } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { CommitSeries } from '#src/git/write/series.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** A commit to add to a branch. */
export interface BranchCommit {
  actor: Actor;
  /** The actor, as recorded with pushes. */
  pusher: Pusher;
  project: ProjectRow;
  branch: string;
  /** The commit at which the branch begins, which must not exist yet then. */
  start?: Oid | null;
  /** Whether it takes the place of a branch that exists, if it has a `start`. */
  replaces?: boolean;
  /** Memory that it holds until it is made, in bytes. */
  bytes: number;
  /** The ability required on the branch; `push` by default. */
  wish?: 'push' | 'merge';
  /** Whether it takes longer than commits of files do, and so is not grouped with others. */
  alone?: boolean;
  /** Adds it to a series of commits, on the tip of that, and returns its hash. An error rejects only this commit. */
  make(series: CommitSeries): Promise<Oid>;
  /** Runs in the transaction that records its push. */
  also?(tx: Transaction, oid: Oid): Promise<void>;
}

type Stores = Pick<Context, 'db' | 'repositories' | 'jobs' | 'followers'>;

interface Task extends LineTask {
  stores: Stores;
  commit: BranchCommit;
  resolve(oid: Oid): void;
}

const lines = new WeakMap<Db, BranchLines<Task>>();

/** Number of attempts: the branch may be moved by pushes, and written objects may be removed manually. */
const ATTEMPTS = 3;

/**
 * Adds a commit to a branch when its turn comes: those of one branch are made sequentially, in the order in which they reached
 * this process, alternating with those of other processes. Commits of files that wait at the same time are written, synced and
 * recorded together. Throws what `make` throws, BadRequest, NotFound, RateLimited, Unavailable.
 */
export function commitInTurn(stores: Stores, commit: BranchCommit): Promise<Oid> {
  const line = lines.get(stores.db) ?? new BranchLines<Task>(work);
  lines.set(stores.db, line);
  const { actor, project, branch, bytes, start = null } = commit;
  const alone = commit.alone === true || start !== null;
  return new Promise((resolve, reject) => {
    const task = { stores, commit, userId: actor.id, bytes, alone, resolve, reject };
    line.add(`${project.id} ${branch}`, task);
  });
}

/** Makes commits of one branch together. */
async function work(tasks: Task[]): Promise<void> {
  const waiting = new Set(tasks);
  try {
    for (let attempt = 1; waiting.size > 0; attempt++) {
      const made = await turn(waiting, attempt);
      if (made === null) continue;
      for (const { task, oid } of made) task.resolve(oid);
      return;
    }
  } catch (error) {
    for (const task of waiting) task.reject(error);
  }
}

interface Made {
  task: Task;
  oid: Oid;
}

/** Returns the commits that were made and recorded; the others were rejected. Null if it must be retried. */
function turn(waiting: Set<Task>, attempt: number): Promise<Made[] | null> {
  const [first] = waiting;
  if (!first) return Promise.resolve([]);
  const { stores, commit } = first;
  const { project, branch } = commit;
  return withBranchLock(stores.db, project.id, branch, async (tx) => {
    const at = { stores, tx, branch, waiting, isLast: attempt === ATTEMPTS };
    // Pushes can move the branch without this lock; after a collision they are locked out as well. The first commit of a
    // repository creates it, and must be the only one: it takes the repository's lock once for all of its work, as taking it
    // twice would deadlock with others.
    const isFirst = !(await (await stores.repositories.open(project))?.branch(branch));
    if (attempt === 1 && !isFirst) return commitAll(at, false);
    return holdRepositoryLock(stores.db, tx, project.id, () => commitAll(at, true));
  });
}

interface Turn {
  stores: Stores;
  tx: Transaction;
  branch: string;
  waiting: Set<Task>;
  isLast: boolean;
}

async function commitAll(at: Turn, isLocked: boolean): Promise<Made[] | null> {
  const { stores, tx, branch, waiting } = at;
  const [first] = waiting;
  if (!first) return [];
  const project = await currentProject(tx, first.commit.project.id);
  const found = await stores.repositories.open(project);
  const { start = null, replaces = false } = first.commit;
  const replaced = start === null ? null : ((await found?.branch(branch))?.commit ?? null);
  if (replaced !== null && !replaces) throw branchTaken(branch);
  const tip = start === null ? await branchTip(found, project, branch) : replaced;
  const reader = found ?? (await ensureRepository(stores, project, isLocked ? tx : undefined));
  const keepLock = await PackKeepLock.open(reader.directory);
  try {
    const series = new CommitSeries(reader, start ?? tip, keepLock);
    const made = await makeAll(at, project, series, replaced !== null);
    const [head] = made;
    if (!head) return [];
    await series.flush();
    const change = { name: `refs/heads/${branch}`, from: tip, to: series.tip };
    const also = async (tx: Transaction) => {
      for (const { task, oid } of made) await task.commit.also?.(tx, oid);
    };
    const options = { keepLock, tx, isLocked, steps: stepsOf(change.name, tip, made) };
    const [outcome] = await pushRefs(stores, head.task.commit.pusher, project, [change], also, options);
    const error = outcome?.error ?? null;
    if (error === null) return made;
    if (!at.isLast && (error instanceof RefChanged || error instanceof MissingObject)) return null;
    throw changeRefusal(error, NOT_COMMITTED);
  } finally {
    await keepLock?.release();
  }
}

/** The project's current state. Throws NotFound, BadRequest. */
async function currentProject(tx: Transaction, id: number): Promise<PushedProject> {
  const project = await findPushedProject(tx, id);
  if (!project) throw new NotFound('Project');
  const refusal = writeRefusal(project);
  if (refusal !== null) throw new BadRequest(refusal);
  return project;
}

/** Makes commits one after another; rejected ones are settled immediately. */
async function makeAll(
  { stores, tx, branch, waiting }: Turn,
  project: PushedProject,
  series: CommitSeries,
  isForced: boolean,
) {
  const rules = await branchRules(stores, project, tx);
  const made: Made[] = [];
  for (const task of [...waiting]) {
    const { commit, reject } = task;
    try {
      // The branch may have been protected in the meantime.
      const shared = await sharedWith(tx, commit.actor, commit.project);
      const refusal = rules(commit.actor, commit.project, shared)(branch, isForced ? 'force' : (commit.wish ?? 'push'));
      if (refusal !== null) throw new BadRequest(refusal);
      made.push({ task, oid: await commit.make(series) });
    } catch (error) {
      waiting.delete(task);
      reject(error);
    }
  }
  return made;
}

function stepsOf(name: string, tip: Oid | null, made: readonly Made[]): Step[] {
  return made.map(({ task, oid }, index) => {
    const change = { name, from: index === 0 ? tip : (made[index - 1]?.oid ?? null), to: oid };
    return { change, pusher: task.commit.pusher };
  });
}
