import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { type CommitRow, commitRows } from '#src/domain/repository/find_commit.ts';
import { resolveRevision } from '#src/domain/repository/revision.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** How many revisions are looked at together. */
export const MAX_REVISIONS = 20;

/** The best common ancestor of several revisions. Throws NotFound, BadRequest, Forbidden, Unauthenticated, RateLimited. */
export async function findMergeBase(
  context: Context,
  project: ProjectRow,
  revisions: readonly string[],
): Promise<CommitRow> {
  authorize(context.actor, 'read_commit', project);
  if (revisions.length < 2) throw new BadRequest('Provide at least 2 refs', 'refs');
  if (revisions.length > MAX_REVISIONS) throw new BadRequest(`Provide at most ${MAX_REVISIONS} refs`, 'refs');
  const repository = await context.repositories.open(project);
  if (!repository) throw unknown(revisions);
  const oids: Oid[] = [];
  const missing: string[] = [];
  for (const revision of new Set(revisions)) {
    const oid = await resolveRevision(context, project, repository, revision);
    if (oid === null) missing.push(revision);
    else oids.push(oid);
  }
  if (missing.length > 0) throw unknown(missing);
  const base = await withEffort(context, () => baseOf(repository, oids));
  const [row] = base === null ? [] : await commitRows(project, repository, [base]);
  if (!row) throw new NotFound('Merge Base');
  return row;
}

/** Of commits with several best common ancestors the newest counts. */
async function baseOf(repository: RepositoryReader, [first, ...others]: readonly Oid[]): Promise<Oid | null> {
  let base = first ?? null;
  for (const oid of others) {
    if (base === null) break;
    [base = null] = await repository.mergeBases(base, oid);
  }
  return base;
}

function unknown(revisions: readonly string[]): BadRequest {
  return new BadRequest(`Could not find ref${revisions.length > 1 ? 's' : ''}: ${revisions.join(', ')}`, 'refs');
}
