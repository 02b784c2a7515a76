import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { needsCommits } from '#src/domain/projects/message_placeholders.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { Pusher } from '#src/domain/repository/push_data.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { issuesClosedByMerge } from '#src/domain/tracking/merge_requests/closes_issues.ts';
import {
  type DescriptionFacts,
  type MessageFacts,
  mergeMessage,
  squashMessage,
} from '#src/domain/tracking/merge_requests/message.ts';
import { type SideTips, sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** Commits whose messages templates may name: the latest ones. */
const MAX_MESSAGES = 100;

/** What templates name of the commits of a merge request, which have to be read for that. */
type CommitFacts = Pick<DescriptionFacts, 'commits' | 'coAuthors'>;

/** What templates that need commits can name of those of a merge request. */
export async function commitFacts(
  reader: RepositoryReader,
  { from, to }: { from: Oid; to: Oid },
  author: Pick<Pusher, 'name' | 'email'>,
): Promise<CommitFacts> {
  const found = (await reader.between(from, to, { limit: MAX_MESSAGES })).reverse();
  const authors = new Set(found.map((commit) => personOf(commit.author)));
  authors.delete(personOf(author));
  return {
    coAuthors: [...authors],
    commits: found.map(({ message, parents }) => ({ message: message.toWellFormed(), isMerge: parents.length > 1 })),
  };
}

export const NO_COMMITS: CommitFacts = { commits: [], coAuthors: [] };

/** What the messages of a merge are made of. */
export async function messageFacts(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  sides: SideTips,
  merger: Pusher,
): Promise<MessageFacts> {
  const { mergeRequest, target, reader, sourceTip, targetTip } = sides;
  const { mergeCommitTemplate, squashCommitTemplate } = target.merging;
  const templates = `${mergeCommitTemplate} ${squashCommitTemplate}`;
  const author = await findPusher(context.db, mergeRequest.authorId);
  const [closed, ofCommits] = await withEffort(context, () =>
    Promise.all([
      issuesClosedByMerge(context.db, actor, sides),
      needsCommits(templates) && sourceTip !== null && targetTip !== null
        ? commitFacts(reader, { from: targetTip, to: sourceTip }, author)
        : NO_COMMITS,
    ]),
  );
  const reviews = /%\{(?:approved|reviewed)_by\}/.test(templates) ? await reviewsOf(context, mergeRequest.id) : NOBODY;
  return {
    ...mergeRequest,
    ...reviews,
    ...ofCommits,
    projectPath: project.fullPath,
    url: context.baseUrl ? `${context.baseUrl}/${project.fullPath}/-/merge_requests/${mergeRequest.iid}` : null,
    author: personOf(author),
    mergedBy: personOf(merger),
    // Readers of the repository may not be allowed to know of other projects.
    closes: closed.flatMap(({ iid, projectId }) => (projectId === project.id ? `#${iid}` : [])),
  };
}

/** The messages that the commits of a merge get if nobody writes others, as the project's templates say. */
export interface DefaultMessages {
  merge: string;
  squash: string;
}

/** What a merge by the actor would be called. Null where the repository is gone. The caller has checked that it is visible. */
export async function defaultMessages(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  id: number,
): Promise<DefaultMessages | null> {
  const sides = await sideTips(context, id);
  if (!sides) return null;
  const { mergeCommitTemplate, squashCommitTemplate } = sides.target.merging;
  const facts = await messageFacts(context, actor, project, sides, await findPusher(context.db, actor.id));
  return {
    merge: mergeMessage(facts, mergeCommitTemplate).trimEnd(),
    squash: squashMessage(facts, squashCommitTemplate).trimEnd(),
  };
}

const NOBODY = { approvers: [], reviewers: [] };

/** Who approved a merge request, and who reviewed it, in the order in which they did or were asked: some hundred at most. */
async function reviewsOf(
  { db }: Context,
  mergeRequestId: number,
): Promise<Pick<MessageFacts, 'approvers' | 'reviewers'>> {
  const asked = { orderBy: { id: 'asc' }, select: { userId: true }, take: MAX_MESSAGES } as const;
  const [approvals, reviews] = await Promise.all([
    db.mergeRequestApproval.findMany({ where: { mergeRequestId }, ...asked }),
    db.mergeRequestReviewer.findMany({
      where: { mergeRequestId, state: { notIn: ['unreviewed', 'review_started'] } },
      ...asked,
    }),
  ]);
  const people = async (rows: readonly { userId: number }[]) => {
    const found: string[] = [];
    for (const { userId } of rows) found.push(personOf(await findPusher(db, userId)));
    return found;
  };
  return { approvers: await people(approvals), reviewers: await people(reviews) };
}

function personOf({ name, email }: Pick<Pusher, 'name' | 'email'>): string {
  return `${name} <${email}>`;
}
