import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { comparePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { relatedProject } from '#src/domain/repository/fork_network.ts';
import { findRevision, type Revision } from '#src/domain/repository/revision.ts';
import type { SourcedDiff } from '#src/domain/repository/shown_diff.ts';
import { isFar } from '#src/git/base/comparison.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { diffTrees } from '#src/git/diff/diff.ts';
import { withJoined } from '#src/git/remote/joined.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** Maximum number of commits in a comparison. */
const MAX_COMMITS = 5_000;

/** What one revision has that another one lacks; each part is computed once, on demand. */
export interface ComparisonRow {
  /** Commits in `to` but not in `from`, oldest first; only the latest of very many, as `more` says. */
  commits(): Promise<{ rows: CommitRow[]; more: boolean }>;
  /** Changes since the merge base, like a diff with three dots, or since `from` itself, like one with two. */
  diff(): Promise<SourcedDiff>;
  /** Whether both are the same commit. */
  sameRef: boolean;
  /** The path of its page. */
  pagePath(): Promise<string>;
}

/** What is compared. */
export interface Compared {
  /** A branch, tag or hash each. */
  from: string;
  to: string;
  /** Whether it does not matter where they parted. */
  straight?: boolean;
  /** The project that has `from`, if it is another one of the same forks. */
  fromProject?: IdOrPath | null | undefined;
}

/** Compares two branches, tags or hashes. Throws NotFound, Forbidden, Unauthenticated, BadRequest for projects that are not related. */
export async function compareRefs(
  context: Context,
  project: ProjectRow,
  { from, to, straight = false, fromProject }: Compared,
): Promise<ComparisonRow> {
  authorize(context.actor, 'read_repository', project);
  const base = fromProject == null ? project : await relatedProject(context, project, fromProject, notRelated);
  const [left, right] = await Promise.all([findRevision(context, base, from), findRevision(context, project, to)]);
  if (!left || !right) throw new NotFound('Commit');
  const { repository } = right;
  const reads = await readerOfBoth(left, right);
  const begin = together(context);
  // Set when the diff is requested; callers that want both request it before the commits are loaded.
  let isCompared = false;
  const divergence = once(() =>
    reads((reader) => reader.divergence(left.oid, right.oid, MAX_COMMITS + 1, isCompared && reader === repository)),
  );
  const listCommits = async () => {
    const { commits } = await divergence();
    const found = await repository.commits(commits.slice(0, MAX_COMMITS));
    const rows = found.map((commit) => ({ ...commit, project, repository }));
    return { rows: rows.reverse(), more: commits.length > rows.length };
  };
  const compare = async () => {
    // Unrelated histories are compared directly.
    const { base, commits } = await divergence();
    const start = straight ? left.oid : (base ?? left.oid);
    const found = await reads((reader) => diffTrees(reader, start, right.oid, { isFar: isFar(commits) }));
    return { ...found, source: { repository, oid: right.oid } };
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

function notRelated({ fullPath }: ProjectRow): BadRequest {
  return new BadRequest(`${fullPath} is no fork of this project, nor this one of it`, 'from_project_id');
}

/** Runs work with a reader of both commits: that of the right one if its repository has the left one too. */
async function readerOfBoth(left: Revision, right: Revision) {
  const isThere = left.repository === right.repository || (await right.repository.commit(left.oid)) !== null;
  return <T>(work: (reader: RepositoryReader) => Promise<T>): Promise<T> => {
    if (isThere) return work(right.repository);
    const partOf = ({ repository, oid }: Revision) => ({ directory: repository.directory, commit: oid });
    return withJoined([partOf(right), partOf(left)], work);
  };
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
