import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { RefsPushed } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { findPushedProject, type PushedProject } from '#src/domain/repository/pushed_project.ts';
import { closeIssueVia } from '#src/domain/tracking/issues/close_via.ts';
import { closedIssues } from '#src/domain/tracking/references/closing.ts';
import { recordMentions } from '#src/domain/tracking/references/mentions.ts';
import { resolveRecords } from '#src/domain/tracking/references/resolve.ts';
import { GitError } from '#src/git/base/errors.ts';
import type { Commit } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Jobs } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Closes and notes the issues named in the commits of a pushed branch. */
    'commits.refer': { projectId: number; userId: number; branch: string; from: string | null; to: string };
  }
}

const BRANCHES = 'refs/heads/';
/** A push of more branches imports a whole repository, whose commits are old. */
const MAX_BRANCHES = 20;
/** Maximum number of commits of one push whose messages are read: the latest. */
const MAX_COMMITS = 100;

/**
 * Enqueues reading the messages of the pushed commits, when the transaction of the push commits. The first push to a repository,
 * which imports its history, is skipped.
 */
export async function requestReferences(
  tx: Transaction,
  { jobs }: ChangeContext,
  { project: { id: projectId, defaultBranch }, pusher: { id: userId }, changes, described }: RefsPushed,
): Promise<void> {
  const main = `${BRANCHES}${defaultBranch}`;
  const branches = changes.filter((change) => {
    const { name, from, to } = change;
    const isMeant = name.startsWith(BRANCHES) && name.isWellFormed() && to !== null && (from !== null || name !== main);
    return isMeant && mayRefer(described.get(change));
  });
  if (!jobs || defaultBranch === null || branches.length > MAX_BRANCHES) return;
  for (const { name, from, to } of branches) {
    if (to === null) continue;
    await jobs.enqueue(tx, 'commits.refer', { projectId, userId, branch: name.slice(BRANCHES.length), from, to });
  }
}

/** The commits of a change. */
type Brought = ReturnType<RefsPushed['described']['get']>;

/** Whether a message may contain a reference: a cheap test without false negatives. */
function mayRefer(described: Brought): boolean {
  if (!described || described.total > described.commits.length) return true;
  return described.commits.some(({ message }) => /[#!]\d/.test(message));
}

/**
 * Closes the issues that the commits close, if they were pushed to the default branch and the pusher may close them; other
 * references get a system note. Each commit does so once.
 */
export async function referFromCommits(
  { repositories, ...context }: ChangeContext & Pick<Context, 'repositories'>,
  { projectId, userId, branch, from, to }: Jobs['commits.refer'],
): Promise<void> {
  const project = await findPushedProject(context.db, projectId);
  const actor = await activeUser(context.db, userId);
  const reader = project && (await repositories.open(project));
  if (!project || !actor || !reader) return;
  const commits = await broughtBy(reader, project, { from, to });
  for (const commit of commits.reverse()) {
    await refer(context, actor, project, commit, branch === project.defaultBranch && project.autocloseReferencedIssues);
  }
}

/** The commits of a push; for a new branch those that are not in the default branch. Newest first. */
async function broughtBy(
  reader: RepositoryReader,
  { defaultBranch }: PushedProject,
  { from, to }: { from: string | null; to: string },
): Promise<Commit[]> {
  const base = from ?? (defaultBranch === null ? null : (await reader.branch(defaultBranch))?.commit);
  if (base == null) return [];
  try {
    return await reader.between(base, to, { limit: MAX_COMMITS });
  } catch (error) {
    // The pushed commits are gone again.
    if (error instanceof GitError) return [];
    throw error;
  }
}

async function refer(
  context: ChangeContext,
  actor: Actor,
  project: PushedProject,
  { oid: sha, message }: Commit,
  isDefault: boolean,
): Promise<void> {
  const source = { type: 'Commit', sha, project } as const;
  const closed = isDefault ? await resolveRecords(context.db, actor, project.fullPath, closedIssues(message)) : [];
  for (const { id, projectId } of closed) await closeIssueVia(context, actor, { id, projectId }, source);
  await context.db.$transaction((tx) => recordMentions(tx, actor, source, message, closed));
}
