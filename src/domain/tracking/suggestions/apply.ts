import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import { commitFiles } from '#src/domain/repository/commits/create.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { linesOfFile, spanOf, textOf } from '#src/domain/tracking/discussions/file_lines.ts';
import type { DiffPosition } from '#src/domain/tracking/discussions/position.ts';
import { resolveThreads } from '#src/domain/tracking/discussions/resolve.ts';
import { traceDiscussions } from '#src/domain/tracking/discussions/trace.ts';
import { requireSourcePush } from '#src/domain/tracking/merge_requests/push_source.ts';
import { refreshMergeRequest } from '#src/domain/tracking/merge_requests/refresh.ts';
import { locateNoteable, type Noteable, touchNoteable } from '#src/domain/tracking/noteable.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Action } from '#src/git/write/actions.ts';
import { BadRequest, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** Maximum number of suggestions that one commit applies. */
const MAX_SUGGESTIONS = 100;

/** A suggestion with its thread. */
interface Suggested {
  id: number;
  mergeRequestId: number;
  discussionId: number;
  linesAbove: number;
  linesBelow: number;
  fromContent: string;
  toContent: string;
  commitSha: string | null;
  outdated: boolean;
  position: DiffPosition | null;
}

/**
 * Applies suggestions on a merge request: commits their lines to the source branch, as one commit of the actor, who may push there,
 * and resolves their threads. Throws NotFound, Forbidden, BadRequest, ValidationFailed.
 */
export async function applySuggestions(
  context: Context,
  given: readonly number[],
  message: string | null | undefined,
): Promise<void> {
  const actor = requireActor(context);
  const ids = [...new Set(given)];
  if (ids.length === 0) throw new ValidationFailed({ ids: ["can't be empty"] });
  if (ids.length > MAX_SUGGESTIONS)
    throw new ValidationFailed({ ids: [`has too many entries (maximum is ${MAX_SUGGESTIONS})`] });
  const wrong = lengthError(message);
  if (wrong) throw new ValidationFailed({ commit_message: [wrong] });
  const noteable = await mergeRequestOf(context, await findSuggested(context, ids));
  const source = await requireSource(context, actor, noteable);
  const suggested = await current(context, actor, noteable, ids, source.tip);
  for (const one of suggested) requireAppliable(one);
  const files = byFile(suggested);
  const bytes = suggested.reduce((sum, { toContent }) => sum + Buffer.byteLength(toContent), 0);
  const commit = await commitFiles(
    context,
    { actor, pusher: await findPusher(context.db, actor.id), project: source.project, branch: source.branch },
    {
      paths: [...files.keys()],
      files: [...files.keys()].map((path) => ({ path, size: null })),
      bytes,
      held: bytes,
      alone: true,
      prepare: async ({ reader, tip }) => {
        if (tip === null || tip !== source.tip)
          throw new BadRequest('The source branch has moved. Try again.').asWrongState();
        return Promise.all([...files].map(([path, some]) => rewritten(reader, tip, path, some)));
      },
    },
    { message: message?.trim() || `Apply ${suggested.length} suggestion(s) to ${files.size} file(s)` },
  );
  await context.db.$transaction(async (tx) => {
    await touchNoteable(tx, noteable);
    await tx.suggestion.updateMany({ where: { id: { in: ids }, commitSha: null }, data: { commitSha: commit.oid } });
    const { id, iid, title, project } = noteable;
    const subject = { type: 'MergeRequest', id, iid: iid ?? 0, title, project } as const;
    const change = { kind: 'suggestionsApplied', count: suggested.length, files: files.size, sha: commit.oid } as const;
    await recordSubjectChanges(tx, context, actor, subject, [change]);
    const discussionIds = suggested.map(({ discussionId }) => discussionId);
    await resolveThreads(tx, context, actor, noteable, discussionIds);
  });
}

/** All of these suggestions. Throws NotFound. */
async function findSuggested({ db }: Context, ids: readonly number[]): Promise<Suggested[]> {
  const found = await db.$queryRaw<Suggested[]>`
    SELECT su.id, d.merge_request_id AS "mergeRequestId", d.id AS "discussionId", su.lines_above AS "linesAbove",
      su.lines_below AS "linesBelow", su.from_content AS "fromContent", su.to_content AS "toContent", su.commit_sha AS "commitSha",
      su.outdated, d.position
    FROM suggestions su JOIN notes n ON n.id = su.note_id JOIN discussions d ON d.id = COALESCE(n.discussion_id, n.id)
    WHERE su.id = ANY(${[...ids]}::int[]) ORDER BY su.id`;
  if (found.length < ids.length) throw new NotFound('Suggestion');
  return found;
}

/** The only merge request of the suggestions, which the actor sees. Throws NotFound, BadRequest. */
async function mergeRequestOf(context: Context, suggested: readonly Suggested[]): Promise<Noteable> {
  const on = [...new Set(suggested.map(({ mergeRequestId }) => mergeRequestId))];
  const noteables: Noteable[] = [];
  for (const id of on) {
    noteables.push(
      await locateNoteable(context, { type: 'MergeRequest', id }).catch((error) => {
        throw error instanceof NotFound ? new NotFound('Suggestion') : error;
      }),
    );
  }
  const [noteable, other] = noteables;
  if (!noteable || other) throw new BadRequest('Suggestions must all be on the same merge request');
  return noteable;
}

/** The source branch, if the actor may push to it. Throws Forbidden, BadRequest. */
async function requireSource(context: Context, actor: Actor, { id }: Noteable) {
  const mergeRequest = await context.db.mergeRequest.findUniqueOrThrow({
    where: { id },
    select: { state: true, sourceProjectId: true, sourceBranch: true },
  });
  const { project, tip } = await requireSourcePush(context, actor, mergeRequest);
  if (mergeRequest.state !== 'opened')
    throw new BadRequest('The merge request is not open').asWrongState(mergeRequest.state);
  return { project, tip, branch: mergeRequest.sourceBranch };
}

/** The suggestions where they are at the tip of the source branch, even if it moved just now. */
async function current(
  context: Context,
  actor: Actor,
  { id }: Noteable,
  ids: readonly number[],
  tip: Oid,
): Promise<Suggested[]> {
  const found = await findSuggested(context, ids);
  if (found.every(({ position }) => position === null || position.headSha === tip)) return found;
  await refreshMergeRequest(context, id, actor.id);
  await traceDiscussions(context, id);
  return findSuggested(context, ids);
}

/** Throws BadRequest if the suggestion was applied, is outdated or changes nothing. */
function requireAppliable({ commitSha, outdated, position, fromContent, toContent }: Suggested): void {
  if (commitSha !== null) throw new BadRequest('A suggestion is not applicable: it was applied already').asWrongState();
  if (outdated || position === null)
    throw new BadRequest('A suggestion is not applicable: its lines have changed').asWrongState();
  if (fromContent === toContent)
    throw new BadRequest('A suggestion is not applicable: it changes nothing').asWrongState();
}

function byFile(suggested: readonly Suggested[]): Map<string, Suggested[]> {
  return Map.groupBy(suggested, ({ position }) => position?.newPath ?? '');
}

/** A file with the suggested lines. Throws BadRequest for suggestions of the same lines, and for lines that have changed. */
async function rewritten(
  reader: RepositoryReader,
  tip: Oid,
  path: string,
  suggested: readonly Suggested[],
): Promise<Action> {
  const lines = await linesOfFile(reader, tip, path);
  if (!lines) throw new BadRequest('A suggestion is not applicable: the file is gone, or too large').asWrongState();
  const spans = suggested
    .map((one) => ({ ...one, ...spanOf(one.position?.newLine ?? 0, one) }))
    .sort((one, other) => other.from - one.from);
  let above = Number.POSITIVE_INFINITY;
  for (const { from, to, fromContent, toContent } of spans) {
    if (to >= above) throw new BadRequest('Suggestions are not applicable: they change the same lines').asWrongState();
    if (textOf(lines, { from, to }) !== fromContent) {
      throw new BadRequest('A suggestion is not applicable: its lines have changed').asWrongState();
    }
    lines.splice(from - 1, to - from + 1, asIn(lines, from, toContent));
    above = from;
  }
  return { action: 'update', path, content: Buffer.from(lines.join(''), 'latin1') };
}

/** The new lines with the ends of those that they replace, in Latin-1. */
function asIn(lines: readonly string[], from: number, toContent: string): string {
  const replaced = lines[from - 1] ?? '';
  const text = replaced.endsWith('\r\n') ? toContent.replaceAll('\n', '\r\n') : toContent;
  return Buffer.from(text, 'utf8').toString('latin1');
}
