import { authorize } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { BadRequest } from '#src/errors.ts';
import { GitError } from '#src/git/errors.ts';
import type { Oid, Signature } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { isValidBranchName } from '#src/git/refs/name.ts';
import type { Ref } from '#src/groups/find.ts';
import { findProject, type ProjectRow } from '#src/projects/find.ts';
import type { RefOutcome } from '#src/repository/change_refs.ts';
import { branchRefusals, isEmpty } from '#src/repository/protection.ts';
import type { Pusher } from '#src/repository/push_data.ts';
import { findPusher, pushRefs } from '#src/repository/record.ts';
import { writeRefusal } from '#src/repository/writable.ts';

/** What is said when a commit cannot be made for any other reason (behaviour.md 1.5). */
export const NOT_COMMITTED = 'Something went wrong. Your changes were not committed';

/** A branch that the actor may add commits to. */
export interface WritableBranch {
  actor: Actor;
  /** The actor as pushes and commits bear them. */
  pusher: Pusher;
  project: ProjectRow;
  reader: RepositoryReader;
  branch: string;
  /** Its commit; null in an empty repository. */
  tip: Oid | null;
  /** The actor, now. */
  committer: Signature;
}

/** Who may have written a change, if not the actor. */
export interface Authorship {
  authorName?: string | null | undefined;
  authorEmail?: string | null | undefined;
}

/**
 * The project, if the actor may write to its repository, and if anybody may now. Throws Unauthenticated, NotFound,
 * Forbidden, BadRequest.
 */
export async function writableProject(context: Context, ref: Ref): Promise<{ actor: Actor; project: ProjectRow }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'push_code', project);
  const refusal = writeRefusal(project);
  if (refusal !== null) throw new BadRequest(refusal);
  return { actor, project };
}

/** A branch to add commits to; in an empty repository any. Throws as writableProject, and BadRequest. */
export async function writableBranch(context: Context, ref: Ref, branch: string): Promise<WritableBranch> {
  const { actor, project } = await writableProject(context, ref);
  await requirePush(context, actor, project, branch);
  const found = await context.repositories.open(project);
  const tip = (await found?.branch(branch))?.commit ?? null;
  if (tip === null) {
    if (!(await isEmpty(found, project.defaultBranch))) {
      throw new BadRequest('You can only create or edit files when you are on a branch');
    }
    if (!isValidBranchName(branch)) throw new BadRequest(NOT_COMMITTED);
  }
  const reader = await context.repositories.ensure(project, project.defaultBranch);
  const pusher = await findPusher(context.db, actor.id);
  return { actor, pusher, project, reader, branch, tip, committer: signatureOf(pusher) };
}

/** Throws BadRequest when the actor may not push to the branch. */
export async function requirePush(context: Context, actor: Actor, project: ProjectRow, branch: string): Promise<void> {
  const refusal = (await branchRefusals(context, actor, project))(branch, 'push');
  if (refusal !== null) throw new BadRequest(refusal);
}

/** Makes a commit that is in the repository the tip of its branch. Throws BadRequest if the branch has moved since. */
export async function advance(
  context: Context,
  { pusher, project, branch, tip }: WritableBranch,
  to: Oid,
): Promise<void> {
  const outcomes = await pushRefs(context, pusher, project, [{ name: `refs/heads/${branch}`, from: tip, to }]);
  requireMade(outcomes, NOT_COMMITTED);
}

/** Throws BadRequest with this message if git refused a change, and whatever else went wrong. */
export function requireMade(outcomes: readonly RefOutcome[], message: string): void {
  for (const { error } of outcomes) {
    if (error instanceof GitError) throw new BadRequest(message);
    if (error !== null) throw error;
  }
}

/** A user as git names people, now. */
export function signatureOf({ name, email }: Pusher): Signature {
  return { name, email, seconds: Math.floor(Date.now() / 1000), offset: 0 };
}

/** Who wrote a change: as given, else who commits it. */
export function authorOf(committer: Signature, { authorName, authorEmail }: Authorship): Signature {
  return { ...committer, name: authorName?.trim() || committer.name, email: authorEmail?.trim() || committer.email };
}
