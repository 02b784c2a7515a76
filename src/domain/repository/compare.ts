import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { comparePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { CommitRow } from '#src/domain/repository/commits/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { isFar } from '#src/git/diff/comparison.ts';
import { type Diff, diffTrees } from '#src/git/diff/diff.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Maximum number of commits in a comparison. */
const MOST_COMMITS = 5_000;

/** What one revision has that another one lacks; each part is computed once, on demand. */
export interface ComparisonRow {
  /** Commits in `to` but not in `from`, oldest first; only the latest of very many, as `more` says. */
  commits(): Promise<{ rows: CommitRow[]; more: boolean }>;
  /** Changes since the merge base, like a diff with three dots, or since `from` itself, like one with two. */
  diff(): Promise<Diff>;
  /** Whether both are the same commit. */
  sameRef: boolean;
  /** The path of its page. */
  pagePath(): Promise<string>;
}

/** Compares two branches, tags or hashes; `straight` without regard to where they parted. Throws NotFound, Forbidden, Unauthenticated. */
export async function compareRefs(
  context: Context,
  project: ProjectRow,
  from: string,
  to: string,
  straight = false,
): Promise<ComparisonRow> {
  authorize(context.actor, 'read_repository', project);
  const [left, right] = await Promise.all([findRevision(context, project, from), findRevision(context, project, to)]);
  if (!left || !right) throw new NotFound('Commit');
  const { repository } = right;
  const begin = together(context);
  // Set when the diff is requested; callers that want both request it before the commits are loaded.
  let isCompared = false;
  const divergence = once(() => repository.divergence(left.oid, right.oid, MOST_COMMITS + 1, isCompared));
  const listCommits = async () => {
    const { commits } = await divergence();
    const found = await repository.commits(commits.slice(0, MOST_COMMITS));
    const rows = found.map((commit) => ({ ...commit, project, repository }));
    return { rows: rows.reverse(), more: commits.length > rows.length };
  };
  const compare = async () => {
    // Unrelated histories are compared directly.
    const { base, commits } = await divergence();
    return diffTrees(repository, straight ? left.oid : (base ?? left.oid), right.oid, { isFar: isFar(commits) });
  };
  const diff = once(() => {
    isCompared = true;
    return begin(compare);
  });
  const pagePath = once(() =>
    begin(async () => {
      const { base } = await divergence();
      return comparePath(project.fullPath, straight ? left.oid : (base ?? left.oid), right.oid, straight);
    }),
  );
  return { commits: once(() => begin(listCommits)), diff, sameRef: left.oid === right.oid, pagePath };
}

type Begin = <T>(part: () => Promise<T>) => Promise<T>;

/** Parts that are requested before their turn comes count as one work: git computes one while another is serialized here. */
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
