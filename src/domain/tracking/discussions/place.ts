import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  type DiffPosition,
  detailsOf,
  findInDiff,
  type GivenPosition,
  hiddenLine,
  type KeptLine,
  kept,
  LineMissing,
} from '#src/domain/tracking/discussions/position.ts';
import { versionDiff } from '#src/domain/tracking/merge_requests/versions.ts';
import { isLimit } from '#src/git/base/errors.ts';
import { isOid, type Oid } from '#src/git/base/model.ts';
import type { DiffEntry } from '#src/git/diff/diff.ts';
import type { Db } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** A line in a version of a merge request. */
export interface PlacedLine {
  versionId: number;
  position: DiffPosition;
  lines: KeptLine[];
}

/**
 * Finds a line or a file in the diff of a merge request's version. A line must be one that the diff shows: added, removed, or in
 * the context. Throws ValidationFailed, RateLimited, LimitExceeded.
 *
 * @param lenient finds the version by its head alone, or by any commit of the merge request, and takes unchanged lines that the
 * diff does not show, as the REST API does
 */
export async function placeOnDiff(
  context: Context,
  { id, project }: { id: number; project: ProjectRow },
  given: GivenPosition,
  lenient = false,
): Promise<PlacedLine> {
  const version = lenient
    ? await anyVersionOf(context, { id, project }, given)
    : await findVersionOf(context.db, id, given);
  const { entries } = await versionDiff(context, { ...version, project });
  const { entry, lines: shown } = findInDiff(entries, given);
  const isOfLine = (given.positionType ?? 'text') === 'text';
  const lines =
    isOfLine && lenient && shown.length === 0
      ? await hiddenIn(context, project, version.headCommitSha, entry, given)
      : shown;
  const line = lines.at(-1);
  if (isOfLine && !line) throw new LineMissing(given.newLine == null ? 'old_line' : 'new_line');
  const position = {
    baseSha: version.baseCommitSha,
    startSha: version.startCommitSha,
    headSha: version.headCommitSha,
    oldPath: entry.oldPath.toWellFormed(),
    newPath: entry.newPath.toWellFormed(),
    oldLine: line?.oldLine ?? null,
    newLine: line?.newLine ?? null,
    ...detailsOf(given),
  };
  return { versionId: version.id, position, lines };
}

const VERSION = { id: true, headCommitSha: true, startCommitSha: true, baseCommitSha: true } as const;

async function findVersionOf(db: Db, mergeRequestId: number, { headSha, startSha, baseSha }: GivenPosition) {
  const where = { mergeRequestId, headCommitSha: headSha };
  const all = await db.mergeRequestVersion.findMany({ where, select: VERSION, orderBy: { id: 'desc' } });
  if (all.length === 0) throw refusal('head_sha', 'is not the head of a version of the merge request');
  const started = all.filter(({ startCommitSha }) => startCommitSha === startSha);
  if (started.length === 0) throw refusal('start_sha', 'is not that of the version');
  const version = started.find(({ baseCommitSha }) => baseCommitSha === (baseSha ?? null));
  if (!version) throw refusal('base_sha', 'is not that of the version');
  return version;
}

/** The version with those commits, else the latest with that head, else the latest one if the head is a commit of it. */
async function anyVersionOf(
  { db, repositories }: Context,
  { id: mergeRequestId, project }: { id: number; project: ProjectRow },
  { headSha, startSha, baseSha }: GivenPosition,
) {
  const same = { headCommitSha: headSha, startCommitSha: startSha, baseCommitSha: baseSha ?? null };
  for (const where of [same, { headCommitSha: headSha }]) {
    const found = await db.mergeRequestVersion.findFirst({
      where: { mergeRequestId, ...where },
      select: VERSION,
      orderBy: { id: 'desc' },
    });
    if (found) return found;
  }
  const latest = await db.mergeRequestVersion.findFirst({
    where: { mergeRequestId },
    select: VERSION,
    orderBy: { id: 'desc' },
  });
  const reader = latest && (await repositories.open(project));
  const commit = reader && isOid(headSha) ? await reader.commit(headSha) : null;
  if (latest && reader && commit && (await reader.isAncestor(headSha, latest.headCommitSha))) {
    if (!(await reader.isAncestor(headSha, latest.startCommitSha))) return latest;
  }
  throw refusal('head_sha', 'is not a commit of the merge request');
}

/** Bytes of the largest file with lines beyond those that the diff shows. */
const MAX_FILE_BYTES = 1024 * 1024;

/** An unchanged line that the diff does not show; none if the file has no such line. */
async function hiddenIn(
  { repositories }: Context,
  project: ProjectRow,
  head: Oid,
  entry: DiffEntry,
  given: GivenPosition,
): Promise<KeptLine[]> {
  const line = hiddenLine(entry, given);
  const reader = line && (await repositories.open(project));
  const file = reader && (await reader.entry(head, entry.newPath));
  if (!line || !reader || file?.type !== 'blob') return [];
  const content = await reader.blob(file.oid, MAX_FILE_BYTES).catch((error) => {
    if (isLimit(error, 'size')) return null;
    throw error;
  });
  const lines = content?.toString('utf8').split('\n') ?? [];
  if (lines.at(-1) === '') lines.pop();
  const text = lines[line.newLine - 1];
  return text === undefined ? [] : [kept({ type: 'unchanged', ...line, text })];
}

function refusal(field: string, message: string): ValidationFailed {
  return new ValidationFailed({ [field]: [message] });
}
