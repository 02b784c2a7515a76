import { authorize } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import { joinContributors } from '#src/git/history/contributors.ts';
import type { Oid } from '#src/git/model.ts';
import type { Contributor, RepositoryReader } from '#src/git/reader.ts';
import { type Page, type PageRequest, pageOf } from '#src/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { findRevision } from '#src/repository/revision.ts';

/**
 * Who wrote the commits behind the default branch, merges left out, by e-mail address, in the order of their latest
 * commits. Throws Forbidden, Unauthenticated.
 */
export async function listContributors(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
): Promise<Page<Contributor>> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project);
  return pageOf(revision ? await contributorsAt(revision.repository, revision.oid) : [], page);
}

interface Answer {
  tip: Oid;
  contributors: Promise<Contributor[]>;
}

/** The latest answer for each repository, as long as the process keeps its reader. */
const answers = new WeakMap<RepositoryReader, Answer>();

function contributorsAt(repository: RepositoryReader, tip: Oid): Promise<Contributor[]> {
  const last = answers.get(repository);
  if (last?.tip === tip) return last.contributors;
  const answer: Answer = { tip, contributors: compute(repository, tip, last) };
  answers.set(repository, answer);
  answer.contributors.catch(() => {
    if (answers.get(repository) === answer) answers.delete(repository);
  });
  return answer.contributors;
}

/** Where the tip reaches the one of the last answer, only what came since is looked at. */
async function compute(repository: RepositoryReader, tip: Oid, last: Answer | undefined): Promise<Contributor[]> {
  const known = await last?.contributors.catch(() => undefined);
  if (!last || !known || !(await repository.isAncestor(last.tip, tip))) {
    return repository.contributors({ tip, lines: true });
  }
  const recent = await repository.contributors({ tip, since: last.tip, lines: true });
  return joinContributors(recent, known);
}
