import type { Change, Elsewhere, Subject } from '#src/domain/changes/change.ts';
import { titleWords } from '#src/domain/tracking/activity/title_change.ts';
import { sourceColumns, sourceKey, sourceName } from '#src/domain/tracking/references/mentions.ts';
import { isEvent } from '#src/domain/tracking/resource_events/follow.ts';
import { formatDuration } from '#src/domain/tracking/subjects/duration.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

/** Writes the system notes about changes. */
export async function writeSystemNotes(
  tx: Transaction,
  { id: authorId }: { id: number },
  { type: subjectType, id: subjectId, project }: Subject,
  changes: readonly Change[],
): Promise<void> {
  const names = await namesIn(tx, changes);
  const isMoved = changes.some(({ kind }) => kind === 'movedTo');
  const data = changes.flatMap((change) => {
    // The move already implies that it was closed.
    if (isMoved && change.kind === 'closed') return [];
    const bodies =
      change.kind === 'title'
        ? titleWords(subjectType, change.from, change.to)
        : (words(change, { ...names, projectId: project.id }) ?? []);
    const tellsEvent = isEvent(change);
    const note = { subjectType, subjectId, authorId, system: true, tellsEvent, ...sourceOf(change, project.id) };
    if (change.kind === 'discussionsContinued') {
      const body = `created #${change.issueIid} to continue this discussion`;
      return change.discussionIds.map((discussionId) => ({ ...note, body, discussionId }));
    }
    return [bodies].flat().map((body) => ({ ...note, body }));
  });
  if (data.length > 0) await tx.note.createMany({ data });
}

/** The names of users and milestones in notes, by ID. */
interface Names {
  users: ReadonlyMap<number, string>;
  milestones: ReadonlyMap<number, string>;
}

/** The text of a note about a change, in the words of that release; null for changes without a note. */
function words(change: Change, { users, milestones, projectId }: Names & { projectId: number }): string | null {
  switch (change.kind) {
    case 'closed':
      return change.via ? `closed via ${sourceName(change.via, projectId)}` : 'closed';
    case 'reopened':
    case 'merged':
      return change.kind;
    case 'mergeWhenPipelineSucceeds':
      return `enabled an automatic merge when the pipeline for ${change.sha.slice(0, 8)} succeeds`;
    case 'mergeCanceled':
      return 'canceled the automatic merge';
    case 'targetBranch':
      return `changed target branch from \`${change.from}\` to \`${change.to}\``;
    case 'commits':
      return commitWords(change);
    case 'suggestionsApplied':
      return `applied ${counted(change.count, 'suggestion')} to ${counted(change.files, 'file')} in ${change.sha}`;
    case 'sourceBranchDeleted':
      return `deleted source branch \`${change.branch}\``;
    case 'discussionsResolved':
      return 'resolved all discussions';
    case 'description':
      return 'changed the description';
    case 'labels':
      return labelWords(change);
    case 'milestone': {
      if (change.to === null) return 'removed milestone';
      const title = milestones.get(change.to);
      return title === undefined ? null : `changed milestone to %"${title}"`;
    }
    case 'assignees':
      return assigneeWords(change, users);
    case 'reviewers':
      return reviewerWords(change, users);
    case 'approved':
      return 'approved this merge request';
    case 'unapproved':
      return 'unapproved this merge request';
    case 'changesRequested':
      return 'requested changes';
    case 'reviewRequestedAgain':
      return reviewerWords({ kind: 'reviewers', from: [], to: [change.userId] }, users);
    case 'approvalsReset':
      return 'reset the approvals of this merge request';
    case 'confidential':
      return change.to ? 'made the issue confidential' : 'made the issue visible to everyone';
    case 'discussionLocked':
      return change.to ? 'locked the discussion' : 'unlocked the discussion';
    case 'linked':
      return `marked this issue as ${LINKED[change.how ?? 'relates_to']} ${nameOf(change.other, projectId)}`;
    case 'unlinked':
      return `removed the relation with ${nameOf(change.other, projectId)}`;
    case 'parentAdded':
      return `added ${nameOf(change.other, projectId)} as parent`;
    case 'parentRemoved':
      return `removed parent ${nameOf(change.other, projectId)}`;
    case 'childAdded':
      return `added ${nameOf(change.other, projectId)} as child task`;
    case 'childRemoved':
      return `removed child task ${nameOf(change.other, projectId)}`;
    case 'issueType':
      return `changed type from ${change.from} to ${change.to}`;
    case 'severity':
      return `set the severity to **${change.to}**`;
    case 'movedTo':
      return `moved to ${change.to.project.fullPath}#${change.to.iid}`;
    case 'movedFrom':
      return `moved from ${change.from.project.fullPath}#${change.from.iid}`;
    case 'timeEstimate':
      return change.seconds === 0
        ? 'removed time estimate'
        : `changed time estimate to ${formatDuration(change.seconds)}`;
    case 'timeSpent':
      return `${change.seconds < 0 ? 'subtracted' : 'added'} ${formatDuration(Math.abs(change.seconds))} of time spent`;
    case 'timeReset':
      return 'removed time spent';
    default:
      return null;
  }
}

/** What an issue is to another one that it is linked with. */
const LINKED = { relates_to: 'related to', blocks: 'blocking', is_blocked_by: 'blocked by' } as const;

/** An issue as texts in a project name it: `#4` or `group/project#4`. */
function nameOf({ iid, project }: Elsewhere, inProject: number): string {
  return `${project.id === inProject ? '' : project.fullPath}#${iid}`;
}

/** `1 file`, `2 files`. */
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `assigned to @ann and @ben and unassigned @cleo`; of a single assignee, the words of that release. */
function assigneeWords({ from, to }: Extract<Change, { kind: 'assignees' }>, users: Names['users']): string | null {
  if (to.length === 0 && from.length === 1) return 'removed assignee';
  const added = namesOf(to, from, users);
  const removed = from.length === 1 && to.length === 1 ? '' : namesOf(from, to, users);
  const parts = [added && `assigned to ${added}`, removed && `unassigned ${removed}`].filter(Boolean);
  return parts.length === 0 ? null : parts.join(' and ');
}

/** `requested review from @ann and removed review request for @ben`. */
function reviewerWords({ from, to }: Extract<Change, { kind: 'reviewers' }>, users: Names['users']): string | null {
  const [added, removed] = [namesOf(to, from, users), namesOf(from, to, users)];
  const parts = [added && `requested review from ${added}`, removed && `removed review request for ${removed}`];
  return parts.filter(Boolean).join(' and ') || null;
}

/** The users of a list who are not in the other one, such as `@ann, @ben and @cleo`. */
function namesOf(some: readonly number[], others: readonly number[], users: Names['users']): string {
  const names = some.filter((id) => !others.includes(id)).flatMap((id) => users.get(id) ?? []);
  return new Intl.ListFormat('en-GB').format(names.map((name) => `@${name}`));
}

/** The latest commits, and their number. A branch that only dropped commits has added none. */
function commitWords({ latest, total }: Extract<Change, { kind: 'commits' }>): string | null {
  if (total === 0) return null;
  const lines = latest.map(({ sha, title }) => `* ${sha.slice(0, 8)} - ${title}`);
  const more = total - latest.length;
  if (more > 0) lines.push(`* … and ${more} more`);
  return `added ${total} ${total === 1 ? 'commit' : 'commits'}\n\n${lines.join('\n')}`;
}

/** `added ~1 ~2 and removed ~3 labels`: with IDs, as labels may be renamed. */
function labelWords({ added, removed }: { added: readonly number[]; removed: readonly number[] }): string | null {
  const named = (ids: readonly number[]) => ids.map((id) => `~${id}`).join(' ');
  const parts = [
    ...(added.length > 0 ? [`added ${named(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${named(removed)}`] : []),
  ];
  if (parts.length === 0) return null;
  return `${parts.join(' and ')} ${added.length + removed.length === 1 ? 'label' : 'labels'}`;
}

/** The source of a note: those who do not see it must not read of it. */
function sourceOf(change: Change, projectId: number) {
  // Within the project, closing is no secret.
  const via = change.kind === 'closed' && change.via?.project.id !== projectId ? change.via : undefined;
  const mention = change.kind === 'closed' && change.via ? `closed ${sourceKey(change.via)}` : null;
  if (via) return { ...sourceColumns(via), mention };
  if (mention !== null) return { mention };
  const other = otherOf(change);
  return other && { sourceType: 'Issue', sourceId: other.id, sourceProjectId: other.project.id };
}

function otherOf(change: Change): Elsewhere | null {
  switch (change.kind) {
    case 'movedTo':
      return change.to;
    case 'movedFrom':
      return change.from;
    case 'linked':
    case 'unlinked':
    case 'parentAdded':
    case 'parentRemoved':
    case 'childAdded':
    case 'childRemoved':
      return change.other;
    default:
      return null;
  }
}

/** The names of everything that the changes mention, in one statement; none if they mention nothing. */
async function namesIn(tx: Transaction, changes: readonly Change[]): Promise<Names> {
  const users = changes.flatMap((change) => {
    if (change.kind === 'reviewRequestedAgain') return [change.userId];
    return change.kind === 'assignees' || change.kind === 'reviewers' ? [...change.from, ...change.to] : [];
  });
  const milestones = changes.flatMap((change) =>
    change.kind === 'milestone' && change.to !== null ? [change.to] : [],
  );
  if (users.length + milestones.length === 0) return { users: new Map(), milestones: new Map() };
  const rows = await tx.$queryRaw<{ kind: string; id: number; name: string }[]>(Prisma.sql`
    SELECT 'user' AS kind, id, username AS name FROM users WHERE id = ANY(${users}::int[])
    UNION ALL SELECT 'milestone', id, title FROM milestones WHERE id = ANY(${milestones}::int[])`);
  const named = (kind: string) => new Map(rows.filter((row) => row.kind === kind).map(({ id, name }) => [id, name]));
  return { users: named('user'), milestones: named('milestone') };
}
