import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { CommitRow } from '#src/domain/repository/commits/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { isFar } from '#src/git/diff/comparison.ts';
import { type Diff, diffTrees } from '#src/git/diff/diff.ts';
import { NotFound } from '#src/platform/errors.ts';

/** How many commits a comparison holds. */
const MOST_COMMITS = 5_000;

/** What one state has that another one has not; each part is computed once, when it is asked for. */
export interface ComparisonRow {
  /** Those that `to` has and `from` has not, oldest first; the latest where there are very many: `more` tells. */
  commits(): Promise<{ rows: CommitRow[]; more: boolean }>;
  /** What they changed since both parted, as three dots do it. */
  diff(): Promise<Diff>;
  /** Whether both are the same commit. */
  sameRef: boolean;
}

/** Compares two branches, tags or hashes. Throws NotFound, Forbidden, Unauthenticated. */
export async function compareRefs(
  context: Context,
  project: ProjectRow,
  from: string,
  to: string,
): Promise<ComparisonRow> {
  authorize(context.actor, 'read_repository', project);
  const [left, right] = await Promise.all([findRevision(context, project, from), findRevision(context, project, to)]);
  if (!left || !right) throw new NotFound('Commit');
  const { repository } = right;
  // Set when the diff is asked for; whoever wants both asks before the commits are looked for.
  let isCompared = false;
  const divergence = once(() => repository.divergence(left.oid, right.oid, MOST_COMMITS + 1, isCompared));
  const listCommits = async () => {
    const { commits } = await divergence();
    const found = await repository.commits(commits.slice(0, MOST_COMMITS));
    const rows = found.map((commit) => ({ ...commit, project, repository }));
    return { rows: rows.reverse(), more: commits.length > rows.length };
  };
  const compare = async () => {
    // Histories that never met are compared as they are.
    const { base, commits } = await divergence();
    return diffTrees(repository, base ?? left.oid, right.oid, { isFar: isFar(commits) });
  };
  const begin = together(context);
  const diff = once(() => {
    isCompared = true;
    return begin(compare);
  });
  return { commits: once(() => begin(listCommits)), diff, sameRef: left.oid === right.oid };
}

type Begin = <T>(part: () => Promise<T>) => Promise<T>;

/** Parts that are asked for before their turn comes are one work: git is at one while another is put together here. */
function together(context: Context): Begin {
  let next: { turn: Promise<void>; parts: Promise<unknown>[] } | null = null;
  const take = () => {
    const parts: Promise<unknown>[] = [];
    const turn = new Promise<void>((resolve, reject) => {
      const work = async () => {
        next = null;
        resolve();
        await Promise.allSettled(parts);
      };
      withEffort(context, work).catch(reject);
    });
    return { turn, parts };
  };
  return (part) => {
    next ??= take();
    const begun = next.turn.then(part);
    next.parts.push(begun);
    return begun;
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}
