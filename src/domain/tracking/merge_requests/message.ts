import {
  type DescriptionPlaceholder,
  type MessagePlaceholder,
  PLACEHOLDER,
} from '#src/domain/projects/message_placeholders.ts';

/** A commit that a merge request brings. */
export interface BroughtCommit {
  message: string;
  isMerge: boolean;
}

/** What descriptions of merge requests are made of, before they are opened. */
export interface DescriptionFacts {
  title: string;
  sourceBranch: string;
  targetBranch: string;
  /** The authors of its commits, without its own author. */
  coAuthors: readonly string[];
  /** The commits that it brings, the oldest first. */
  commits: readonly BroughtCommit[];
}

/** What the messages of merge commits and squashed commits are made of. */
export interface MessageFacts extends DescriptionFacts {
  iid: number;
  description: string | null;
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
  /** References of the issues that the merge closes, such as `#4`. */
  closes: readonly string[];
}

/** Characters of the longest message, and of the longest description, that a template makes. */
const MAX_MESSAGE_LENGTH = 100_000;
const MAX_DESCRIPTION_LENGTH = 1024 * 1024;
/** Characters of the message of a commit of which, in lists of all, more than the subject is told. */
const MAX_LISTED_LENGTH = 100 * 1024;

/** The message of a merge commit: by the template of the project, or the usual one. */
export function mergeMessage(facts: MessageFacts, template: string | null): string {
  return template === null ? usualMessage(facts) : messageOf(template, facts);
}

/** The message of a squashed commit: by the template of the project, or the title. */
export function squashMessage(facts: MessageFacts, template: string | null): string {
  return template === null ? `${facts.title}\n` : messageOf(template, facts);
}

function usualMessage({ iid, title, sourceBranch, targetBranch, closes }: MessageFacts): string {
  const paragraphs = [`Merge branch '${sourceBranch}' into '${targetBranch}'`, title];
  if (closes.length > 0) paragraphs.push(`Closes ${list(closes)}`);
  paragraphs.push(`See merge request !${iid}`);
  return `${paragraphs.join('\n\n')}\n`;
}

/** The description of a new merge request by a template. What is no placeholder of descriptions stays as it is written. */
export function filledDescription(facts: DescriptionFacts, template: string): string {
  return filled(template, DESCRIPTION_VALUES, facts, MAX_DESCRIPTION_LENGTH);
}

function messageOf(template: string, facts: MessageFacts): string {
  return `${filled(template, MESSAGE_VALUES, facts, MAX_MESSAGE_LENGTH).trim()}\n`;
}

/** What each placeholder of a template stands for. */
type Values<Name extends string, Facts> = Readonly<Record<Name, (facts: Facts) => string>>;

const DESCRIPTION_VALUES: Values<DescriptionPlaceholder, DescriptionFacts> = {
  source_branch: ({ sourceBranch }) => sourceBranch,
  target_branch: ({ targetBranch }) => targetBranch,
  first_commit: ({ commits }) => commits[0]?.message.trim() ?? '',
  first_multiline_commit: ({ commits, title }) => commits.find(hasBody)?.message.trim() ?? title.trim(),
  first_multiline_commit_description: ({ commits }) => descriptionIn(commits.find(hasBody)?.message ?? ''),
  all_commits: ({ commits }) =>
    commits.flatMap(({ message, isMerge }) => (isMerge ? [] : `* ${listed(message)}`)).join('\n\n'),
  co_authored_by: ({ coAuthors }) => trailers('Co-authored-by', coAuthors),
};

const MESSAGE_VALUES: Values<MessagePlaceholder, MessageFacts> = {
  ...DESCRIPTION_VALUES,
  title: ({ title }) => title,
  description: ({ description }) => description ?? '',
  issues: ({ closes }) => (closes.length > 0 ? `Closes ${list(closes)}` : ''),
  reference: ({ projectPath, iid }) => `${projectPath}!${iid}`,
  local_reference: ({ iid }) => `!${iid}`,
  url: ({ url, projectPath, iid }) => url ?? `${projectPath}!${iid}`,
  source_project_id: ({ sourceProjectId }) => (sourceProjectId === null ? '' : String(sourceProjectId)),
  merge_request_author: ({ author }) => author,
  merged_by: ({ mergedBy }) => mergedBy,
  approved_by: ({ approvers }) => trailers('Approved-by', approvers),
  reviewed_by: ({ reviewers }) => trailers('Reviewed-by', reviewers),
};

/** A line for each of several people, as git reads it at the end of a message. */
function trailers(name: string, people: readonly string[]): string {
  return people.map((person) => `${name}: ${person}`).join('\n');
}

/** A message without its subject. */
function descriptionIn(message: string): string {
  return message.trim().split('\n').slice(1).join('\n').trim();
}

/** A message as it is listed among others: the subject alone of a long one. */
function listed(message: string): string {
  const text = message.trim();
  return text.length <= MAX_LISTED_LENGTH ? text : (text.split('\n', 1)[0] ?? '').slice(0, MAX_LISTED_LENGTH);
}

function hasBody({ message, isMerge }: BroughtCommit): boolean {
  return !isMerge && message.trim().includes('\n');
}

/**
 * Fills a template: lines of nothing but an empty placeholder are left out, and words that are no placeholder stay.
 *
 * @param max characters of the result, and of all that is filled in, of which what is beyond is cut off
 */
function filled<Name extends string, Facts>(
  template: string,
  values: Values<Name, Facts>,
  facts: Facts,
  max: number,
): string {
  const isPlaceholder = (name: string): name is Name => Object.hasOwn(values, name);
  const known = new Map<string, string>();
  const textOf = (name: string) => {
    const value = known.get(name) ?? (isPlaceholder(name) ? values[name](facts) : null);
    if (value !== null) known.set(name, value);
    return value;
  };
  const lines = template.replaceAll('\r\n', '\n').split('\n');
  const kept = lines.filter((line) => {
    const [, name] = /^\s*%\{(\w+)\}\s*$/.exec(line) ?? [];
    return name === undefined || textOf(name) !== '';
  });
  let left = max;
  const text = kept.join('\n').replace(PLACEHOLDER, (whole, name: string) => {
    const value = textOf(name)?.slice(0, left);
    left -= value?.length ?? 0;
    return value ?? whole;
  });
  return text.slice(0, max).toWellFormed();
}

function list(words: readonly string[]): string {
  if (words.length <= 1) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
