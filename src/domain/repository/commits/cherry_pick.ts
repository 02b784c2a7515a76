import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { applyChange, type ChangeToApply } from '#src/domain/repository/commits/apply.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { cherryPick } from '#src/git/writer.ts';

const IMPOSSIBLE =
  'Sorry, we cannot cherry-pick this commit automatically. It may have been cherry-picked already, or a later commit changed the same lines.';

/** A change to apply to another branch, with the message of the new commit if it is not that of the commit. */
export interface CherryPick extends ChangeToApply {
  message?: string | null | undefined;
}

/** Applies the change of a commit to another branch, with its author. Throws as applyChange. */
export function cherryPickCommit(
  context: Context,
  ref: IdOrPath,
  { message, ...what }: CherryPick,
): Promise<CommitRow> {
  const own = message?.trim() ? message : undefined;
  return applyChange(context, ref, what, (commit) => ({
    impossible: IMPOSSIBLE,
    message: own ?? commit.message,
    write: (reader, change, keepLock) => cherryPick(reader, { ...change, message: own }, keepLock),
  }));
}
