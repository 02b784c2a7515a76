import type { Context } from '#src/access/permissions/actor.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { notAFork } from '#src/domain/tracking/merge_requests/source.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { violates } from '#src/platform/database/db.ts';
import { AlreadyExists, BadRequest, ValidationFailed } from '#src/platform/errors.ts';

/** The source and target of a merge request. */
export interface Sides {
  source: RepositoryPlace;
  sourceBranch: string;
  target: RepositoryPlace;
  targetBranch: string;
}

/** Throws BadRequest if source and target are the same, or unrelated projects. */
export async function requireDistinct(db: Db, { source, sourceBranch, target, targetBranch }: Sides): Promise<void> {
  if (source.id === target.id) {
    if (sourceBranch === targetBranch)
      throw new BadRequest('You can not use same project/branch for source and target', 'source_branch', 'sameBranch');
    return;
  }
  const fork = await db.project.findUnique({ where: { id: source.id }, select: { forkedFromId: true } });
  if (fork?.forkedFromId !== target.id) throw notAFork('target_project');
}

/** The commits of both branches. Throws ValidationFailed for missing branches. */
export async function requireTips(
  { repositories }: Pick<Context, 'repositories'>,
  { source, sourceBranch, target, targetBranch }: Sides,
): Promise<{ head: Oid; start: Oid }> {
  const [from, to] = await Promise.all([repositories.open(source), repositories.open(target)]);
  const [head, start] = await Promise.all([from?.branch(sourceBranch), to?.branch(targetBranch)]);
  if (!head || !start) {
    throw new ValidationFailed({
      ...(head ? {} : { source_branch: ['does not exist'] }),
      ...(start ? {} : { target_branch: ['does not exist'] }),
    });
  }
  return { head: head.commit, start: start.commit };
}

/** Throws Conflict if a merge request with the same source and target is open. */
export async function requireUnopened(
  db: Db | Transaction,
  { source, sourceBranch, target, targetBranch }: Sides,
): Promise<void> {
  const [open] = await db.$queryRaw<{ id: number; title: string }[]>`
    SELECT id, title FROM merge_requests WHERE source_project_id = ${source.id} AND source_branch = ${sourceBranch}
      AND target_project_id = ${target.id} AND target_branch = ${targetBranch} AND state = 'opened'`;
  if (!open) return;
  const message = `Cannot Create: This merge request already exists: ${JSON.stringify([open.title])}`;
  throw new AlreadyExists(message, { type: 'MergeRequest', where: { id: open.id } });
}

/** Runs work that opens a merge request; converts its error to that of requireUnopened if another request was faster. */
export async function openingOne<T>(db: Db, sides: Sides, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violates(error)) await requireUnopened(db, sides);
    throw error;
  }
}
