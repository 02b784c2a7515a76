import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { BranchStart } from '#src/domain/repository/branch_start.ts';
import {
  contentKnown,
  contentOf,
  filePathOf,
  pathRefusal,
  type RawAction,
  refusalOf,
} from '#src/domain/repository/commits/actions.ts';
import { type GivenContent, requireContent } from '#src/domain/repository/commits/content.ts';
import { commitFiles } from '#src/domain/repository/commits/create.ts';
import { contentBytes, heldBytes } from '#src/domain/repository/commits/measure.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { type Authorship, writableBranch } from '#src/domain/repository/write.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { Action, ActionFailed } from '#src/git/write/actions.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** Where and why a file is written. */
export interface FileChange extends Authorship, Pick<BranchStart, 'startBranch'> {
  path: string;
  branch: string;
  message: string;
  /** Hash of a commit in which the file was as the client knows it: it is refused if the file has changed since. */
  lastCommitId?: string | null | undefined;
}

/** A written file, and its commit. */
export interface WrittenFile {
  path: string;
  branch: string;
  commit: CommitRow;
}

/** Commits a new file. Throws NotFound, Forbidden, BadRequest, and as requireContent. */
export function createFile(
  context: Context,
  ref: IdOrPath,
  change: FileChange & GivenContent & Pick<RawAction, 'executeFilemode'>,
): Promise<WrittenFile> {
  return writeContent(context, ref, change, 'create');
}

/** Commits new content of a file, which must differ from the current one. Throws as createFile. */
export function updateFile(
  context: Context,
  ref: IdOrPath,
  change: FileChange & GivenContent & Pick<RawAction, 'executeFilemode'>,
): Promise<WrittenFile> {
  return writeContent(context, ref, change, 'update');
}

async function writeContent(
  context: Context,
  ref: IdOrPath,
  change: FileChange & GivenContent & Pick<RawAction, 'executeFilemode'>,
  action: 'create' | 'update',
): Promise<WrittenFile> {
  const given = await requireContent(context, change);
  const content = contentOf(given, change.encoding);
  const executable = change.executeFilemode ?? undefined;
  return write(context, ref, { ...change, content: given }, (path, was) =>
    action === 'create' ? { action, path, content, executable } : { action, path, content, executable, was },
  );
}

/** Commits the removal of a file. Throws NotFound, Forbidden, BadRequest. */
export function deleteFile(context: Context, ref: IdOrPath, change: FileChange): Promise<WrittenFile> {
  return write(context, ref, change, (path, was) => ({ action: 'delete', path, was }));
}

async function write(
  context: Context,
  ref: IdOrPath,
  {
    path,
    branch,
    startBranch,
    lastCommitId,
    content,
    encoding,
    ...how
  }: FileChange & Pick<RawAction, 'content' | 'encoding'>,
  actionOn: (path: string, was: Oid | null | undefined) => Action,
): Promise<WrittenFile> {
  const target = await writableBranch(context, ref, branch, { startBranch });
  const file = filePathOf(path);
  const unusable = pathRefusal(file);
  if (unusable !== null) throw new BadRequest(unusable, 'file_path');
  const reader = await context.repositories.open(target.project);
  const action = actionOn(file, await contentKnown(reader, file, lastCommitId));
  const given = { filePath: file, content, encoding };
  const bytes = contentBytes(given);
  const files = action.action === 'delete' ? [] : [{ path: file, size: bytes }];
  const actions = { paths: [file], files, bytes, held: heldBytes(given), prepare: async () => [action] };
  const commit = await commitFiles(context, target, actions, how, refusal);
  return { path, branch, commit };
}

/** Errors of single files have few details (rest-api-v4.md: a non-specific message). */
function refusal(action: Action, failed: ActionFailed): string {
  if (failed.fault === 'path' || failed.fault === 'changed') return refusalOf(action, failed);
  if (failed.fault === 'exists') {
    return 'Your changes could not be committed because a file with the same name already exists';
  }
  return NOT_COMMITTED;
}
