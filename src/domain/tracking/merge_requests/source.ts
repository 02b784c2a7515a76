import { activeUser } from '#src/access/credentials/authenticate.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { PROJECT_BASE } from '#src/domain/projects/find.ts';
import { namedProject } from '#src/domain/projects/named.ts';
import { type Db, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { BadRequest, Forbidden } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Source, target and author of a merge request. */
export interface Origin {
  /** Null if the fork is gone. */
  sourceProjectId: number | null;
  targetProjectId: number;
  authorId: number;
}

const SOURCE = select('Project', { ...PROJECT_BASE, forkedFromId: true });

/**
 * Whether new commits of the source may become part of a merge request, where all readers of the target can read them: the source
 * must be the target itself, or a fork of it whose repository the author, who must be active, may read. The author is responsible
 * for what is copied out of the fork; without access they cannot add more.
 */
export async function mayBringCommits(db: Db | Transaction, origin: Origin): Promise<boolean> {
  const { sourceProjectId, targetProjectId, authorId } = origin;
  if (sourceProjectId === targetProjectId) return true;
  const author = await activeUser(db, authorId);
  if (author === null || sourceProjectId === null) return false;
  const [source] = await queryJson<(typeof SOURCE.row)[]>(db, namedProject(author, sourceProjectId, SOURCE));
  return source?.forkedFromId === targetProjectId && can(author, 'read_repository', source);
}

/**
 * Like mayBringCommits, for a user who opens or reopens a merge request, and shares that responsibility with the author. The fork
 * is locked until the transaction ends. Throws BadRequest if there is none, Forbidden.
 *
 * @param about the field that the error is about
 */
export async function requireBringing(tx: Transaction, origin: Origin, actorId: number, about: string): Promise<void> {
  const { sourceProjectId, targetProjectId, authorId } = origin;
  if (sourceProjectId === targetProjectId) return;
  const [fork] = await tx.$queryRaw<{ forkedFromId: number | null }[]>`
    SELECT forked_from_id AS "forkedFromId" FROM projects WHERE id = ${sourceProjectId} AND deleted_at IS NULL FOR SHARE`;
  if (fork?.forkedFromId !== targetProjectId) throw notAFork(about);
  for (const id of new Set([authorId, actorId])) {
    if (!(await mayBringCommits(tx, { ...origin, authorId: id }))) throw new Forbidden(FORK_UNREADABLE);
  }
}

/** The error for a source that is not a fork of the target; `about` is the field that does not fit. */
export function notAFork(about: string): BadRequest {
  return new BadRequest('Source project is not a fork of the target project', about, 'notAFork');
}

const FORK_UNREADABLE = 'You and the author of the merge request must be able to read the fork that it comes from';
