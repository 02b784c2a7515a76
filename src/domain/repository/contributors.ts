import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { keep, readKept } from '#src/domain/repository/contributors_kept.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { Contributor, ContributorsQuery, RepositoryReader } from '#src/git/base/reader.ts';
import { joinContributors } from '#src/git/history/contributors.ts';
import type { Db } from '#src/platform/database/db.ts';
import { type Page, type PageRequest, pageOf } from '#src/platform/page.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Counts the contributors of a project to which many commits were pushed. */
    'repositories.contributors': { projectId: number };
  }
}

/**
 * The authors of the default branch's commits, excluding merges, by e-mail address, in the order of their latest commits. Throws
 * Forbidden, Unauthenticated.
 */
export async function listContributors(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
): Promise<Page<Contributor>> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project);
  return pageOf(revision ? await contributorsAt(context.db, project.id, revision.repository, revision.oid) : [], page);
}

/** Counts the contributors of a project in advance. Does nothing if they are counted already. */
export async function countContributors(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  projectId: number,
): Promise<void> {
  const project = await findPushedProject(db, projectId);
  const repository = project && (await repositories.open(project));
  const branch = project?.defaultBranch ?? (await repository?.defaultBranch());
  const tip = branch ? await repository?.branch(branch) : null;
  if (repository && tip) await contributorsAt(db, projectId, repository, tip.commit, { ahead: true });
}

interface Answer {
  tip: Oid;
  contributors: Promise<Contributor[]>;
}

/** The latest result for each repository, as long as the process keeps its reader. */
const answers = new WeakMap<RepositoryReader, Answer>();

function contributorsAt(
  db: Db,
  projectId: number,
  repository: RepositoryReader,
  tip: Oid,
  options: Pick<ContributorsQuery, 'ahead'> = {},
): Promise<Contributor[]> {
  const last = answers.get(repository);
  if (last?.tip === tip) return last.contributors;
  const answer: Answer = { tip, contributors: compute(db, projectId, repository, { ...options, tip }, last) };
  answers.set(repository, answer);
  answer.contributors.catch(() => {
    if (answers.get(repository) === answer) answers.delete(repository);
  });
  return answer.contributors;
}

/** Number of visited commits from which the result is stored in the database. */
const WORTH_KEEPING = 100;

/** If the tip is a descendant of the last result's, only new commits are visited. */
async function compute(
  db: Db,
  projectId: number,
  repository: RepositoryReader,
  { tip, ahead }: Pick<ContributorsQuery, 'tip' | 'ahead'>,
  last: Answer | undefined,
): Promise<Contributor[]> {
  const inMemory = last && (await last.contributors.catch(() => undefined));
  const known = last && inMemory ? { tip: last.tip, contributors: inMemory } : await readKept(db, projectId);
  if (known?.tip === tip) return known.contributors;
  const since = known && (await reaches(repository, known.tip, tip)) ? known.tip : undefined;
  const recent = await repository.contributors({ tip, since, lines: true, ahead });
  const contributors = known && since !== undefined ? joinContributors(recent, known.contributors) : recent;
  const seen = recent.reduce((sum, { commits }) => sum + commits, 0);
  if (seen >= WORTH_KEEPING) await keep(db, projectId, { tip, contributors });
  return contributors;
}

/** Whether a former tip still exists and is in the history. */
async function reaches(repository: RepositoryReader, older: Oid, tip: Oid): Promise<boolean> {
  return (await repository.commit(older)) !== null && repository.isAncestor(older, tip);
}
