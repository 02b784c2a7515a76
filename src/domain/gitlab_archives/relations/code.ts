import { milestoneId } from '#src/domain/gitlab_archives/relations/labels.ts';
import type { At } from '#src/domain/gitlab_archives/relations/output.ts';
import { position } from '#src/domain/gitlab_archives/relations/positions.ts';
import {
  isFirst,
  leaveOutUnknown,
  type Take,
  type Translation,
} from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  flag,
  type Given,
  integer,
  named,
  object,
  objects,
  oneOf,
  text,
  time,
  times,
} from '#src/domain/gitlab_archives/relations/values.ts';

const OF_RELEASES: ReadonlySet<string> = new Set(['links', 'milestone_releases', 'evidences', 'author']);
const LINK_TYPES = { 0: 'other', 1: 'runbook', 2: 'package', 3: 'image' };

export const takeRelease: Take = async (translation, record, at) => {
  const { out } = translation;
  translation.projectId ??= integer(record.project_id);
  if (!isFirst(translation, `releases ${record.tag}`, at)) return;
  const id = out.id('releases');
  const values = { tag: record.tag, name: named(record.name), description: text(record.description) ?? '' };
  const releasedAt = time(record.released_at) ?? time(record.created_at);
  const authorId = out.user(record.author_id);
  if (!(await out.add('releases', { id, ...values, authorId, releasedAt, ...times(record) }, at))) return;
  leaveOutUnknown(translation, record, OF_RELEASES, at);
  for (const link of objects(record.links)) {
    const here = { ...at, relation: 'releases.links' };
    const { name, url, filepath } = link;
    const names = [`name ${name}`, `url ${url}`, ...(filepath == null ? [] : [`path ${filepath}`])];
    if (names.some((one) => translation.taken.has(`link ${id} ${one}`))) continue;
    for (const one of names) translation.taken.add(`link ${id} ${one}`);
    const row = { id: out.id('release_links'), releaseId: id, name: named(name), url, directAssetPath: filepath };
    await out.add(
      'release_links',
      { ...row, type: oneOf(link.link_type, LINK_TYPES) ?? 'other', ...times(link) },
      here,
    );
  }
  const reached = new Set<number>();
  for (const { milestone } of objects(record.milestone_releases)) {
    const found = await milestoneId(translation, milestone, at);
    if (found === null || reached.has(found)) continue;
    reached.add(found);
    await out.add('release_milestones', { releaseId: id, milestoneId: found }, at);
  }
};

/** What is said of levels that `generalLevels` leaves out. */
export const SINGLE_LEVELS = 'Levels for single users and groups do not come along.';

/** Access levels that a rule has: each once. Those for users and groups alone do not come along, which widens nothing; they are counted. */
export function generalLevels(given: unknown): { levels: number[]; leftOut: number } {
  const all = objects(given);
  const general = all.filter(({ user_id: user, group_id: group }) => user == null && group == null);
  const found = new Set(general.flatMap(({ access_level: level }) => integer(level) ?? []));
  // Who was among the users is not known here: nobody may, rather than everybody of a level.
  const levels = all.length > 0 && found.size === 0 ? [0] : [...found];
  return { levels, leftOut: all.length - general.length };
}

function levelsOf({ out }: Translation, given: unknown, at: At): number[] {
  const { levels, leftOut } = generalLevels(given);
  if (leftOut > 0) out.leaveOut(at, SINGLE_LEVELS, leftOut);
  return levels;
}

const OF_BRANCHES: ReadonlySet<string> = new Set([
  'push_access_levels',
  'merge_access_levels',
  'unprotect_access_levels',
]);

export const takeProtectedBranch: Take = async (translation, record, at) => {
  const { out, protectedBranches } = translation;
  if (!isFirst(translation, `protected_branches ${record.name}`, at)) return;
  const id = out.id('protected_branches');
  const { name, allow_force_push: force, code_owner_approval_required: owners } = record;
  const switches = { allowForcePush: flag(force) ?? false, codeOwnerApprovalRequired: flag(owners) ?? false };
  const row = { id, name, ...switches, createdAt: time(record.created_at) };
  if (!(await out.add('protected_branches', row, at))) return;
  protectedBranches.set(String(name), id);
  leaveOutUnknown(translation, record, OF_BRANCHES, at);
  for (const action of ['push', 'merge', 'unprotect'] as const) {
    const here = { ...at, relation: `protected_branches.${action}_access_levels` };
    for (const accessLevel of levelsOf(translation, record[`${action}_access_levels`], here)) {
      const level = { id: out.id('protected_branch_levels'), protectedBranchId: id, action, accessLevel };
      await out.add('protected_branch_levels', level, here);
    }
  }
};

export const takeProtectedTag: Take = async (translation, record, at) => {
  const { out } = translation;
  if (!isFirst(translation, `protected_tags ${record.name}`, at)) return;
  const id = out.id('protected_tags');
  const row = { id, name: record.name, createdAt: time(record.created_at) };
  if (!(await out.add('protected_tags', row, at))) return;
  leaveOutUnknown(translation, record, new Set(['create_access_levels']), at);
  const here = { ...at, relation: 'protected_tags.create_access_levels' };
  for (const accessLevel of levelsOf(translation, record.create_access_levels, here)) {
    await out.add(
      'protected_tag_levels',
      { id: out.id('protected_tag_levels'), protectedTagId: id, accessLevel },
      here,
    );
  }
};

const RULE_TYPES = { 0: 'regular', 1: 'code_owner', 2: 'report_approver', 3: 'any_approver' };
const OF_RULES: ReadonlySet<string> = new Set([
  ...['approval_project_rules_users', 'approval_project_rules_protected_branches'],
  ...['scanners', 'severity_levels', 'vulnerability_states'],
]);

export const takeApprovalRule: Take = async (translation, record, at) => {
  const { out } = translation;
  const id = out.id('approval_rules');
  const values = { name: named(record.name), ruleType: oneOf(record.rule_type, RULE_TYPES) };
  const required = integer(record.approvals_required) ?? 0;
  const forAll = flag(record.applies_to_all_protected_branches) ?? false;
  const row = { id, ...values, approvalsRequired: required, appliesToAllProtectedBranches: forAll };
  if (!(await out.add('approval_rules', row, at))) return;
  leaveOutUnknown(translation, record, OF_RULES, at);
  const seen = new Set<string>();
  const isNew = (name: string) => !seen.has(name) && seen.add(name);
  for (const { user_id: user } of objects(record.approval_project_rules_users)) {
    const userId = out.user(user);
    if (userId !== null && isNew(`user ${userId}`)) await out.add('approval_rule_users', { ruleId: id, userId }, at);
  }
  for (const branch of objects(record.approval_project_rules_protected_branches)) {
    const found = translation.protectedBranches.get(
      String(branch.branch_name ?? object(branch.protected_branch)?.name),
    );
    if (found === undefined || !isNew(`branch ${found}`)) continue;
    await out.add('approval_rule_branches', { ruleId: id, protectedBranchId: found }, at);
  }
};

/** What push rules ask; an empty pattern asks nothing. */
export const takePushRule: Take = async (translation, record, at) => {
  if (!isFirst(translation, 'push_rule', at)) return;
  const pattern = (value: unknown) => text(value) ?? undefined;
  const { out } = translation;
  await out.add(
    'push_rules',
    {
      id: out.id('push_rules'),
      commitMessageRegex: pattern(record.commit_message_regex),
      commitMessageNegativeRegex: pattern(record.commit_message_negative_regex),
      branchNameRegex: pattern(record.branch_name_regex),
      authorEmailRegex: pattern(record.author_email_regex),
      fileNameRegex: pattern(record.file_name_regex),
      maxFileSize: integer(record.max_file_size),
      denyDeleteTag: flag(record.deny_delete_tag),
      memberCheck: flag(record.member_check),
      preventSecrets: flag(record.prevent_secrets),
      commitCommitterCheck: flag(record.commit_committer_check),
      commitCommitterNameCheck: flag(record.commit_committer_name_check),
      rejectUnsignedCommits: flag(record.reject_unsigned_commits),
      rejectNonDcoCommits: flag(record.reject_non_dco_commits),
      ...times(record),
    },
    at,
  );
};

/** Comments on commits; those of one `discussion_id` are a thread. */
export const takeCommitNote: Take = async (translation, record, at) => {
  const { out, commitThreads } = translation;
  if (record.system === true) return;
  const id = out.id('commit_comments');
  const thread = typeof record.discussion_id === 'string' ? record.discussion_id : null;
  const begun = commitThreads.get(thread ?? '');
  const place = await position(record.position);
  const author = out.user(record.author_id, { name: named(object(record.author)?.name) });
  const isThere = await out.add(
    'commit_comments',
    {
      ...{ id, sha: record.commit_id, authorId: author, note: text(record.note), ...commentPlace(place) },
      ...{ discussionId: begun ?? null, startsThread: begun === undefined && record.type !== null },
      ...times(record),
    },
    at,
  );
  if (isThere && thread !== null && begun === undefined) commitThreads.set(thread, id);
};

/** Where a comment on a commit is; nothing for one that is on no line. */
export function commentPlace(place: Given | null): Given {
  if (place === null || place.positionType !== 'text') return {};
  const isNew = place.newLine !== null;
  return {
    path: isNew ? place.newPath : place.oldPath,
    line: isNew ? place.newLine : place.oldLine,
    lineType: isNew ? 'new' : 'old',
    position: place,
  };
}
