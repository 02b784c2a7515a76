import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { pageOfIssues } from '#src/domain/tracking/merge_requests/closes_issues.ts';
import { type VersionCommits, versionCommits } from '#src/domain/tracking/merge_requests/versions.ts';
import { closedIssues } from '#src/domain/tracking/references/closing.ts';
import { distinctNames, resolveRecords } from '#src/domain/tracking/references/resolve.ts';
import { recordNames } from '#src/domain/tracking/references/scan.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** Maximum number of commit messages that are read: the latest. */
const MAX_COMMITS = 100;
/** Maximum number of issues that one merge request is related to. */
const MAX_ISSUES = 100;

/** A merge request, with its texts. */
export interface RelatingTexts {
  title: string;
  description: string | null;
  latestNotes: readonly string[];
  /** Full path of the target project. */
  projectFullPath: string;
}

/**
 * A page of the issues that a merge request mentions in its title, its description, a commit message or a note, by ID, as far as
 * the actor can see them. The actor may read the merge request. Throws RateLimited.
 */
export async function listRelatedIssues<R>(
  context: Context,
  { title, description, latestNotes, projectFullPath }: RelatingTexts,
  version: VersionCommits | null,
  page: PageRequest,
  selection: Selection<'Issue', R>,
  projectOf: ProjectOf,
): Promise<Page<R>> {
  const actor = readerOf(context);
  const commits = await versionCommits(context, version, { limit: MAX_COMMITS, offset: 0, withTotal: false });
  const messages = commits.nodes.map(({ message }) => message);
  const texts = [title, description ?? '', ...messages, ...latestNotes];
  const names = texts.flatMap((text) => [...closedIssues(text), ...recordNames(text)]);
  const issues = names.filter(({ type }) => type === 'Issue');
  const wanted = distinctNames(projectFullPath, issues).slice(0, MAX_ISSUES);
  const found = await resolveRecords(context.db, actor, projectFullPath, wanted);
  return pageOfIssues(context, found, page, selection, projectOf);
}
