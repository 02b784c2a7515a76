import type { Context } from '#src/access/actor.ts';
import { parseActions, type RawAction, refusalOf } from '#src/commits/actions.ts';
import { type CommitRow, commitRows } from '#src/commits/find.ts';
import { BadRequest } from '#src/errors.ts';
import { EMPTY_TREE } from '#src/git/model.ts';
import { RefusedObjects } from '#src/git/remote/quarantine.ts';
import { type Action, ActionFailed, applyActions } from '#src/git/write/actions.ts';
import { DraftTree } from '#src/git/write/draft.ts';
import { ObjectWriter } from '#src/git/write/objects.ts';
import { commitActions, NothingChanged } from '#src/git/writer.ts';
import type { Ref } from '#src/groups/find.ts';
import { requireRoom } from '#src/repository/quota.ts';
import {
  type Authorship,
  advance,
  authorOf,
  NOT_COMMITTED,
  type WritableBranch,
  writableBranch,
} from '#src/repository/write.ts';

export interface NewCommit extends Authorship {
  branch: string;
  message: string;
  actions: readonly RawAction[];
}

/**
 * Commits actions on files to a branch; to an empty repository the first commit. Throws NotFound, Forbidden, and BadRequest
 * with the message for the first action that cannot be done.
 */
export async function createCommit(context: Context, ref: Ref, input: NewCommit): Promise<CommitRow> {
  const target = await writableBranch(context, ref, input.branch);
  const { actions, fault } = parseActions(input.actions, target.tip === null);
  if (fault !== null) {
    // What comes before the faulty one may fail first.
    await rehearse(target, actions);
    throw new BadRequest(fault);
  }
  return commitFiles(context, target, actions, input);
}

/** Commits actions to a branch that the actor may write to. Throws BadRequest; `refusal` words a failed action. */
export async function commitFiles(
  context: Context,
  target: WritableBranch,
  actions: Action[],
  { message, ...authorship }: Pick<NewCommit, 'message'> & Authorship,
  refusal = refusalOf,
): Promise<CommitRow> {
  const { reader, tip, committer, project } = target;
  const content = actions.map((action) => ('content' in action ? (action.content?.length ?? 0) : 0));
  const size = content.reduce((sum, bytes) => sum + bytes, message.length);
  await requireRoom(context.repositories, project, size);
  const author = authorOf(committer, authorship);
  const oid = await advance(context, target, (hold) =>
    commitActions(reader, { parent: tip, actions, author, committer, message }, hold).catch((error) => {
      throw explained(error, actions, refusal);
    }),
  );
  const [row] = await commitRows(project, reader, [oid]);
  if (!row) throw new Error(`The commit ${oid} is gone`);
  return row;
}

/** Does the actions without writing anything. Throws BadRequest for the first that fails. */
async function rehearse({ reader, tip }: WritableBranch, actions: Action[]): Promise<void> {
  const tree = tip === null ? EMPTY_TREE : ((await reader.commit(tip))?.tree ?? EMPTY_TREE);
  try {
    await applyActions(new DraftTree(reader, tree), new ObjectWriter(reader.directory), actions);
  } catch (error) {
    throw explained(error, actions, refusalOf);
  }
}

function explained(error: unknown, actions: readonly Action[], refusal: typeof refusalOf): unknown {
  if (error instanceof NothingChanged) return new BadRequest(NOT_COMMITTED);
  if (error instanceof RefusedObjects) return new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
  const action = error instanceof ActionFailed ? actions[error.index] : undefined;
  return action ? new BadRequest(refusal(action, error as ActionFailed)) : error;
}
