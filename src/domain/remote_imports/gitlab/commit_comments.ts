import { snakeCase } from '#src/base/text.ts';
import { commentPlace } from '#src/domain/gitlab_archives/relations/code.ts';
import { position } from '#src/domain/gitlab_archives/relations/positions.ts';
import { orForbidden, translated } from '#src/domain/remote_imports/base/pages.ts';
import { timesOf } from '#src/domain/remote_imports/base/records.ts';
import type { LeftOut, Page, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, listOf, objectsIn, shaIn } from '#src/domain/remote_imports/base/values.ts';
import { readPage } from '#src/domain/remote_imports/gitlab/pages.ts';
import { textWithFiles, userIn } from '#src/domain/remote_imports/gitlab/values.ts';

/** Commits that are looked at for a page of the staging, and in all: nothing lists those that have comments. */
const COMMITS = 20;
const MAX_COMMITS = 500;
/** Pages of discussions of one commit that are read. */
const MAX_PAGES = 20;

const KIND = 'commit_comments';

/** The comments on the newest commits of all branches. The cursor is the number of the page of the list of commits. */
export const commitCommentPhase: Phase = {
  name: KIND,
  part: 'merge_requests',
  page: (context, cursor) =>
    orForbidden({ name: KIND, forbidden: '' }, async () => {
      const number = Number(cursor ?? 1);
      const url = new URL(`${context.project.api}/repository/commits?all=true&per_page=${COMMITS}&page=${number}`);
      const commits = listOf((await context.client.json(url)).body, 'commits').slice(0, COMMITS);
      return { ...(await commentsOn(context, commits)), ...following(number, commits.length) };
    }),
};

function following(number: number, count: number): { next: string | null; leftOut?: LeftOut[] } {
  if (count < COMMITS) return { next: null };
  if (number * COMMITS < MAX_COMMITS) return { next: String(number + 1) };
  const message = `Comments on other commits than the newest ${MAX_COMMITS} do not come along.`;
  return { next: null, leftOut: [{ kind: KIND, name: null, message }] };
}

async function commentsOn(context: PhaseContext, commits: readonly Given[]): Promise<Pick<Page, 'records' | 'seen'>> {
  const records: StagedRecord[] = [];
  for (const commit of commits) {
    const sha = shaIn(commit, 'id');
    if (sha === null) continue;
    let query: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const path = `/repository/commits/${sha}/discussions`;
      const { entries, next }: Awaited<ReturnType<typeof readPage>> = await readPage(
        context,
        path,
        query,
        'discussions',
      );
      const list = { name: KIND, records: (given: Given) => commentRecords(given, sha, context) };
      records.push(...(await translated(list, context, entries)).records);
      if (next === null) break;
      query = next;
    }
  }
  return { records, seen: commits.length };
}

/** The comments of a discussion of a commit. */
async function commentRecords(given: Given, sha: string, context: PhaseContext): Promise<StagedRecord[]> {
  const records: StagedRecord[] = [];
  const notes = objectsIn(given, 'notes').filter(({ system }) => system !== true);
  const [first] = notes;
  if (first === undefined) return [];
  const thread = idIn(first, 'id');
  for (const [at, note] of notes.entries()) {
    const place = Object.entries(commentPlace(await position(note.position)));
    const record = {
      id: idIn(note, 'id'),
      sha,
      author_id: userIn(note, 'author', records),
      note: textWithFiles(note, 'body', context, records),
      ...Object.fromEntries(place.map(([column, value]) => [snakeCase(column), value])),
      ...(at === 0 ? { starts_thread: given.individual_note !== true } : { discussion_id: thread }),
      ...timesOf(note),
    };
    records.push({ kind: KIND, record });
  }
  return records;
}
