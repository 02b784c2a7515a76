import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { isLimit } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { ConflictPart } from '#src/git/write/conflict_regions.ts';
import { type ConflictedFile, findConflicts } from '#src/git/write/conflicts.ts';
import { NothingChanged } from '#src/git/write/errors.ts';
import { BadRequest, Forbidden } from '#src/platform/errors.ts';

/** What keeps a merge request from being merged, and between which commits. */
export interface MergeRequestConflicts {
  /** The commits of source and target branch that are shown: resolutions are for these. */
  sourceSha: Oid;
  targetSha: Oid;
  /** What conflicts are called by. */
  sourceBranch: string;
  targetBranch: string;
  files: ConflictedFile[];
}

/** A merge request, as far as its conflicts follow from it. */
export interface ConflictingBranches {
  state: string;
  /** The head of the latest version. */
  sha: Oid | null;
  sourceBranch: string;
  targetBranch: string;
  sourceBranchSha: Oid | null;
  targetBranchSha: Oid | null;
}

/**
 * The conflicts of an open merge request, for those who can resolve them; null if there are none, it is not open, a branch is gone, or its
 * latest commits are still to be recorded. Throws Forbidden, BadRequest if finding them takes too long, RateLimited.
 *
 * @param mayPush whether the caller may push to the source branch
 */
export async function conflictsOf(
  context: Context,
  project: ProjectRow,
  mergeRequest: ConflictingBranches,
  mayPush: boolean,
): Promise<MergeRequestConflicts | null> {
  authorize(requireActor(context), 'read_repository', project);
  if (!mayPush || project.archived) throw new Forbidden('Cannot push to source branch');
  const { state, sha, sourceBranch, targetBranch, sourceBranchSha, targetBranchSha: targetSha } = mergeRequest;
  const reader = await context.repositories.open(project);
  if (state !== 'opened' || !reader || sha === null || sha !== sourceBranchSha || targetSha === null) return null;
  const [head, tip] = await Promise.all([reader.commit(sha), reader.commit(targetSha)]);
  if (!head || !tip) return null;
  try {
    const found = await withEffort(context, () => findConflicts(reader, { ours: sha, theirs: targetSha }));
    if (!found || found.files.length === 0) return null;
    return { sourceSha: sha, targetSha, sourceBranch, targetBranch, files: found.files };
  } catch (error) {
    if (error instanceof NothingChanged) return null;
    if (isLimit(error, 'work')) throw tooLong();
    throw error;
  }
}

/** Whether somebody who may push to the source branch or not can resolve conflicts of a merge request there. */
export function mayResolve(context: Context, project: ProjectRow, state: string, mayPush: boolean): boolean {
  return state === 'opened' && mayPush && !project.archived && can(context.actor, 'read_repository', project);
}

export function tooLong(): BadRequest {
  return new BadRequest('Merging the branches takes too long. Resolve the conflicts in a clone.').asWrongState();
}

/** The message of the merge of the target branch, unless somebody writes another one. */
export function resolvedMessage({
  sourceBranch,
  targetBranch,
}: {
  sourceBranch: string;
  targetBranch: string;
}): string {
  return `Merge branch '${targetBranch}' into '${sourceBranch}'`;
}

/** The regions for which each branch has other lines. */
export function regionsOf(parts: readonly ConflictPart[]): { ours: string; theirs: string }[] {
  return parts.filter((part) => 'ours' in part);
}

/** The text of a file with the marks that git writes around its regions. */
export function markedText(
  parts: readonly ConflictPart[],
  { sourceBranch, targetBranch }: { sourceBranch: string; targetBranch: string },
): string {
  const end = parts.some((part) => ('text' in part ? part.text : part.ours).includes('\r\n')) ? '\r\n' : '\n';
  const whole = (text: string) => (text === '' || text.endsWith('\n') ? text : text + end);
  return parts
    .map((part) =>
      'text' in part
        ? part.text
        : [
            `<<<<<<< ${sourceBranch}${end}${whole(part.ours)}`,
            `=======${end}${whole(part.theirs)}`,
            `>>>>>>> ${targetBranch}${end}`,
          ].join(''),
    )
    .join('');
}
