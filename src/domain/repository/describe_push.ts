import type { RefChange } from '#src/domain/repository/change_refs.ts';
import { GitError } from '#src/git/errors.ts';
import type { Commit, Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';

const BRANCHES = 'refs/heads/';
/** Maximum number of commits in the record of a push. */
const MOST_COMMITS = 20;
/** How many changes are processed concurrently. */
const AT_ONCE = 4;
/** Number of new branches from which one query finds those without new commits. */
const MANY = 4;

/** The commits of a change. */
export interface Described {
  /** The latest, at most 20, oldest first. */
  commits: Commit[];
  total: number;
  /** Whether the default branch lost no commits; false for other refs, where it is not needed. */
  forward: boolean;
}

const NOTHING: Described = { commits: [], total: 0, forward: false };

/**
 * The commits of each change: for a new branch those that are not in the default branch, which in an empty repository is the
 * first of the new ones. Of many new branches, most are often in the default branch already.
 */
export async function describeChanges(
  reader: RepositoryReader,
  defaultBranch: string | null,
  changes: readonly RefChange[],
): Promise<Map<RefChange, Described>> {
  const described = new Map<RefChange, Described>();
  const created = changes.filter(({ name, from, to }) => from === null && to !== null && name.startsWith(BRANCHES));
  const present = await tipOf(reader, defaultBranch);
  const first = present === null ? created[0] : undefined;
  const base = present ?? first?.to ?? null;
  const tips = created.flatMap(({ to }) => to ?? []);
  const merged = base !== null && tips.length >= MANY ? await mergedInto(reader, base, tips) : new Set<Oid>();
  const isNew = new Set(created);
  const waiting = [...changes];
  const work = async () => {
    for (let change = waiting.shift(); change !== undefined; change = waiting.shift()) {
      const isMerged = change !== first && isNew.has(change) && merged.has(change.to ?? '');
      described.set(
        change,
        isMerged ? NOTHING : await describe(reader, defaultBranch, change, change === first ? null : base),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return described;
}

/** Like describeChanges, for one change. */
export async function describeChange(
  reader: RepositoryReader,
  defaultBranch: string | null,
  change: RefChange,
): Promise<Described> {
  return describe(reader, defaultBranch, change, await tipOf(reader, defaultBranch));
}

async function describe(
  reader: RepositoryReader,
  defaultBranch: string | null,
  { name, from, to }: RefChange,
  main: Oid | null,
): Promise<Described> {
  if (to === null) return NOTHING;
  const tip = (await reader.commit(to)) ?? (await peeled(reader, to));
  if (tip === null) return NOTHING;
  if (!name.startsWith(BRANCHES)) return { commits: [tip], total: 1, forward: false };
  const isDefault = name === `${BRANCHES}${defaultBranch}`;
  if (from !== null && tip.parents.length === 1 && tip.parents[0] === from) {
    return { commits: [tip], total: 1, forward: isDefault };
  }
  const base = from ?? main;
  if (base === null) {
    const commits = await reader.log({ start: tip.oid }, { limit: MOST_COMMITS });
    const total = commits.length < MOST_COMMITS ? commits.length : await reader.count({ start: tip.oid });
    return { commits: commits.reverse(), total, forward: isDefault };
  }
  const commits = await reader.between(base, tip.oid, { limit: MOST_COMMITS });
  const total = commits.length < MOST_COMMITS ? commits.length : await reader.countBetween(base, tip.oid);
  const forward = isDefault && (tip.parents.includes(base) || (await reader.isAncestor(base, tip.oid)));
  return { commits: commits.reverse(), total, forward };
}

async function tipOf(reader: RepositoryReader, branch: string | null): Promise<Oid | null> {
  return branch === null ? null : ((await reader.branch(branch))?.commit ?? null);
}

/** The commits that are reachable from the tip; none if that would take too long. */
async function mergedInto(reader: RepositoryReader, tip: Oid, commits: Oid[]): Promise<Set<Oid>> {
  try {
    return await reader.mergedInto(tip, commits);
  } catch (error) {
    if (error instanceof GitError) return new Set();
    throw error;
  }
}

async function peeled(reader: RepositoryReader, oid: Oid): Promise<Commit | null> {
  const commit = await reader.resolve(oid);
  return commit === null ? null : reader.commit(commit);
}
