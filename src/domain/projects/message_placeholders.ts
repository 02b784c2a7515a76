/** What templates of descriptions of merge requests can name, and those of messages, too: `%{source_branch}`. */
export const DESCRIPTION_PLACEHOLDERS = [
  'source_branch',
  'target_branch',
  'first_commit',
  'first_multiline_commit',
  'first_multiline_commit_description',
  'all_commits',
  'co_authored_by',
] as const;

export type DescriptionPlaceholder = (typeof DESCRIPTION_PLACEHOLDERS)[number];

/** What templates of the messages of merge commits and squashed commits can name: `%{title}`. */
export const MESSAGE_PLACEHOLDERS = [
  ...DESCRIPTION_PLACEHOLDERS,
  'title',
  'description',
  'issues',
  'reference',
  'local_reference',
  'url',
  'source_project_id',
  'merge_request_author',
  'merged_by',
  'approved_by',
  'reviewed_by',
] as const;

export type MessagePlaceholder = (typeof MESSAGE_PLACEHOLDERS)[number];

/** A placeholder in a template; its first group is the name. */
export const PLACEHOLDER = /%\{(\w+)\}/g;

/** The placeholders of a template that there are not, as they are written. */
export function unknownPlaceholders(template: string): string[] {
  const known: ReadonlySet<string> = new Set(MESSAGE_PLACEHOLDERS);
  const unknown = [...template.matchAll(PLACEHOLDER)].filter(([, name = '']) => !known.has(name));
  return [...new Set(unknown.map(([written]) => written))];
}

/** Whether a template names anything that its commits say, besides their authors. */
export function namesCommits(template: string): boolean {
  return [...template.matchAll(PLACEHOLDER)].some(([, name = '']) => COMMIT_PLACEHOLDERS.has(name));
}

/** Whether a template names its commits or their authors. */
export function needsCommits(template: string): boolean {
  return namesCommits(template) || template.includes('%{co_authored_by}');
}

const COMMIT_PLACEHOLDERS: ReadonlySet<string> = new Set<DescriptionPlaceholder>([
  'first_commit',
  'first_multiline_commit',
  'first_multiline_commit_description',
  'all_commits',
]);
