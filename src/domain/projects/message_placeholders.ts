/** What templates of the messages of merge commits and squashed commits can name: `%{title}`. */
export const MESSAGE_PLACEHOLDERS = [
  'source_branch',
  'target_branch',
  'title',
  'description',
  'issues',
  'reference',
  'local_reference',
  'url',
  'source_project_id',
  'first_commit',
  'first_multiline_commit',
  'first_multiline_commit_description',
  'all_commits',
  'merge_request_author',
  'merged_by',
  'approved_by',
  'reviewed_by',
  'co_authored_by',
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
