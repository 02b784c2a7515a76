import type { Context } from '#src/access/permissions/actor.ts';
import {
  type FileFacts,
  refusalOf,
  refusalOfBranch,
  refusalOfMessage,
} from '#src/domain/repository/push_rules/check.ts';
import { ruleOf } from '#src/domain/repository/push_rules/find.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** A commit that the server is to make for a user. */
export interface NewCommitFacts {
  project: { id: number; defaultBranch: string | null };
  branch: string;
  pusher: { id: number; name: string; email: string };
  message: string;
  /** Of the author, if that is not the user. */
  authorEmail?: string | null | undefined;
  files: readonly FileFacts[];
}

/**
 * Throws BadRequest if the push rules of the project do not allow a commit that the server makes for a user. It is not signed, and the
 * committer is the user: neither is asked.
 */
export async function requireAllowedCommit({ db }: Pick<Context, 'db'>, commit: NewCommitFacts): Promise<void> {
  const { project, branch, pusher, message, files } = commit;
  const rule = await ruleOf(db, project.id);
  if (!rule) return;
  const facts = {
    ...{ oid: null, message, authorEmail: commit.authorEmail?.trim() || pusher.email, isSigned: true },
    ...{ committerName: pusher.name, committerEmail: pusher.email },
  };
  const checked = { rule: { ...rule, commitCommitterCheck: false }, pusher, commits: [facts], files };
  refuse((await refusalOfBranch(rule, branch, project.defaultBranch)) ?? (await refusalOf(db, checked)));
}

/** Throws BadRequest if the push rules of the project do not allow a new branch of this name. */
export async function requireAllowedBranch(
  { db }: Pick<Context, 'db'>,
  project: { id: number; defaultBranch: string | null },
  branch: string,
): Promise<void> {
  const rule = await ruleOf(db, project.id);
  if (rule) refuse(await refusalOfBranch(rule, branch, project.defaultBranch));
}

/** Throws BadRequest if the push rules of the project do not allow the message of a merge, a squash, a revert or a cherry-pick. */
export async function requireAllowedMessage(
  { db }: Pick<Context, 'db'>,
  projectId: number,
  message: string,
): Promise<void> {
  const rule = await ruleOf(db, projectId);
  if (rule) refuse(await refusalOfMessage(rule, message));
}

function refuse(refusal: string | null): void {
  if (refusal !== null) throw new BadRequest(refusal);
}
