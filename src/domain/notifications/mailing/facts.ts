import { notePath, pagePath } from '#src/domain/namespaces/address.ts';
import { cut } from '#src/domain/notifications/mailing/cut.ts';
import {
  type Happening,
  notesIn,
  type PipelineHappening,
  peopleIn,
  type RecordHappening,
} from '#src/domain/notifications/mailing/request.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** The content of a mail, from current data. Texts are as users wrote them. */
export interface Facts {
  /** Name of the project. */
  project: string;
  /** What follows the project in the subject, with the number, such as `#4`. */
  title: string;
  number: string;
  /** The event in a sentence. */
  sentence: string;
  /** The new description, or the new notes; empty for what comes without text. Truncated where they are long. */
  texts: string[];
  /** Path of the page on the server. */
  path: string;
}

/** The content for an event; null if its record is gone. */
export function factsOf(db: Db, happening: Happening): Promise<Facts | null> {
  return 'subject' in happening ? ofRecord(db, happening) : ofPipeline(db, happening);
}

/** Characters of all texts together. */
const MOST_OF_TEXT = 20_000;

interface Read {
  iid: number;
  title: string;
  description: string | null;
  project: string;
  fullPath: string;
  actor: string;
  /** The names of those who were added, and removed. */
  added: string[];
  removed: string[];
  notes: string[];
}

async function ofRecord(db: Db, happening: RecordHappening): Promise<Facts | null> {
  const { subject, event, actorId, noteId } = happening;
  const people = peopleIn(happening);
  const isIssue = subject.type === 'Issue';
  const from = isIssue
    ? sql`issues r JOIN projects p ON p.id = r.project_id`
    : sql`merge_requests r JOIN projects p ON p.id = r.target_project_id`;
  const [read] = await db.$queryRaw<Read[]>`
    SELECT r.iid, r.title, r.description, p.name AS project, n.full_path || '/' || p.path AS "fullPath",
      (SELECT name FROM users WHERE id = ${actorId}) AS actor,
      ${namesOf(people?.added)} AS added, ${namesOf(people?.removed)} AS removed,
      ARRAY(SELECT body FROM notes WHERE id = ANY(${notesIn(happening)}::int[]) ORDER BY id) AS notes
    FROM ${from} JOIN namespaces n ON n.id = p.namespace_id WHERE r.id = ${subject.id}`;
  // No mail is sent about a note deleted meanwhile.
  if (!read || (event === 'newNote' && read.notes.length === 0)) return null;
  const page = [read.fullPath, isIssue ? 'issues' : 'merge_requests', read.iid] as const;
  const isNew = event === 'newIssue' || event === 'newMergeRequest';
  return {
    project: read.project,
    title: read.title,
    number: `${isIssue ? '#' : '!'}${read.iid}`,
    sentence: sentence(happening, read),
    texts: shown(isNew ? [read.description ?? ''] : event === 'newNote' ? read.notes : []),
    path: event === 'newNote' && noteId != null ? notePath(...page, noteId) : pagePath(...page),
  };
}

/** The texts that are not blank, up to the limit. */
function shown(texts: readonly string[]): string[] {
  let left = MOST_OF_TEXT;
  return texts.flatMap((text) => {
    const part = left > 0 ? cut(text, left) : '';
    left -= text.length;
    return part.trim() === '' ? [] : [part];
  });
}

function namesOf(userIds: readonly number[] = []): Prisma.Sql {
  return sql`ARRAY(SELECT name FROM users WHERE id = ANY(${[...userIds]}::int[]) ORDER BY id)`;
}

function sentence(happening: RecordHappening, read: Read): string {
  const { actor, added, removed } = read;
  const { event, subject, assignees } = happening;
  const what = subject.type === 'Issue' ? 'issue' : 'merge request';
  switch (event) {
    case 'newIssue':
      return `${actor} opened an issue.`;
    case 'newMergeRequest':
      return `${actor} opened a merge request.`;
    case 'newNote':
      if (read.notes.length === 1) return `${actor} commented:`;
      return `${actor} reviewed the merge request, with ${read.notes.length} comments:`;
    case 'closeIssue':
    case 'closeMergeRequest':
      return `${actor} closed the ${what}.`;
    case 'reopenIssue':
    case 'reopenMergeRequest':
      return `${actor} reopened the ${what}.`;
    case 'mergeMergeRequest':
      return `${actor} merged the merge request.`;
    case 'reassignIssue':
    case 'reassignMergeRequest':
      if (happening.people?.role === 'reviewer') return reviewSentence(read);
      if (added.length > 0) return `${actor} assigned the ${what} to ${listed(added)}.`;
      if (assignees?.to == null && removed.length < 2) return `${actor} removed the assignee of the ${what}.`;
      return `${actor} unassigned ${listed(removed)} from the ${what}.`;
  }
}

function reviewSentence({ actor, added, removed }: Read): string {
  if (added.length > 0) return `${actor} requested a review of the merge request from ${listed(added)}.`;
  return `${actor} no longer requests a review of the merge request from ${listed(removed)}.`;
}

/** `Ann, Ben and Cleo`. */
const listed = (names: string[]) => new Intl.ListFormat('en-GB').format(names);

async function ofPipeline(db: Db, { event, pipelineId }: PipelineHappening): Promise<Facts | null> {
  const [read] = await db.$queryRaw<{ ref: string; sha: string; project: string; fullPath: string }[]>`
    SELECT pl.ref, pl.sha, p.name AS project, n.full_path || '/' || p.path AS "fullPath"
    FROM pipelines pl JOIN projects p ON p.id = pl.project_id JOIN namespaces n ON n.id = p.namespace_id WHERE pl.id = ${pipelineId}`;
  if (!read) return null;
  const { ref, sha, project, fullPath } = read;
  const end = event === 'failedPipeline' ? 'has failed' : 'has succeeded';
  return {
    project,
    title: `Pipeline ${end} for ${ref}`,
    number: `#${pipelineId}`,
    sentence: `Your pipeline #${pipelineId} for ${ref} at ${sha.slice(0, 8)} ${end}.`,
    texts: [],
    path: pagePath(fullPath, 'pipelines', pipelineId),
  };
}
