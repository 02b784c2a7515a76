import { authorize } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import { listProtections, type Protection, protectionOf } from '#src/branches/protection.ts';
import { type CommitRow, commitRows } from '#src/commits/find.ts';
import { NotFound } from '#src/errors.ts';
import type { Branch } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { type Page, type PageRequest, pageOf } from '#src/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { defaultBranch } from '#src/repository/revision.ts';

/** A branch with its tip and its protection. */
export interface BranchRow extends Protection {
  name: string;
  commit: CommitRow;
  /** Whether the default branch, another one, has all its commits. */
  merged: boolean;
}

/** The branches of a project by name. Throws Forbidden, Unauthenticated. */
export async function listBranches(context: Context, project: ProjectRow, page: PageRequest): Promise<Page<BranchRow>> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  const branches = pageOf((await repository?.branches()) ?? [], page);
  return { ...branches, nodes: repository ? await branchRows(context, project, repository, branches.nodes) : [] };
}

/** One branch. Throws NotFound, Forbidden, Unauthenticated. */
export async function findBranch(context: Context, project: ProjectRow, name: string): Promise<BranchRow> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  const branch = await repository?.branch(name);
  const [row] = repository && branch ? await branchRows(context, project, repository, [branch]) : [];
  if (!row) throw new NotFound('Branch');
  return row;
}

async function branchRows(
  { db }: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  branches: Branch[],
): Promise<BranchRow[]> {
  if (branches.length === 0) return [];
  const tips = branches.map(({ commit }) => commit);
  const root = await defaultBranch(project, repository);
  const rootTip = root === null ? null : ((await repository.branch(root))?.commit ?? null);
  const [commits, merged, protections] = await Promise.all([
    commitRows(project, repository, tips),
    rootTip === null ? new Set<string>() : repository.mergedInto(rootTip, tips),
    listProtections(db, project.id),
  ]);
  return commits.flatMap((commit, index) => {
    const branch = branches[index];
    if (!branch) return [];
    const { name } = branch;
    return [{ name, commit, merged: name !== root && merged.has(commit.oid), ...protectionOf(protections, name) }];
  });
}
