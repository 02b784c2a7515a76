import type { Kind } from '#src/domain/project_archives/kinds.ts';
import { factsOf } from '#src/platform/records/model.ts';

/** A record with the columns of its kind, by the names that kinds.ts has. */
export type Columns = Record<string, unknown>;

/** What a record cannot do without: it is left out where these have no value that is allowed. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  labels: ['title', 'color'],
  milestones: ['iid', 'title'],
  issues: ['iid', 'title'],
  merge_requests: ['iid', 'title', 'sourceBranch', 'targetBranch'],
  merge_request_versions: ['headCommitSha', 'startCommitSha', 'realSize'],
  merge_request_commits: ['sha'],
  notes: ['body'],
  suggestions: ['linesAbove', 'linesBelow', 'fromContent', 'toContent'],
  award_emoji: ['name'],
  commit_comments: ['sha', 'note'],
  timelogs: ['seconds'],
  label_events: ['action'],
  milestone_events: ['action', 'state'],
  state_events: ['state'],
  snippets: ['title', 'fileName', 'content', 'visibility'],
  snippet_files: ['name', 'content', 'position'],
  releases: ['tag', 'description'],
  release_links: ['name', 'url'],
  protected_branches: ['name'],
  protected_branch_levels: ['action', 'accessLevel'],
  protected_tags: ['name'],
  protected_tag_levels: ['accessLevel'],
  approval_rules: ['name', 'ruleType'],
  badges: ['linkUrl', 'imageUrl'],
  boards: ['name'],
  board_lists: ['rank'],
  uploads: ['secret', 'fileName'],
  members: ['accessLevel'],
};

/**
 * Takes the values out of a record that its columns may not have.
 *
 * @param leaveOut is told of each, and why the record cannot be used
 * @returns whether it can do without them
 */
export async function keepUsable(
  { name, model, columns: checks }: Pick<Kind, 'name' | 'model' | 'columns'>,
  row: Columns,
  leaveOut: (why: string) => void,
): Promise<boolean> {
  const required = REQUIRED[name] ?? [];
  const { columns } = factsOf(model);
  for (const [column, check] of Object.entries(checks)) {
    const value = row[column];
    const isAllowed = value != null && (await check(value, columns[column]?.type ?? ''));
    if (isAllowed) continue;
    delete row[column];
    if (required.includes(column)) {
      leaveOut(`A record of ${name} has no usable ${column}.`);
      return false;
    }
    if (value != null) leaveOut(`A value of ${column} of ${name} is not allowed here.`);
  }
  return true;
}
