import type { Context } from '#src/access/actor.ts';
import { contentOf, filePathOf, pathRefusal, refusalOf } from '#src/commits/actions.ts';
import { commitFiles } from '#src/commits/create.ts';
import type { CommitRow } from '#src/commits/find.ts';
import { contentBytes, heldBytes } from '#src/commits/measure.ts';
import type { Action, ActionFailed } from '#src/git/write/actions.ts';
import type { Ref } from '#src/groups/find.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { NOT_COMMITTED } from '#src/repository/refusals.ts';
import { type Authorship, writableBranch } from '#src/repository/write.ts';

/** Where and why a file is written. */
export interface FileChange extends Authorship {
  path: string;
  branch: string;
  message: string;
}

export interface FileContent {
  content: string;
  /** How the content is given; as it is without. */
  encoding?: 'text' | 'base64' | null | undefined;
}

/** A file that was written, and the commit that did it. */
export interface WrittenFile {
  path: string;
  branch: string;
  commit: CommitRow;
}

/** Commits a new file. Throws NotFound, Forbidden, BadRequest. */
export function createFile(context: Context, ref: Ref, change: FileChange & FileContent): Promise<WrittenFile> {
  const content = contentOf(change.content, change.encoding);
  return write(context, ref, change, (path) => ({ action: 'create', path, content }));
}

/** Commits new content of a file, which must differ from what it has. Throws NotFound, Forbidden, BadRequest. */
export function updateFile(context: Context, ref: Ref, change: FileChange & FileContent): Promise<WrittenFile> {
  const content = contentOf(change.content, change.encoding);
  return write(context, ref, change, (path) => ({ action: 'update', path, content }));
}

/** Commits the removal of a file. Throws NotFound, Forbidden, BadRequest. */
export function deleteFile(context: Context, ref: Ref, change: FileChange): Promise<WrittenFile> {
  return write(context, ref, change, (path) => ({ action: 'delete', path }));
}

async function write(
  context: Context,
  ref: Ref,
  { path, branch, content, encoding, ...how }: FileChange & Partial<FileContent>,
  actionOn: (path: string) => Action,
): Promise<WrittenFile> {
  const target = await writableBranch(context, ref, branch);
  const file = filePathOf(path);
  const unusable = pathRefusal(file);
  if (unusable !== null) throw new BadRequest(unusable);
  const action = actionOn(file);
  const given = { filePath: file, content, encoding };
  const actions = { bytes: contentBytes(given), held: heldBytes(given), prepare: async () => [action] };
  const commit = await commitFiles(context, target, actions, how, refusal);
  return { path, branch, commit };
}

/** Of single files little is told (rest-api-v4.md: a non-specific message). */
function refusal(action: Action, failed: ActionFailed): string {
  if (failed.fault === 'path') return refusalOf(action, failed);
  if (failed.fault === 'exists') {
    return 'Your changes could not be committed because a file with the same name already exists';
  }
  return NOT_COMMITTED;
}
