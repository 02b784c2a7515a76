import { type MessagePlaceholder, PLACEHOLDER } from '#src/domain/projects/message_placeholders.ts';

/** What the messages of merge commits and squashed commits are made of. */
export interface MessageFacts {
  iid: number;
  title: string;
  description: string | null;
  sourceBranch: string;
  targetBranch: string;
  /** Full path of the project of the target branch. */
  projectPath: string;
  /** Address of its page; null where that is not known. */
  url: string | null;
  /** Null if the fork is gone. */
  sourceProjectId: number | null;
  /** `Name <address>` of its author, and of who merges it. */
  author: string;
  mergedBy: string;
  /** Those who approve it, and those who reviewed it. */
  approvers: readonly string[];
  reviewers: readonly string[];
  /** The authors of its commits, without its own author. */
  coAuthors: readonly string[];
  /** References of the issues that the merge closes, such as `#4`. */
  closes: readonly string[];
  /** Messages of the commits that it brings, the oldest first. */
  commits: readonly string[];
}

/** Characters of the longest message that a template makes. */
const MAX_MESSAGE_LENGTH = 100_000;

/** The message of a merge commit: by the template of the project, or the usual one. */
export function mergeMessage(facts: MessageFacts, template: string | null): string {
  return template === null ? usualMessage(facts) : filled(template, facts);
}

/** The message of a squashed commit: by the template of the project, or the title. */
export function squashMessage(facts: MessageFacts, template: string | null): string {
  return template === null ? `${facts.title}\n` : filled(template, facts);
}

function usualMessage({ iid, title, sourceBranch, targetBranch, closes }: MessageFacts): string {
  const paragraphs = [`Merge branch '${sourceBranch}' into '${targetBranch}'`, title];
  if (closes.length > 0) paragraphs.push(`Closes ${list(closes)}`);
  paragraphs.push(`See merge request !${iid}`);
  return `${paragraphs.join('\n\n')}\n`;
}

/** What each placeholder of a template stands for: `%{title}`. */
const PLACEHOLDERS: Readonly<Record<MessagePlaceholder, (facts: MessageFacts) => string>> = {
  source_branch: ({ sourceBranch }) => sourceBranch,
  target_branch: ({ targetBranch }) => targetBranch,
  title: ({ title }) => title,
  description: ({ description }) => description ?? '',
  issues: ({ closes }) => (closes.length > 0 ? `Closes ${list(closes)}` : ''),
  reference: ({ projectPath, iid }) => `${projectPath}!${iid}`,
  local_reference: ({ iid }) => `!${iid}`,
  url: ({ url, projectPath, iid }) => url ?? `${projectPath}!${iid}`,
  source_project_id: ({ sourceProjectId }) => (sourceProjectId === null ? '' : String(sourceProjectId)),
  first_commit: ({ commits }) => commits[0]?.trim() ?? '',
  first_multiline_commit: ({ commits, title }) => (commits.find(hasBody) ?? title).trim(),
  first_multiline_commit_description: ({ commits }) => descriptionIn(commits.find(hasBody) ?? ''),
  all_commits: ({ commits }) => commits.map((message) => `* ${message.trim()}`).join('\n\n'),
  merge_request_author: ({ author }) => author,
  merged_by: ({ mergedBy }) => mergedBy,
  approved_by: ({ approvers }) => trailers('Approved-by', approvers),
  reviewed_by: ({ reviewers }) => trailers('Reviewed-by', reviewers),
  co_authored_by: ({ coAuthors }) => trailers('Co-authored-by', coAuthors),
};

/** A line for each of several people, as git reads it at the end of a message. */
function trailers(name: string, people: readonly string[]): string {
  return people.map((person) => `${name}: ${person}`).join('\n');
}

/** A message without its subject. */
function descriptionIn(message: string): string {
  return message.trim().split('\n').slice(1).join('\n').trim();
}

function isPlaceholder(name: string): name is MessagePlaceholder {
  return Object.hasOwn(PLACEHOLDERS, name);
}

function hasBody(message: string): boolean {
  return message.trim().includes('\n');
}

/** Fills a template: lines of nothing but an empty placeholder are left out, and words that are no placeholder stay. */
function filled(template: string, facts: MessageFacts): string {
  const values = new Map<string, string>();
  const textOf = (name: string) => {
    const value = values.get(name) ?? (isPlaceholder(name) ? PLACEHOLDERS[name](facts) : null);
    if (value !== null) values.set(name, value);
    return value;
  };
  const lines = template.replaceAll('\r\n', '\n').split('\n');
  const kept = lines.filter((line) => {
    const [, name] = /^\s*%\{(\w+)\}\s*$/.exec(line) ?? [];
    return name === undefined || textOf(name) !== '';
  });
  const text = kept.join('\n').replace(PLACEHOLDER, (whole, name: string) => textOf(name) ?? whole);
  return `${text.trim().slice(0, MAX_MESSAGE_LENGTH)}\n`;
}

function list(words: readonly string[]): string {
  if (words.length <= 1) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
