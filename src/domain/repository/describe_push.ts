import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { RefChange } from '#src/domain/repository/change_refs.ts';
import { GitError } from '#src/git/base/errors.ts';
import type { Commit, Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

const BRANCHES = 'refs/heads/';
/** Maximum number of commits in the record of a push. */
const MAX_COMMITS = 20;
/** How many changes are processed concurrently. */
const CONCURRENCY = 4;
/** Number of new branches from which one walk finds the commits of all. */
const MANY = 4;
/** Maximum number of commits of such a walk: for each branch it is gone through again. */
const MAX_WALKED_COMMITS = 2_000;

/** Commits with their parents. */
type NewCommits = ReadonlyMap<Oid, readonly Oid[]>;

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
 * first of the new ones. One walk finds those of many new branches, if they are not too many.
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
  const others = new Set(created.filter((change) => change !== first));
  const walked = base !== null && others.size >= MANY ? await walk(reader, base, [...others]) : null;
  const waiting = [...changes];
  const work = async () => {
    for (let change = waiting.shift(); change !== undefined; change = waiting.shift()) {
      const known = walked !== null && others.has(change);
      described.set(
        change,
        known
          ? await describeNew(reader, change, walked)
          : await describe(reader, defaultBranch, change, change === first ? null : base),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return described;
}

/** What new branches add to another one; null if that would be too much, or take too long. */
async function walk(reader: RepositoryReader, base: Oid, created: readonly RefChange[]): Promise<NewCommits | null> {
  const tips = [...new Set(created.flatMap(({ to }) => to ?? []))];
  try {
    const found = await reader.newCommits(base, tips, MAX_WALKED_COMMITS);
    return found && new Map(found.map(({ oid, parents }) => [oid, parents]));
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

/** The commits of a new branch among those of all, none before its parents. */
async function describeNew(reader: RepositoryReader, { to }: RefChange, walked: NewCommits): Promise<Described> {
  const own = new Set<Oid>();
  const entered = new Set<Oid>();
  const waiting = to === null ? [] : [to];
  for (let oid = waiting.at(-1); oid !== undefined; oid = waiting.at(-1)) {
    if (!entered.has(oid) && walked.has(oid)) {
      entered.add(oid);
      waiting.push(...(walked.get(oid) ?? []).toReversed());
      continue;
    }
    waiting.pop();
    if (entered.has(oid)) own.add(oid);
  }
  if (own.size === 0) return NOTHING;
  await yieldToEventLoop();
  const commits = await reader.commits([...own].slice(-MAX_COMMITS));
  return { commits, total: own.size, forward: false };
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
    const commits = await reader.log({ start: tip.oid }, { limit: MAX_COMMITS });
    const total = commits.length < MAX_COMMITS ? commits.length : await reader.count({ start: tip.oid });
    return { commits: commits.reverse(), total, forward: isDefault };
  }
  const commits = await reader.between(base, tip.oid, { limit: MAX_COMMITS });
  const total = commits.length < MAX_COMMITS ? commits.length : await reader.countBetween(base, tip.oid);
  const forward = isDefault && (tip.parents.includes(base) || (await reader.isAncestor(base, tip.oid)));
  return { commits: commits.reverse(), total, forward };
}

async function tipOf(reader: RepositoryReader, branch: string | null): Promise<Oid | null> {
  return branch === null ? null : ((await reader.branch(branch))?.commit ?? null);
}

async function peeled(reader: RepositoryReader, oid: Oid): Promise<Commit | null> {
  const commit = await reader.resolve(oid);
  return commit === null ? null : reader.commit(commit);
}
