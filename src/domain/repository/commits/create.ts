import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { BranchStart } from '#src/domain/repository/branch_start.ts';
import {
  contentKnown,
  filePathOf,
  inputOf,
  parseActions,
  type RawAction,
  refusalOf,
} from '#src/domain/repository/commits/actions.ts';
import { type GivenContent, readContent } from '#src/domain/repository/commits/content.ts';
import { contentBytes, heldBytes, textBytes } from '#src/domain/repository/commits/measure.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { lockRefusal } from '#src/domain/repository/lfs_refusals.ts';
import type { FileFacts } from '#src/domain/repository/push_rules/check.ts';
import { requireAllowedCommit } from '#src/domain/repository/push_rules/of_commit.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import {
  type Authorship,
  advance,
  authorOf,
  signatureOf,
  type WritableBranch,
  writableBranch,
} from '#src/domain/repository/write.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import { type Action, ActionFailed } from '#src/git/write/actions.ts';
import { NothingChanged } from '#src/git/write/errors.ts';
import type { CommitSeries } from '#src/git/write/series.ts';
import { BadRequest } from '#src/platform/errors.ts';

export interface NewCommit extends Authorship, BranchStart {
  branch: string;
  message: string;
  actions: readonly GivenAction[];
  /** Whether a commit without actions is made. */
  allowEmpty?: boolean | null | undefined;
}

/** An action as sent by a client, whose content may be a file. */
export type GivenAction = Omit<RawAction, 'content' | 'was'> & GivenContent;

/**
 * Commits actions on files to a branch; to an empty repository the first commit. Throws NotFound, Forbidden, and BadRequest with
 * the message for the first failing action; and as readContent.
 */
export async function createCommit(context: Context, ref: IdOrPath, input: NewCommit): Promise<CommitRow> {
  const target = await writableBranch(context, ref, input.branch, input);
  const reader = await context.repositories.open(target.project);
  const given: RawAction[] = [];
  for (const action of input.actions) {
    const content = await readContent(context, action);
    const path = filePathOf((action.action === 'move' ? action.previousPath : action.filePath) ?? '');
    given.push({ ...action, content, was: await contentKnown(reader, path, action.lastCommitId) });
  }
  const bytes = given.reduce((sum, action) => sum + contentBytes(action), 0);
  const held = given.reduce((sum, action) => sum + heldBytes(action), 0);
  const paths = given.flatMap(({ filePath, previousPath }) =>
    [filePath, previousPath].map((path) => filePathOf(path ?? '')),
  );
  const prepare = async (series: CommitSeries) => {
    const { actions, fault } = parseActions(given, series.tip === null);
    if (fault === null) return actions;
    // Actions before the invalid one may fail first.
    await explaining(actions, refusalOf, () => series.rehearse(actions));
    throw new BadRequest(fault);
  };
  const files = given.flatMap((action) =>
    BRINGING.has(action.action ?? '') ? [{ path: filePathOf(action.filePath ?? ''), size: contentBytes(action) }] : [],
  );
  return commitFiles(context, target, { paths, files, bytes, held, prepare }, input);
}

/** The actions that add or change files. */
const BRINGING = new Set<unknown>(['create', 'update', 'move']);

export interface FileActions {
  /** The files that they change, and that they move. */
  paths: readonly string[];
  /** Those that they add or change, with sizes where these are known, for push rules. */
  files: readonly FileFacts[];
  /** The size of their contents in the repository, in bytes. */
  bytes: number;
  /** Whether nothing else is written to the branch at once, so that the parent is in the repository while they are prepared. */
  alone?: boolean;
  /** The memory that they hold until they are committed, in bytes. */
  held: number;
  /** Returns the actions, once their parent is known. Throws BadRequest. */
  prepare(series: CommitSeries): Promise<Action[]>;
}

/** Commits actions to a writable branch, on its current tip. Throws BadRequest; `refusal` words a failed action. */
export async function commitFiles(
  context: Context,
  target: WritableBranch,
  { paths, files, bytes, held, alone = false, prepare }: FileActions,
  { message, allowEmpty, authorName, authorEmail }: Pick<NewCommit, 'message' | 'allowEmpty'> & Authorship,
  refusal = refusalOf,
): Promise<CommitRow> {
  await requireRoom(context.repositories, target.project, bytes + Buffer.byteLength(message));
  const locked = await lockRefusal(context.db, { projectId: target.project.id, userId: target.actor.id, paths });
  if (locked !== null) throw new BadRequest(locked);
  await requireAllowedCommit(context, { ...target, message, authorEmail, files });
  const make = async (series: CommitSeries) => {
    const actions = await prepare(series);
    const committer = signatureOf(target.pusher);
    const author = authorOf(committer, { authorName, authorEmail });
    const isEmpty = allowEmpty === true && actions.length === 0;
    const commit = { actions, author, committer, message, allowEmpty: isEmpty };
    return explaining(actions, refusal, () => series.add(commit));
  };
  const texts = [message, authorName, authorEmail].reduce((sum, text) => sum + textBytes(text), 0);
  return advance(context, target, { bytes: held + texts, alone, make });
}

async function explaining<T>(
  actions: readonly Action[],
  refusal: typeof refusalOf,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(error, actions, refusal);
  }
}

function explained(error: unknown, actions: readonly Action[], refusal: typeof refusalOf): unknown {
  if (error instanceof NothingChanged) return new BadRequest(NOT_COMMITTED);
  if (error instanceof RefusedObjects) return new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
  const action = error instanceof ActionFailed ? actions[error.index] : undefined;
  if (!action) return error;
  const failed = error as ActionFailed;
  return new BadRequest(refusal(action, failed), inputOf(action, failed));
}
