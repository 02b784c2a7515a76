import { authorize } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import { BadRequest } from '#src/errors.ts';
import { GitError, MissingObject } from '#src/git/errors.ts';
import type { Oid, Signature } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { isValidBranchName } from '#src/git/refs/name.ts';
import { Hold } from '#src/git/write/hold.ts';
import type { Ref } from '#src/groups/find.ts';
import { findProject, type ProjectRow } from '#src/projects/find.ts';
import type { RefOutcome } from '#src/repository/change_refs.ts';
import { branchRefusals, isEmpty } from '#src/repository/protection.ts';
import type { Pusher } from '#src/repository/push_data.ts';
import { findPusher, pushRefs } from '#src/repository/record.ts';
import { writeRefusal } from '#src/repository/writable.ts';

/** What is said when a commit cannot be made for any other reason (behaviour.md 1.5). */
export const NOT_COMMITTED = 'Something went wrong. Your changes were not committed';

/** How often a commit is written. */
const ATTEMPTS = 2;

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

/**
 * Writes a commit and makes it the tip of its branch. Once more if what was written is gone by then, as it can be where
 * somebody removes unreachable objects by hand. Throws BadRequest if the branch has moved since, and what `commit` throws.
 *
 * @param commit writes the commit
 */
export async function advance(
  context: Context,
  { pusher, project, branch, tip, reader }: WritableBranch,
  commit: (hold: Hold | undefined) => Promise<Oid>,
): Promise<Oid> {
  for (let attempt = 1; ; attempt++) {
    const hold = await Hold.open(reader.directory);
    try {
      const to = await commit(hold);
      const change = { name: `refs/heads/${branch}`, from: tip, to };
      const outcomes = await pushRefs(context, pusher, project, [change], undefined, { hold });
      const isGone = outcomes.some(({ error }) => error instanceof MissingObject);
      if (isGone && attempt < ATTEMPTS) continue;
      requireMade(outcomes, NOT_COMMITTED);
      return to;
    } finally {
      await hold?.release();
    }
  }
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
