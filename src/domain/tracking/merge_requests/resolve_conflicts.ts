import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { commitInTurn } from '#src/domain/repository/branch_turn.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { lockRefusal } from '#src/domain/repository/lfs_refusals.ts';
import { requireAllowedCommit } from '#src/domain/repository/push_rules/of_commit.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { COPY_TIMEOUT_MS, withCommits } from '#src/domain/repository/take_commits.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import { resolvedMessage, tooLong } from '#src/domain/tracking/merge_requests/conflicts.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { requireSourcePush } from '#src/domain/tracking/merge_requests/push_source.ts';
import { refreshMergeRequest } from '#src/domain/tracking/merge_requests/refresh.ts';
import { type SideTips, sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { isLimit } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import { RefusedObjects } from '#src/git/incoming/quarantine.ts';
import { bothOf } from '#src/git/write/conflict_regions.ts';
import { type ConflictedFile, MAX_FILES, MAX_REGIONS, MAX_SIDE_BYTES } from '#src/git/write/conflicts.ts';
import { NothingChanged } from '#src/git/write/errors.ts';
import { mergeResolved } from '#src/git/write/resolved_merge.ts';
import type { CommitSeries } from '#src/git/write/series.ts';
import { BadRequest, Forbidden, NotFound, ValidationFailed, WrongState } from '#src/platform/errors.ts';

/** Which side of a region is taken. */
export type ConflictChoice = 'ours' | 'theirs' | 'both';

/** How the conflicts of a file are resolved: by a choice for each region, or by its whole text. */
export interface FileResolution {
  path: string;
  choices?: readonly ConflictChoice[] | null | undefined;
  text?: string | null | undefined;
}

export interface Resolutions {
  /** The commits whose conflicts were shown: of the source branch, and of the target branch. */
  sourceSha: string;
  targetSha: string;
  /** Message of the merge commit; that names both branches when absent. */
  message?: string | null | undefined;
  files: readonly FileResolution[];
}

/** The longest text of a file, in bytes: both sides of all its regions fit in. */
const MAX_TEXT_BYTES = 2 * MAX_SIDE_BYTES;

/**
 * Merges the target branch into the source branch of an open merge request, with these resolutions of all conflicts, as a push of the
 * actor, who may push there. Throws NotFound, Forbidden, BadRequest, ValidationFailed, and Conflict if one of the branches has moved since
 * the conflicts were shown.
 */
export async function resolveConflicts(
  context: Context,
  ref: IdOrPath,
  iid: number,
  given: Resolutions,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const { project, mergeRequest } = await locateMergeRequest(context, ref, iid);
  const { id, state, sourceBranch } = mergeRequest;
  if (project.archived) throw new Forbidden();
  authorize(actor, 'read_repository', project);
  const source = await requireSourcePush(context, actor, mergeRequest);
  if (state !== 'opened') throw new BadRequest('The merge request is not open').asWrongState(state);
  checkGiven(given);
  const message = given.message?.trim() || resolvedMessage(mergeRequest);
  const pusher = await findPusher(context.db, actor.id);
  const paths = given.files.map(({ path }) => path);
  const files = given.files.map(({ path, text }) => ({ path, size: text == null ? null : Buffer.byteLength(text) }));
  const bytes = files.reduce((sum, { size }) => sum + (size ?? 0), 0);
  await requireRoom(context.repositories, source.project, bytes);
  const locked = await lockRefusal(context.db, { projectId: source.project.id, userId: actor.id, paths });
  if (locked !== null) throw new BadRequest(locked);
  await requireAllowedCommit(context, { project: source.project, branch: sourceBranch, pusher, message, files });
  const make = async (series: CommitSeries) => {
    await requireTips(context, id, given);
    if (series.tip !== given.sourceSha) throw moved();
    const committer = signatureOf(pusher);
    const { sourceSha: onto, targetSha: merged } = given;
    const resolve = (files: readonly ConflictedFile[]) => resolvedTexts(files, given.files);
    const merge = { onto, merged, resolve, author: committer, committer, message };
    const oid = await mergeResolved(series.reader, merge, series.keepLock);
    series.follow(oid);
    return oid;
  };
  const sides = await requireTips(context, id, given);
  const commit = { actor, pusher, project: source.project, branch: sourceBranch, bytes, alone: true, make };
  try {
    await withEffort(context, () => withTarget(context, sides, given.targetSha, () => commitInTurn(context, commit)));
  } catch (error) {
    throw failureOf(error);
  }
  await withEffort(context, () => refreshMergeRequest(context, id, actor.id));
  return { project, id };
}

/** The sides, if the branches are where they were. Throws NotFound, Conflict. */
async function requireTips(context: Context, id: number, { sourceSha, targetSha }: Resolutions): Promise<SideTips> {
  const sides = await sideTips(context, id);
  if (!sides) throw new NotFound('MergeRequest');
  if (sides.sourceTip !== sourceSha || sides.targetTip !== targetSha) throw moved();
  return sides;
}

function moved(): WrongState {
  return new WrongState('A branch has moved since the conflicts were shown. Resolve them again.');
}

/** Runs work while the commit of the target branch is in the repository of the source. Throws as withCommits. */
async function withTarget<T>(
  context: Context,
  { target, source }: SideTips,
  oid: Oid,
  work: () => Promise<T>,
): Promise<T> {
  if (source === null) throw new Forbidden('Cannot push to source branch');
  if (source.id === target.id) return work();
  const place = await findPushedProject(context.db, source.id);
  if (!place) throw new Forbidden('Cannot push to source branch');
  return withCommits(context, { source: target, target: place, oids: [oid] }, COPY_TIMEOUT_MS, async () => {
    await requireRoom(context.repositories, place, 0);
    return work();
  });
}

function failureOf(error: unknown): unknown {
  if (error instanceof NothingChanged) return new BadRequest(error.message).asWrongState();
  if (error instanceof RefusedObjects) return new BadRequest(`${NOT_COMMITTED}: ${error.message}`);
  return isLimit(error, 'work') ? tooLong() : error;
}

/** Throws ValidationFailed for what no file can be resolved by. */
function checkGiven({ message, files }: Resolutions): void {
  const wrong = lengthError(message);
  if (wrong) throw new ValidationFailed({ message: [wrong] });
  if (files.length > MAX_FILES)
    throw new ValidationFailed({ files: [`has too many entries (maximum is ${MAX_FILES})`] });
  const seen = new Set<string>();
  for (const { path, choices, text } of files) {
    if (seen.has(path)) throw wrongFile(path, 'is given twice');
    seen.add(path);
    if ((choices == null) === (text == null)) throw wrongFile(path, 'needs either choices or a text');
    if ((choices?.length ?? 0) > MAX_REGIONS) throw wrongFile(path, 'has more choices than regions');
    if (text != null && Buffer.byteLength(text) > MAX_TEXT_BYTES)
      throw wrongFile(path, `is too long (maximum is ${MAX_TEXT_BYTES} bytes)`);
  }
}

/** The contents of the files with conflicts. Throws ValidationFailed for those that are not resolved, BadRequest for those that cannot be. */
function resolvedTexts(files: readonly ConflictedFile[], given: readonly FileResolution[]): string[] {
  const impossible = files.find(({ kind }) => kind !== 'text');
  if (impossible)
    throw new BadRequest(
      `${impossible.path} cannot be resolved here. Resolve the conflicts in a clone.`,
    ).asWrongState();
  const known = new Set(files.map(({ path }) => path));
  const stray = given.find(({ path }) => !known.has(path));
  if (stray) throw wrongFile(stray.path, 'has no conflicts');
  return files.map((file) => {
    const resolution = given.find(({ path }) => path === file.path);
    if (!resolution) throw wrongFile(file.path, 'is not resolved');
    return resolution.text != null ? textOf(file, resolution.text) : chosenText(file, resolution.choices ?? []);
  });
}

function chosenText({ path, parts }: ConflictedFile, choices: readonly ConflictChoice[]): string {
  const count = parts.filter((part) => 'ours' in part).length;
  if (choices.length !== count) throw wrongFile(path, `has ${count} regions, and ${choices.length} choices were given`);
  let at = 0;
  return parts
    .map((part) => {
      if ('text' in part) return part.text;
      const choice = choices[at++] ?? 'ours';
      return choice === 'both' ? bothOf(part) : part[choice];
    })
    .join('');
}

/** Marks of conflicts as git writes them: the beginning and the end of a region. */
const MARKS = [/^<{7}(?: |\r?$)/m, /^>{7}(?: |\r?$)/m];

/** Throws ValidationFailed if somebody left marks of conflicts in the text, which neither side has. */
function textOf({ path, parts }: ConflictedFile, text: string): string {
  const sides = parts.flatMap((part) => ('text' in part ? [part.text] : [part.ours, part.theirs]));
  const isMarked =
    MARKS.every((mark) => mark.test(text)) && !sides.some((side) => MARKS.some((mark) => mark.test(side)));
  if (isMarked) throw wrongFile(path, 'still has conflict markers');
  return text;
}

function wrongFile(path: string, message: string): ValidationFailed {
  return new ValidationFailed({ files: [`File ${path} ${message}`] });
}
