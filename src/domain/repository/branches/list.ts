import { createHash } from 'node:crypto';
import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { matchingNames } from '#src/domain/repository/branches/match_names.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { listProtections, type Protection, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import { soundCommits } from '#src/domain/repository/sound.ts';
import { Damaged } from '#src/git/base/errors.ts';
import type { Branch, Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import { named, type Page, type PageRequest, pageByName } from '#src/platform/page.ts';

/** A branch with its tip and its protection. */
export interface BranchRow extends Protection {
  name: string;
  commit: CommitRow;
  /** Whether its commits are all in the default branch, and it is not that branch. */
  merged: boolean;
  default: boolean;
}

/** What branches are sorted by: their names, or when their latest commits were made. */
export type BranchOrder = 'name_asc' | 'updated_asc' | 'updated_desc';

/** Which branches are listed, and how. */
export interface BranchFilter {
  /** Only those with this text in their names, as in `named`. */
  search?: string | null | undefined;
  /** Only those whose names this pattern matches, in place of `search`. */
  regex?: string | null | undefined;
  sort?: BranchOrder | undefined;
}

/** The branches of a project. Throws Forbidden, Unauthenticated, and as matchingNames. */
export async function listBranches(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
  { search, regex, sort: order = 'name_asc' }: BranchFilter = {},
): Promise<Page<BranchRow>> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  if (search && regex) throw new BadRequest('regex, search are mutually exclusive', 'regex');
  const every = (await repository?.branches()) ?? [];
  const found = regex ? await matchingNames(every, regex, `project ${project.id}`) : named(every, search);
  const isByTime = order !== 'name_asc' && repository !== null;
  const branches = isByTime ? await byTime(context, project, repository, found, order === 'updated_desc') : found;
  return pageByName(branches, page, async (part) => (repository ? branchRows(context, project, repository, part) : []));
}

/** One branch. Throws NotFound, Forbidden, Unauthenticated. */
export async function findBranch(context: Context, project: ProjectRow, name: string): Promise<BranchRow> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  const branch = await repository?.branch(name);
  const [row] = repository && branch ? await branchRows(context, project, repository, [branch]) : [];
  if (row) return row;
  throw branch
    ? new NotFound('Branch', `The commit ${branch.commit} to which the branch leads is missing or damaged`)
    : new NotFound('Branch');
}

/** Branches by when their latest commits were made, those of one moment by name. */
async function byTime(
  context: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  branches: readonly Branch[],
  isDescending: boolean,
): Promise<Branch[]> {
  const tips = branches.map(({ name, commit }) => ({ ref: `refs/heads/${name}`, commit }));
  const commits = await withEffort(context, () => soundCommits(context, project, repository, tips));
  const times = new Map(branches.map(({ name }, at) => [name, commits[at]?.committer.seconds ?? 0]));
  const sign = isDescending ? -1 : 1;
  return branches.toSorted((one, other) => sign * ((times.get(one.name) ?? 0) - (times.get(other.name) ?? 0)));
}

/** Branches with unreadable commits are left out. */
async function branchRows(
  { db, repositories }: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  branches: Branch[],
): Promise<BranchRow[]> {
  if (branches.length === 0) return [];
  const tipsOf = branches.map(({ name, commit }) => ({ ref: `refs/heads/${name}`, commit }));
  const commits = await soundCommits({ repositories }, project, repository, tipsOf);
  const tips = commits.flatMap((commit) => commit?.oid ?? []);
  const root = await defaultBranch(project, repository);
  const rootTip = root === null ? null : ((await repository.branch(root))?.commit ?? null);
  const [merged, protections] = await Promise.all([
    rootTip === null ? new Set<Oid>() : mergedInto(repository, rootTip, tips),
    listProtections(db, project.id),
  ]);
  return commits.flatMap((commit, index) => {
    const branch = branches[index];
    if (!branch || !commit) return [];
    const { name } = branch;
    const isDefault = name === root;
    const isMerged = !isDefault && merged.has(commit.oid);
    return [{ name, commit, default: isDefault, merged: isMerged, ...protectionOf(protections, name) }];
  });
}

/** How many commits each of two branches has that the other lacks. */
export interface Divergence {
  ahead: number;
  behind: number;
}

/** The number of commits that stands for all that are more. */
export const MAX_COUNTED_COMMITS = 1_000;

/**
 * How a branch and the default one have parted; null for that one, and for histories that cannot be read. Cacheable, as a commit's
 * ancestors never change. Throws RateLimited.
 */
export async function divergenceOf(context: Context, { name, commit }: BranchRow): Promise<Divergence | null> {
  const { project, repository, oid } = commit;
  const root = await defaultBranch(project, repository);
  const base = root === null || root === name ? null : await repository.branch(root);
  if (!base) return null;
  const count = async () => {
    if (base.commit === oid) return { ahead: 0, behind: 0 };
    const [behind, ahead] = await withEffort(context, () => repository.countApart(base.commit, oid));
    return { ahead: Math.min(ahead, MAX_COUNTED_COMMITS), behind: Math.min(behind, MAX_COUNTED_COMMITS) };
  };
  try {
    return await remembered(repository, `apart ${base.commit} ${oid}`, count);
  } catch (error) {
    if (error instanceof Damaged) return null;
    throw error;
  }
}

/** The tips that are reachable from the root. Cacheable, as a commit's ancestors never change. */
function mergedInto(repository: RepositoryReader, root: Oid, tips: readonly Oid[]): Promise<Set<Oid>> {
  const others = [...new Set(tips)].filter((tip) => tip !== root).sort();
  if (others.length === 0) return Promise.resolve(new Set([root]));
  const key = createHash('sha1').update(others.join()).digest('base64');
  return remembered(repository, `merged ${root} ${key}`, async () => {
    return new Set([root, ...(await soundlyMerged(repository, root, others))]);
  });
}

/** Branches with unreadable histories count as not merged. */
async function soundlyMerged(repository: RepositoryReader, root: Oid, tips: Oid[]): Promise<Set<Oid>> {
  try {
    return await repository.mergedInto(root, tips);
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
  }
  const merged = new Set<Oid>();
  for (const tip of tips) {
    try {
      if ((await repository.mergedInto(root, [tip])).has(tip)) merged.add(tip);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
    }
  }
  return merged;
}
