import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  type DiffPosition,
  findInDiff,
  type GivenPosition,
  type KeptLine,
} from '#src/domain/tracking/discussions/position.ts';
import { versionDiff } from '#src/domain/tracking/merge_requests/versions.ts';
import type { Db } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** A line in a version of a merge request. */
export interface PlacedLine {
  versionId: number;
  position: DiffPosition;
  lines: KeptLine[];
}

/**
 * Finds a line in the diff of a merge request's version. It must be one that the diff shows: added, removed, or in the context.
 * Throws ValidationFailed, RateLimited, LimitExceeded.
 */
export async function placeOnDiff(
  context: Context,
  { id, project }: { id: number; project: ProjectRow },
  given: GivenPosition,
): Promise<PlacedLine> {
  const version = await findVersionOf(context.db, id, given);
  const { entries } = await versionDiff(context, { ...version, project });
  const { entry, lines } = findInDiff(entries, given);
  const line = lines.at(-1);
  const position = {
    baseSha: version.baseCommitSha,
    startSha: version.startCommitSha,
    headSha: version.headCommitSha,
    oldPath: entry.oldPath.toWellFormed(),
    newPath: entry.newPath.toWellFormed(),
    oldLine: line?.oldLine ?? null,
    newLine: line?.newLine ?? null,
  };
  return { versionId: version.id, position, lines };
}

async function findVersionOf(db: Db, mergeRequestId: number, { headSha, startSha, baseSha }: GivenPosition) {
  const select = { id: true, headCommitSha: true, startCommitSha: true, baseCommitSha: true } as const;
  const where = { mergeRequestId, headCommitSha: headSha };
  const all = await db.mergeRequestVersion.findMany({ where, select, orderBy: { id: 'desc' } });
  if (all.length === 0) throw refusal('head_sha', 'is not the head of a version of the merge request');
  const started = all.filter(({ startCommitSha }) => startCommitSha === startSha);
  if (started.length === 0) throw refusal('start_sha', 'is not that of the version');
  const version = started.find(({ baseCommitSha }) => baseCommitSha === (baseSha ?? null));
  if (!version) throw refusal('base_sha', 'is not that of the version');
  return version;
}

function refusal(field: string, message: string): ValidationFailed {
  return new ValidationFailed({ [field]: [message] });
}
