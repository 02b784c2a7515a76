import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { type ChangeContext, recordSubjectChanges } from '#src/domain/changes/record.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { resolveThreads } from '#src/domain/tracking/discussions/resolve.ts';
import { mayResolve } from '#src/domain/tracking/discussions/rights.ts';
import { TITLE_LENGTH } from '#src/domain/tracking/issues/attributes.ts';
import { createIssue, type NewIssue } from '#src/domain/tracking/issues/create.ts';
import { type Noteable, touchNoteable } from '#src/domain/tracking/noteable.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** The threads that a new issue continues. */
interface FollowUpInput {
  /** Number of a merge request of the project. */
  mergeRequestToResolveDiscussionsOf?: number | null | undefined;
  /** One of its threads; all unresolved ones when absent. */
  discussionToResolve?: number | null | undefined;
  /** Whether to skip missing and unresolvable threads without an error, as the REST API does. */
  ignoreForbidden?: boolean | undefined;
}

/** What an issue continues, and its default texts. */
interface FollowUp {
  mergeRequest: Noteable;
  discussionIds: number[];
  /** False if the actor may only open issues. */
  mayResolve: boolean;
  title: string;
  description: string;
}

/** Maximum number of threads that one issue continues, characters quoted of each, and of all. */
const MAX_THREADS = 1_000;
const QUOTED = 1_000;
const DESCRIPTION = 50_000;

/** Opens an issue that continues threads, if any are given. Throws as createIssue. */
export function createIssueFollowingUp(context: Context, given: NewIssue & FollowUpInput): Promise<ChangedRecord> {
  return createIssue(context, given, async (actor, project) => {
    const followUp = await followUpOn(context, actor, project, given);
    return followUp && { ...followUp, openIn: (tx, open) => resolveByIssue(tx, context, actor, followUp, open) };
  });
}

/** What a new issue of the project continues; null for nothing. Throws NotFound, Forbidden, ValidationFailed. */
async function followUpOn(
  { db }: Context,
  actor: Actor,
  project: ProjectRow,
  { mergeRequestToResolveDiscussionsOf: iid, discussionToResolve, ignoreForbidden = false }: FollowUpInput,
): Promise<FollowUp | null> {
  if (iid == null) {
    if (discussionToResolve == null || ignoreForbidden) return null;
    throw new ValidationFailed({ merge_request_to_resolve_discussions_of: ["can't be blank"] });
  }
  const select = { id: true, iid: true, title: true, authorId: true } as const;
  const found = can(actor, 'read_merge_request', project)
    ? await db.mergeRequest.findFirst({ where: { targetProjectId: project.id, iid }, select })
    : null;
  if (!found && !ignoreForbidden) throw new NotFound('MergeRequest');
  const threads = found ? await threadsOf(db, found.id, discussionToResolve ?? null) : [];
  if (discussionToResolve != null && threads.length === 0 && !ignoreForbidden) throw new NotFound('Discussion');
  if (!found || threads.length === 0) return null;
  const mergeRequest: Noteable = { type: 'MergeRequest', ...found, project };
  const isPermitted = mayResolve(actor, project, mergeRequest);
  if (!isPermitted && !ignoreForbidden) throw new Forbidden('Only developers and the author can resolve its threads');
  return {
    mergeRequest,
    discussionIds: threads.map(({ id }) => id),
    mayResolve: isPermitted,
    title: titleFor(mergeRequest.title),
    description: descriptionFor(pagePath(project.fullPath, 'merge_requests', iid), iid, threads),
  };
}

/** Resolves what an issue continues, with a note in each thread; in the transaction that opens the issue, before numbering it. */
async function resolveByIssue(
  tx: Transaction,
  context: ChangeContext,
  actor: Actor,
  { mergeRequest, discussionIds, mayResolve }: FollowUp,
  open: () => Promise<{ id: number; iid: number }>,
): Promise<{ id: number; iid: number }> {
  if (!mayResolve) return open();
  await touchNoteable(tx, mergeRequest);
  const issue = await open();
  const { id, title, project } = mergeRequest;
  const subject = { type: 'MergeRequest', id, iid: mergeRequest.iid ?? 0, title, project } as const;
  const left = await tx.discussion.findMany({ where: { id: { in: discussionIds } }, select: { id: true } });
  const ids = left.map((thread) => thread.id);
  await recordSubjectChanges(tx, context, actor, subject, [
    { kind: 'discussionsContinued', discussionIds: ids, issueIid: issue.iid },
  ]);
  await resolveThreads(tx, context, actor, mergeRequest, ids);
  return issue;
}

interface Shown {
  id: number;
  noteId: number;
  body: string;
  author: string;
  answers: number;
}

/** One thread of the merge request, or all unresolved ones. */
function threadsOf(db: Context['db'], mergeRequestId: number, only: number | null): Promise<Shown[]> {
  const which = only === null ? Prisma.sql`d.resolved_at IS NULL` : Prisma.sql`d.id = ${only}`;
  return db.$queryRaw<Shown[]>`
    SELECT d.id, n.id AS "noteId", left(n.body, ${QUOTED + 1}) AS body, u.username AS author,
      (SELECT count(*)::int FROM notes a WHERE a.discussion_id = d.id AND a.id <> n.id AND NOT a.system) AS answers
    FROM discussions d JOIN notes n ON n.id = d.note_id JOIN users u ON u.id = n.author_id
    WHERE d.merge_request_id = ${mergeRequestId} AND ${which} ORDER BY d.id LIMIT ${MAX_THREADS}`;
}

function titleFor(title: string): string {
  const whole = `Follow-up from "${title}"`;
  return [...whole].length <= TITLE_LENGTH ? whole : `${[...whole].slice(0, TITLE_LENGTH - 2).join('')}…"`;
}

/** A task list with a link to each thread and its first note. */
function descriptionFor(path: string, iid: number, threads: readonly Shown[]): string {
  const noun = threads.length === 1 ? 'discussion' : 'discussions';
  let text = `The following ${noun} from !${iid} should be addressed:\n`;
  for (const [at, { noteId, body, author, answers }] of threads.entries()) {
    const more = answers === 0 ? '' : ` (+${answers} ${answers === 1 ? 'comment' : 'comments'})`;
    const shown = body.length > QUOTED ? `${body.slice(0, QUOTED).toWellFormed()}…` : body;
    const quote = shown.split(/\r?\n/).map((line) => `    > ${line}\n`);
    const item = `\n- [ ] @${author} started a [discussion](${path}#note_${noteId}):${more}\n\n${quote.join('')}`;
    if (text.length + item.length > DESCRIPTION) return `${text}\n… and ${threads.length - at} more.\n`;
    text += item;
  }
  return text;
}
