import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { Seer } from '#src/access/permissions/visibility.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { findIssuesByIds } from '#src/domain/tracking/issues/find.ts';
import type { SideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { type VersionCommits, versionCommits } from '#src/domain/tracking/merge_requests/versions.ts';
import { closedIssues } from '#src/domain/tracking/references/closing.ts';
import { distinctNames, type NamedRecord, resolveRecords } from '#src/domain/tracking/references/resolve.ts';
import type { Commit } from '#src/git/base/model.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** Maximum number of commits whose messages are read: the latest. */
const MAX_COMMITS = 100;
/** Maximum number of issues that one merge request closes; further ones stay open. */
const MAX_ISSUES = 100;

/** The texts of a merge request that may close issues. */
export interface ClosingTexts {
  title: string;
  description: string | null;
  targetBranch: string;
  project: { fullPath: string; defaultBranch: string | null };
}

/**
 * The issues that a merge request closes when merged: those that its title, its description or its commit messages say, if the
 * target is the default branch, as far as the actor can see them.
 */
export async function issuesClosedBy(
  db: Db,
  actor: Seer | null,
  { title, description, targetBranch, project }: ClosingTexts,
  readCommits: (limit: number) => Promise<readonly Pick<Commit, 'message'>[]>,
): Promise<NamedRecord[]> {
  if (targetBranch !== project.defaultBranch) return [];
  const messages = (await readCommits(MAX_COMMITS)).map(({ message }) => message);
  const names = [title, description ?? '', ...messages].flatMap(closedIssues);
  const closed = distinctNames(project.fullPath, names).slice(0, MAX_ISSUES);
  return resolveRecords(db, actor, project.fullPath, closed);
}

/** Like issuesClosedBy, with the commits of the latest version. */
export async function issuesClosedByMerge(db: Db, actor: Seer | null, sides: SideTips): Promise<NamedRecord[]> {
  const { mergeRequest, target, reader, version } = sides;
  if (!target.merging.autocloseReferencedIssues) return [];
  return issuesClosedBy(db, actor, { ...mergeRequest, project: target }, async (limit) => {
    if (version === null) return [];
    const { startCommitSha, baseCommitSha, headCommitSha } = version;
    const from = (await reader.commit(startCommitSha)) === null ? baseCommitSha : startCommitSha;
    return from === null
      ? reader.log({ start: headCommitSha }, { limit })
      : reader.between(from, headCommitSha, { limit });
  });
}

/** A page of the issues that a merge request closes when merged, by ID. Throws RateLimited. */
export async function listClosedIssues<R>(
  context: Context,
  texts: ClosingTexts,
  version: VersionCommits | null,
  page: PageRequest,
  selection: Selection<'Issue', R>,
  projectOf: ProjectOf,
): Promise<Page<R>> {
  const all = await issuesClosedBy(context.db, readerOf(context), texts, async (most) => {
    return (await versionCommits(context, version, { limit: most, offset: 0, withTotal: false })).nodes;
  });
  return pageOfIssues(context, all, page, selection, projectOf);
}

/** The part of named issues that is a page, in their order. */
export async function pageOfIssues<R>(
  context: Context,
  all: readonly NamedRecord[],
  { limit, offset, withTotal }: PageRequest,
  selection: Selection<'Issue', R>,
  projectOf: ProjectOf,
): Promise<Page<R>> {
  const ids = all.slice(offset, offset + limit).map(({ id }) => id);
  const found = ids.length === 0 ? [] : await findIssuesByIds(context, ids, selection, projectOf);
  const byId = new Map(found.map((issue) => [issue.id, issue]));
  return { nodes: ids.flatMap((id) => byId.get(id) ?? []), offset, total: withTotal ? all.length : null };
}
