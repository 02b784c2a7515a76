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
import type { Language, Texts } from '#src/platform/texts/texts.ts';

const { sql } = Prisma;

/** The content of a mail, from current data. Texts are as users wrote them. */
export interface Facts {
  /** Name of the project, and its full path. */
  project: string;
  projectPath: string;
  /** Name of the user who did it; null for pipelines. */
  actor: string | null;
  /** The number of the record in its project; of pipelines their ID. */
  iid: number;
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

/** The content for an event, in the language of `texts`; null if its record is gone. */
export function factsOf(db: Db, happening: Happening, texts: Texts): Promise<Facts | null> {
  return 'subject' in happening ? ofRecord(db, happening, texts) : ofPipeline(db, happening, texts);
}

/** Characters of all texts together. */
const MAX_TEXT_CHARACTERS = 20_000;

interface Read {
  iid: number;
  title: string;
  description: string | null;
  project: string;
  fullPath: string;
  /** Null if nobody did it. */
  actor: string | null;
  /** Of an open issue, as YYYY-MM-DD; null if it has none. */
  dueDate: string | null;
  /** The names of those who were added, and removed. */
  added: string[];
  removed: string[];
  notes: string[];
}

async function ofRecord(db: Db, happening: RecordHappening, texts: Texts): Promise<Facts | null> {
  const { subject, event, actorId, noteId } = happening;
  const people = peopleIn(happening);
  const isIssue = subject.type === 'Issue';
  const from = isIssue
    ? sql`issues r JOIN projects p ON p.id = r.project_id`
    : sql`merge_requests r JOIN projects p ON p.id = r.target_project_id`;
  const [read] = await db.$queryRaw<Read[]>`
    SELECT r.iid, r.title, r.description, p.name AS project, n.full_path || '/' || p.path AS "fullPath",
      (SELECT name FROM users WHERE id = ${actorId}::int) AS actor,
      ${isIssue ? sql`CASE r.state WHEN 'opened' THEN r.due_date::text END` : sql`NULL`} AS "dueDate",
      ${namesOf(people?.added)} AS added, ${namesOf(people?.removed)} AS removed,
      ARRAY(SELECT body FROM notes WHERE id = ANY(${notesIn(happening)}::int[]) ORDER BY id) AS notes
    FROM ${from} JOIN namespaces n ON n.id = p.namespace_id WHERE r.id = ${subject.id}`;
  // No mail is sent about a note deleted meanwhile, and no reminder of what is done or put off.
  if (!read || (event === 'newNote' && read.notes.length === 0)) return null;
  if (event === 'issueDue' && read.dueDate !== happening.dueDate) return null;
  const page = [read.fullPath, isIssue ? 'issues' : 'merge_requests', read.iid] as const;
  const isNew = event === 'newIssue' || event === 'newMergeRequest';
  return {
    project: read.project,
    projectPath: read.fullPath,
    actor: read.actor,
    iid: read.iid,
    title: read.title,
    number: `${isIssue ? '#' : '!'}${read.iid}`,
    sentence: sentence(happening, read, texts),
    texts: shown(isNew ? [read.description ?? ''] : event === 'newNote' ? read.notes : []),
    path: event === 'newNote' && noteId != null ? notePath(...page, noteId) : pagePath(...page),
  };
}

/** The texts that are not blank, up to the limit. */
function shown(texts: readonly string[]): string[] {
  let left = MAX_TEXT_CHARACTERS;
  return texts.flatMap((text) => {
    const part = left > 0 ? cut(text, left) : '';
    left -= text.length;
    return part.trim() === '' ? [] : [part];
  });
}

function namesOf(userIds: readonly number[] = []): Prisma.Sql {
  return sql`ARRAY(SELECT name FROM users WHERE id = ANY(${[...userIds]}::int[]) ORDER BY id)`;
}

function sentence(happening: RecordHappening, read: Read, { language, t }: Texts): string {
  const { notes } = read;
  const actor = read.actor ?? '';
  const { event, subject, assignees } = happening;
  const isIssue = subject.type === 'Issue';
  const [added, removed] = [listed(read.added, language), listed(read.removed, language)];
  switch (event) {
    case 'issueDue':
      return t('The issue is due on {date}.', { date: day(read.dueDate ?? '', language) });
    case 'newIssue':
      return t('{actor} opened an issue.', { actor });
    case 'newMergeRequest':
      return t('{actor} opened a merge request.', { actor });
    case 'newNote':
      if (notes.length === 1) return t('{actor} commented:', { actor });
      return t('{actor} reviewed the merge request, with {count} comments:', { actor, count: notes.length });
    case 'closeIssue':
      return t('{actor} closed the issue.', { actor });
    case 'closeMergeRequest':
      return t('{actor} closed the merge request.', { actor });
    case 'reopenIssue':
      return t('{actor} reopened the issue.', { actor });
    case 'reopenMergeRequest':
      return t('{actor} reopened the merge request.', { actor });
    case 'mergeMergeRequest':
      return t('{actor} merged the merge request.', { actor });
    case 'reassignIssue':
    case 'reassignMergeRequest':
      if (happening.people?.role === 'reviewer') {
        return added !== ''
          ? t('{actor} requested a review of the merge request from {added}.', { actor, added })
          : t('{actor} no longer requests a review of the merge request from {removed}.', { actor, removed });
      }
      if (added !== '') {
        return isIssue
          ? t('{actor} assigned the issue to {added}.', { actor, added })
          : t('{actor} assigned the merge request to {added}.', { actor, added });
      }
      if (assignees?.to == null && read.removed.length < 2) {
        return isIssue
          ? t('{actor} removed the assignee of the issue.', { actor })
          : t('{actor} removed the assignee of the merge request.', { actor });
      }
      return isIssue
        ? t('{actor} unassigned {removed} from the issue.', { actor, removed })
        : t('{actor} unassigned {removed} from the merge request.', { actor, removed });
  }
}

/** A date as people write it, from YYYY-MM-DD. */
function day(date: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'full',
    timeZone: 'UTC',
  });
  return format.format(new Date(date));
}

/** `Ann, Ben and Cleo`; empty for nobody. */
function listed(names: string[], language: Language): string {
  return new Intl.ListFormat(language === 'en' ? 'en-GB' : language).format(names);
}

async function ofPipeline(db: Db, { event, pipelineId }: PipelineHappening, { t }: Texts): Promise<Facts | null> {
  const [read] = await db.$queryRaw<{ ref: string; sha: string; project: string; fullPath: string }[]>`
    SELECT pl.ref, pl.sha, p.name AS project, n.full_path || '/' || p.path AS "fullPath"
    FROM pipelines pl JOIN projects p ON p.id = pl.project_id JOIN namespaces n ON n.id = p.namespace_id WHERE pl.id = ${pipelineId}`;
  if (!read) return null;
  const { ref, sha, project, fullPath } = read;
  const hasFailed = event === 'failedPipeline';
  const facts = { id: pipelineId, ref, sha: sha.slice(0, 8) };
  return {
    project,
    projectPath: fullPath,
    actor: null,
    iid: pipelineId,
    title: hasFailed ? t('Pipeline has failed for {ref}', facts) : t('Pipeline has succeeded for {ref}', facts),
    number: `#${pipelineId}`,
    sentence: hasFailed
      ? t('Your pipeline #{id} for {ref} at {sha} has failed.', facts)
      : t('Your pipeline #{id} for {ref} at {sha} has succeeded.', facts),
    texts: [],
    path: pagePath(fullPath, 'pipelines', pipelineId),
  };
}
