import type { Context } from '#src/access/permissions/actor.ts';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import {
  type CommitFacts,
  type FileFacts,
  refusalOf,
  refusalOfBranch,
} from '#src/domain/repository/push_rules/check.ts';
import { type PushRuleRow, ruleOf } from '#src/domain/repository/push_rules/find.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { Quarantine } from '#src/git/incoming/quarantine.ts';
import { extractSignature, parseCommit } from '#src/git/objects/parse.ts';
import type { PushCommand } from '#src/git/remote/push_request.ts';

/** Commits and files of one push that are compared with rules, and the bytes of what is read of each. */
const MAX_COMMITS = 10_000;
const MAX_FILES = 50_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** How many commits are read in one turn of the event loop. */
const BATCH_SIZE = 200;

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

/** A push to a project, as far as rules are asked. */
export interface RulesCheck {
  project: { id: number; defaultBranch: string | null };
  /** Who pushes. */
  userId: number;
  commands: readonly PushCommand[];
  quarantine: Quarantine;
  /** Values of refs before the push. */
  bounds: ReadonlySet<Oid>;
}

/**
 * Why changes of refs are not allowed by the push rules of the project: of branches for their names, of tags that are deleted, and of
 * all that brings commits for any of these. Throws as `match`.
 */
export async function ruleRefusals({ db }: Pick<Context, 'db'>, check: RulesCheck): Promise<Map<PushCommand, string>> {
  const refused = new Map<PushCommand, string>();
  const { project, commands, bounds } = check;
  const rule = commands.length === 0 ? null : await ruleOf(db, project.id);
  if (!rule) return refused;
  for (const command of commands) {
    const { name, to } = command;
    const branch = to !== null && name.startsWith(BRANCHES) ? name.slice(BRANCHES.length) : null;
    const refusal = branch === null ? null : await refusalOfBranch(rule, branch, project.defaultBranch);
    if (refusal !== null) refused.set(command, refusal);
    if (to === null && name.startsWith(TAGS) && rule.denyDeleteTag)
      refused.set(command, 'The push rules do not allow tags to be deleted by a push');
  }
  const bringing = commands.filter(
    (command) => command.to !== null && !bounds.has(command.to) && !refused.has(command),
  );
  const reason = bringing.length === 0 ? null : await refusalOfContent(db, rule, check, bringing);
  if (reason !== null) for (const command of bringing) refused.set(command, reason);
  return refused;
}

async function refusalOfContent(
  db: Context['db'],
  rule: PushRuleRow,
  { userId, quarantine, bounds }: RulesCheck,
  commands: readonly PushCommand[],
): Promise<string | null> {
  const tips = commands.flatMap(({ to }) => to ?? []);
  const commits = asksCommits(rule) ? await commitFacts(quarantine, tips, bounds) : [];
  const files = asksFiles(rule) ? await fileFacts(quarantine, tips, bounds, rule.maxFileSize > 0) : [];
  if (!commits || !files)
    return `The push has too much to compare with the push rules: more than ${MAX_COMMITS} commits or ${MAX_FILES} files. Push it in parts`;
  const pusher = await db.user.findUniqueOrThrow({ where: { id: userId }, select: { id: true, name: true } });
  return refusalOf(db, { rule, pusher, commits, files });
}

function asksCommits(rule: PushRuleRow): boolean {
  const { memberCheck, commitCommitterCheck, commitCommitterNameCheck, rejectUnsignedCommits } = rule;
  const patterns = rule.commitMessageRegex + rule.commitMessageNegativeRegex + rule.authorEmailRegex;
  return (
    patterns !== '' ||
    memberCheck ||
    commitCommitterCheck ||
    commitCommitterNameCheck ||
    rejectUnsignedCommits ||
    rule.rejectNonDcoCommits
  );
}

function asksFiles({ fileNameRegex, preventSecrets, maxFileSize }: PushRuleRow): boolean {
  return fileNameRegex !== '' || preventSecrets || maxFileSize > 0;
}

async function commitFacts(
  quarantine: Quarantine,
  tips: readonly Oid[],
  bounds: ReadonlySet<Oid>,
): Promise<CommitFacts[] | null> {
  const found = await quarantine.newCommits(tips, bounds, { count: MAX_COMMITS, most: MAX_BYTES });
  if (!found) return null;
  const facts: CommitFacts[] = [];
  for (const [at, { oid, content }] of found.entries()) {
    if (at % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
    const { message, author, committer } = parseCommit(oid, content);
    const people = { authorEmail: author.email, committerName: committer.name, committerEmail: committer.email };
    facts.push({ oid, message, ...people, isSigned: extractSignature(content) !== null });
  }
  return facts;
}

async function fileFacts(
  quarantine: Quarantine,
  tips: readonly Oid[],
  bounds: ReadonlySet<Oid>,
  asksSizes: boolean,
): Promise<FileFacts[] | null> {
  const paths = await quarantine.newPaths(tips, bounds, { count: MAX_FILES, most: MAX_BYTES });
  if (!paths) return null;
  const sizes = asksSizes ? await quarantine.sizes([...new Set(paths.map(({ oid }) => oid))]) : new Map<Oid, number>();
  return paths.map(({ path, oid }) => ({ path, size: sizes.get(oid) ?? null }));
}
