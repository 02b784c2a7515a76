import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { BranchStart } from '#src/domain/repository/branch_start.ts';
import { branchTip, newBranchStart } from '#src/domain/repository/branch_tip.ts';
import { type BranchCommit, commitInTurn } from '#src/domain/repository/branch_turn.ts';
import type { RefOutcome } from '#src/domain/repository/change_refs.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { relatedProject } from '#src/domain/repository/fork_network.ts';
import { branchRefusals, sharedWith } from '#src/domain/repository/protection.ts';
import type { Pusher } from '#src/domain/repository/push_data.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { changeRefusal } from '#src/domain/repository/refusals.ts';
import { COPY_TIMEOUT_MS, withCommits } from '#src/domain/repository/take_commits.ts';
import { writeRefusal } from '#src/domain/repository/writable.ts';
import type { Oid, Signature } from '#src/git/base/model.ts';
import { BadRequest, DomainError, type Existing, Forbidden, NotFound } from '#src/platform/errors.ts';

/** A branch that the actor may add commits to. */
export interface WritableBranch {
  actor: Actor;
  /** The actor, as recorded with pushes and commits. */
  pusher: Pusher;
  project: ProjectRow;
  branch: string;
  /** The commit at which a branch begins that does not exist yet; null or absent for one that exists, and for the first of a repository. */
  start?: Oid | null;
  /** The project that has `start`, if that has to be taken over from another one. */
  source?: ProjectRow | null;
  /** Whether it takes the place of a branch that exists. */
  replaces?: boolean;
}

/** The author of a change, if not the actor. */
export interface Authorship {
  authorName?: string | null | undefined;
  authorEmail?: string | null | undefined;
}

/**
 * The project, if the actor may write to its repository and it is currently writable. Throws Unauthenticated, NotFound,
 * Forbidden, BadRequest.
 */
export async function writableProject(context: Context, ref: IdOrPath): Promise<{ actor: Actor; project: ProjectRow }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'push_code', project);
  requireWritable(project);
  return { actor, project };
}

function requireWritable(project: ProjectRow): void {
  const refusal = writeRefusal(project);
  if (refusal !== null) throw new BadRequest(refusal);
}

/**
 * A branch to add commits to; in an empty repository any. A fork may share it with those who merge it. With `startBranch` the branch
 * is that one, or a new one that begins there. Throws as writableProject, and BadRequest.
 */
export async function writableBranch(
  context: Context,
  ref: IdOrPath,
  branch: string,
  from: BranchStart = {},
): Promise<WritableBranch> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  const shared = await sharedWith(context.db, actor, project);
  if (!shared?.has(branch)) authorize(actor, 'push_code', project);
  requireWritable(project);
  const reader = await context.repositories.open(project);
  await requirePush(context, actor, project, branch);
  const source = await sourceOf(context, project, from);
  const start = await newBranchStart(
    reader,
    project,
    branch,
    from,
    source ? await context.repositories.open(source) : reader,
  );
  if (start === null) await branchTip(reader, project, branch);
  const replaces = start !== null && from.force === true;
  if (replaces && (await reader?.branch(branch))) await requirePush(context, actor, project, branch, 'force');
  return { actor, pusher: await findPusher(context.db, actor.id), project, branch, start, source, replaces };
}

/** The project that has what a branch begins at, if it is another one. Throws NotFound, Forbidden. */
async function sourceOf(
  context: Context,
  project: ProjectRow,
  { startProject }: BranchStart,
): Promise<ProjectRow | null> {
  if (startProject == null) return null;
  const source = await relatedProject(
    context,
    project,
    startProject,
    ({ fullPath }) => new Forbidden(`${fullPath} is no fork of this project, nor this one of it`),
  );
  return source.id === project.id ? null : source;
}

/** Throws BadRequest if the actor may not push to the branch, or drop commits of it. */
export async function requirePush(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  branch: string,
  wish: 'push' | 'force' = 'push',
): Promise<void> {
  const refusal = (await branchRefusals(context, actor, project))(branch, wish);
  if (refusal !== null) throw new BadRequest(refusal);
}

/** Adds a commit to a branch, on its tip when its turn comes, or creates the branch with it. Throws as commitInTurn. */
export async function advance(
  context: Context,
  target: WritableBranch,
  commit: Pick<BranchCommit, 'bytes' | 'alone' | 'make'>,
): Promise<CommitRow> {
  const oid = await withStart(context, target, () => commitInTurn(context, { ...target, ...commit }));
  const reader = await context.repositories.open(target.project);
  const [row] = reader ? await commitRows(target.project, reader, [oid]) : [];
  // The project was deleted in the meantime.
  if (!row) throw new NotFound('Project');
  return row;
}

/** Runs work while what the branch begins at is in its repository. Throws as withCommits, and LimitReached. */
async function withStart<T>(
  context: Context,
  { project, start, source }: WritableBranch,
  work: () => Promise<T>,
): Promise<T> {
  if (!start || !source) return work();
  return withCommits(context, { source, target: project, oids: [start] }, COPY_TIMEOUT_MS, async () => {
    await requireRoom(context.repositories, project, 0);
    return work();
  });
}

/** Throws BadRequest with this message if git rejected a change, and rethrows other errors. */
export function requireMade(outcomes: readonly RefOutcome[], message: string, existing?: Existing): void {
  for (const { error } of outcomes) {
    if (error === null) continue;
    const refusal = changeRefusal(error, message);
    throw existing && refusal instanceof DomainError ? refusal.asExisting(existing) : refusal;
  }
}

/** A user as git identity, with the current time. */
export function signatureOf({ name, email }: Pusher): Signature {
  return { name, email, seconds: Math.floor(Date.now() / 1000), offset: 0 };
}

/** The author of a change: as given, else the committer. */
export function authorOf(committer: Signature, { authorName, authorEmail }: Authorship): Signature {
  return { ...committer, name: authorName?.trim() || committer.name, email: authorEmail?.trim() || committer.email };
}
