import type { PushRuleRow } from '#src/domain/repository/push_rules/find.ts';
import { match } from '#src/domain/repository/push_rules/patterns.ts';
import { SECRET_NAMES } from '#src/domain/repository/push_rules/secret_names.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** What a rule looks at in a commit. */
export interface CommitFacts {
  /** Its hash; null for one that is yet to be made. */
  oid: string | null;
  message: string;
  authorEmail: string;
  committerName: string;
  committerEmail: string;
  isSigned: boolean;
}

/** A file that is added or changed. */
export interface FileFacts {
  path: string;
  /** In bytes; null where it is not known, or nothing asks. */
  size: number | null;
}

/** What is checked together. */
export interface Checked {
  rule: PushRuleRow;
  /** Whose push it is. */
  pusher: { id: number; name: string };
  commits: readonly CommitFacts[];
  files: readonly FileFacts[];
}

/** Bytes of a megabyte. */
const MEGABYTE = 1024 * 1024;
/** A line by which an author certifies the origin of a change. */
const SIGN_OFF = /^Signed-off-by: .+ <.+@.+>/m;

/** Why commits and files are not accepted, for whoever pushes them; null if they are. Throws as `match`. */
export async function refusalOf(db: Db | Transaction, checked: Checked): Promise<string | null> {
  return (
    refusalOfSizes(checked) ??
    refusalOfCommits(checked) ??
    (await refusalOfPeople(db, checked)) ??
    (await refusalOfTexts(checked))
  );
}

/** Why a branch may not have its name; null if it may. The default branch may have any, and so may the first one of a repository. */
export async function refusalOfBranch(
  { branchNameRegex: pattern, projectId, groupId }: PushRuleRow,
  branch: string,
  defaultBranch: string | null,
): Promise<string | null> {
  if (pattern === '' || defaultBranch === null || branch === defaultBranch) return null;
  const [[isMatch] = []] = await match([{ pattern, texts: [branch] }], callerOf({ projectId, groupId }));
  return isMatch ? null : `The name of the branch does not match the pattern '${pattern}' of the push rules`;
}

/** Why a message may not be that of a commit which the server makes of others; null if it may. */
export async function refusalOfMessage(rule: PushRuleRow, message: string): Promise<string | null> {
  const none = { oid: null, authorEmail: '', committerName: '', committerEmail: '', isSigned: false };
  const checked = { rule: { ...rule, authorEmailRegex: '' }, commits: [{ ...none, message }], files: [] };
  return refusalOfTexts(checked);
}

function refusalOfSizes({ rule: { maxFileSize }, files }: Checked): string | null {
  const large = maxFileSize > 0 && files.find(({ size }) => size !== null && size > maxFileSize * MEGABYTE);
  return large ? `${shown(large.path)} is larger than ${maxFileSize} MB. Git LFS can store it` : null;
}

function refusalOfCommits({ rule, pusher, commits }: Checked): string | null {
  for (const commit of commits) {
    if (rule.rejectUnsignedCommits && !commit.isSigned) return `${nameOf(commit)} must be signed`;
    if (rule.rejectNonDcoCommits && !SIGN_OFF.test(commit.message))
      return `${nameOf(commit)} must have a line “Signed-off-by: Name <address>”`;
    if (rule.commitCommitterNameCheck && commit.committerName !== pusher.name)
      return `The committer of ${nameOf(commit)} must have your name, ${pusher.name}`;
  }
  return null;
}

/** Compares the addresses of commits with those that users have confirmed. */
async function refusalOfPeople(db: Db | Transaction, { rule, pusher, commits }: Checked): Promise<string | null> {
  const { memberCheck, commitCommitterCheck } = rule;
  if (!memberCheck && !commitCommitterCheck) return null;
  const wanted = new Set(
    commits.flatMap(({ authorEmail, committerEmail }) => [
      ...(memberCheck ? [authorEmail.toLowerCase()] : []),
      ...(commitCommitterCheck ? [committerEmail.toLowerCase()] : []),
    ]),
  );
  const addresses = [...wanted].filter((address) => address.isWellFormed() && !address.includes('\0'));
  const found = await db.$queryRaw<{ address: string; id: number }[]>`
    SELECT lower(u.email) AS address, u.id FROM users u
      WHERE lower(u.email) = ANY(${addresses}::text[]) AND u.confirmed_at IS NOT NULL AND NOT u.ghost
    UNION ALL SELECT lower(e.email), e.user_id FROM emails e
      WHERE lower(e.email) = ANY(${addresses}::text[]) AND e.confirmed_at IS NOT NULL
    UNION ALL SELECT lower(u.commit_email), u.id FROM users u WHERE u.id = ${pusher.id} AND u.commit_email IS NOT NULL`;
  const owners = new Map(found.map(({ address, id }) => [address, id]));
  for (const commit of commits) {
    if (memberCheck && !owners.has(commit.authorEmail.toLowerCase()))
      return `The author of ${nameOf(commit)}, ${shown(commit.authorEmail)}, has no account here`;
    if (commitCommitterCheck && owners.get(commit.committerEmail.toLowerCase()) !== pusher.id)
      return `The committer of ${nameOf(commit)} has the address ${shown(commit.committerEmail)}, which is not a confirmed address of yours`;
  }
  return null;
}

/** Compares messages, authors and names of files with the expressions of the rule. */
async function refusalOfTexts({ rule, commits, files }: Omit<Checked, 'pusher'>): Promise<string | null> {
  const messages = commits.map(({ message }) => message);
  const paths = files.map(({ path }) => path);
  const asked = [
    { pattern: rule.commitMessageRegex, texts: messages, is: false, tell: told.message },
    { pattern: rule.commitMessageNegativeRegex, texts: messages, is: true, tell: told.forbiddenMessage },
    {
      pattern: rule.authorEmailRegex,
      texts: commits.map(({ authorEmail }) => authorEmail),
      is: false,
      tell: told.author,
    },
    { pattern: rule.fileNameRegex, texts: paths, is: true, tell: told.file },
    { pattern: rule.preventSecrets ? SECRET_NAMES : '', texts: paths, is: true, tell: told.secret },
  ].filter(({ pattern, texts }) => pattern !== '' && texts.length > 0);
  const matches = await match(asked, callerOf(rule));
  for (const [at, { pattern, texts, is, tell }] of asked.entries()) {
    const wrong = matches[at]?.indexOf(is) ?? -1;
    if (wrong >= 0) return tell({ pattern, text: texts[wrong] ?? '', commit: commits[wrong] });
  }
  return null;
}

interface Wrong {
  pattern: string;
  text: string;
  commit: CommitFacts | undefined;
}

const told = {
  message: ({ pattern, commit }: Wrong) =>
    `The message of ${nameOf(commit)} does not match the pattern '${pattern}' of the push rules`,
  forbiddenMessage: ({ pattern, commit }: Wrong) =>
    `The message of ${nameOf(commit)} matches the pattern '${pattern}', which the push rules forbid`,
  author: ({ pattern, text, commit }: Wrong) =>
    `The author of ${nameOf(commit)}, ${shown(text)}, does not match the pattern '${pattern}' of the push rules`,
  file: ({ pattern, text }: Wrong) =>
    `The name of ${shown(text)} matches the pattern '${pattern}', which the push rules forbid`,
  secret: ({ text }: Wrong) =>
    `${shown(text)} has the name of a file with keys or passwords, which the push rules forbid`,
};

const nameOf = (commit: CommitFacts | undefined) => (commit?.oid ? `commit ${commit.oid.slice(0, 8)}` : 'the commit');

/** A text of a push in the report on it. */
const shown = (text: string) => text.toWellFormed().slice(0, 200);

/** Whose turn it takes to compare texts with expressions. */
function callerOf({ projectId, groupId }: Pick<PushRuleRow, 'projectId' | 'groupId'>): string {
  return projectId === null ? `group ${groupId}` : `project ${projectId}`;
}
