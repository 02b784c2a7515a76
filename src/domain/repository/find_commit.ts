import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import type { Commit, Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { diffCommit } from '#src/git/diff/diff.ts';
import { NotFound } from '#src/platform/errors.ts';

export interface CommitRow extends Commit {
  project: ProjectRow;
  repository: RepositoryReader;
}

/** The first line of a commit message. */
export function titleOf({ message }: Pick<Commit, 'message'>): string {
  return (message.trimStart().split('\n', 1)[0] ?? '').trimEnd().toWellFormed();
}

/** The commit of a revision, as in findRevision. Throws NotFound, Forbidden, Unauthenticated. */
export async function findCommit(context: Context, project: ProjectRow, name: string): Promise<CommitRow> {
  authorize(context.actor, 'read_commit', project);
  const revision = await findRevision(context, project, name);
  const commit = revision && (await revision.repository.commit(revision.oid));
  if (!commit) throw new NotFound('Commit');
  return { ...commit, project, repository: revision.repository };
}

/** The commits with these hashes, in their order, for records that reference them. The caller has authorized. */
export async function commitRows(
  project: ProjectRow,
  repository: RepositoryReader,
  oids: readonly Oid[],
): Promise<CommitRow[]> {
  const commits = await repository.commits([...oids]);
  return commits.map((commit) => ({ ...commit, project, repository }));
}

/** A commit of a project. */
export interface CommitKey {
  projectId: number;
  /** Full hash. */
  sha: Oid;
}

/**
 * The commits with these keys, in their order; null for missing ones and those that the actor may not read.
 *
 * @param findProject finds the projects that the actor can see, null for others
 */
export async function commitsByKeys(
  context: Context,
  keys: readonly CommitKey[],
  findProject: (id: number) => Promise<ProjectRow | null>,
): Promise<(CommitRow | null)[]> {
  const ids = [...new Set(keys.map(({ projectId }) => projectId))];
  const found = new Map<number, { project: ProjectRow; repository: RepositoryReader | null }>();
  for (const project of await Promise.all(ids.map(findProject))) {
    if (!project || !can(context.actor, 'read_commit', project)) continue;
    found.set(project.id, { project, repository: await context.repositories.open(project) });
  }
  return Promise.all(
    keys.map(async ({ projectId, sha }) => {
      const { project, repository } = found.get(projectId) ?? {};
      const commit = await repository?.commit(sha);
      return project && repository && commit ? { ...commit, project, repository } : null;
    }),
  );
}

/** How many lines a commit changed. */
export interface CommitStats {
  additions: number;
  deletions: number;
}

/** Lines are counted in more and larger files than a list of diffs shows. */
const COUNTED = {
  changes: 500_000,
  files: 500_000,
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

/** The lines that a commit added and removed against its first parent. */
export function commitStats(
  context: Context,
  { repository, oid }: Pick<CommitRow, 'repository' | 'oid'>,
): Promise<CommitStats> {
  return remembered(repository, `stats ${oid}`, async () => {
    const diff = () => diffCommit(repository, oid, { text: false, limits: COUNTED });
    const { additions, deletions } = await withEffort(context, diff);
    return { additions, deletions };
  });
}
