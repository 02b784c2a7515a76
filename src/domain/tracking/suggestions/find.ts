import { spanOf } from '#src/domain/tracking/discussions/file_lines.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import type { SuggestionFacts } from '#src/platform/records/computed_types.ts';

const { sql } = Prisma;

/** A SQL expression for a suggestion (`su`) on the line of a thread (`nd`), with these expressions for its merge request. */
export function suggestionJson({
  isOpen,
  sourceProjectId,
  sourceBranch,
}: Record<'isOpen' | 'sourceProjectId' | 'sourceBranch', Prisma.Sql>): Prisma.Sql {
  return sql`json_build_object('id', su.id, 'linesAbove', su.lines_above, 'linesBelow', su.lines_below, 'fromContent', su.from_content,
    'toContent', su.to_content, 'commitSha', su.commit_sha,
    'line', COALESCE(nd.position ->> 'newLine', nd.original_position ->> 'newLine')::int,
    'isOutdated', su.outdated OR nd.position IS NULL, 'isOpen', ${isOpen},
    'sourceProjectId', ${sourceProjectId}, 'sourceBranch', ${sourceBranch})`;
}

/** The suggestions with these IDs, in their order; the caller has checked that they are visible. */
export async function findSuggestions({ db }: { db: Db }, ids: readonly number[]): Promise<SuggestionFacts[]> {
  const ofMergeRequest = {
    isOpen: sql`m.state = 'opened'`,
    sourceProjectId: sql`m.source_project_id`,
    sourceBranch: sql`m.source_branch`,
  };
  const rows = await db.$queryRaw<{ found: SuggestionFacts }[]>`
    SELECT ${suggestionJson(ofMergeRequest)} AS found
    FROM suggestions su JOIN notes n ON n.id = su.note_id JOIN discussions nd ON nd.id = COALESCE(n.discussion_id, n.id)
      JOIN merge_requests m ON m.id = nd.merge_request_id
    WHERE su.id = ANY(${[...ids]}::int[]) ORDER BY array_position(${[...ids]}::int[], su.id)`;
  return rows.map(({ found }) => found);
}

/** Whether a suggestion could be applied, by what is known without looking into the repository. */
export function isAppliable({ commitSha, isOutdated, isOpen, fromContent, toContent }: SuggestionFacts): boolean {
  return commitSha === null && !isOutdated && isOpen && fromContent !== toContent;
}

/** The lines that a suggestion replaces. */
export function suggestedSpan(facts: SuggestionFacts): { from: number; to: number } {
  return spanOf(facts.line, facts);
}
